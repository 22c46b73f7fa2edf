import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { aBlock } from '../../src/testing/harness.ts'
import { temporaryFolder } from '../helpers/memory.ts'

async function openStore() {
  const store = await openSqliteStore(join(temporaryFolder(), 'memory.db'))
  onTestFinished(() => store.close())
  const known = () => store.read(async (tx) => (await tx.counts()).active, { brief: true })
  return { store, known }
}

test('a brief read sees what was written before it, and nothing of a write that is open', async () => {
  const { store, known } = await openStore()
  await store.write((tx) => tx.insertBlock(aBlock('one')))
  const during = await store.write(async (tx) => {
    await tx.insertBlock(aBlock('other'))
    return known()
  })
  expect([during, await known()]).toEqual([1, 2])
})

test('a write waits for a brief read that has begun, and other brief reads do not', async () => {
  const { store, known } = await openStore()
  const [told, release] = [[] as string[], Promise.withResolvers<void>()]
  const reading = store.read(
    async (tx) => {
      await release.promise
      told.push(`read ${(await tx.counts()).active}`)
    },
    { brief: true },
  )
  const writing = store.write(async (tx) => {
    await tx.insertBlock(aBlock('one'))
    told.push('written')
  })
  told.push(`beside ${await known()}`)
  release.resolve()
  await Promise.all([reading, writing])
  expect(told).toEqual(['beside 0', 'read 0', 'written'])
})
