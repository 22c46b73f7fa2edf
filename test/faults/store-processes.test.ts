import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { aBlock, codeOf } from '../store/harness.ts'

const folder = await mkdtemp(join(tmpdir(), 'elfmem-processes-'))
const child = join(import.meta.dirname, 'children/insert-blocks.ts')

afterAll(() => rm(folder, { recursive: true, force: true }))

function start(...parameters: string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [
    '--experimental-strip-types',
    '--disable-warning=ExperimentalWarning',
    child,
    ...parameters,
  ])
}

async function finish(running: ChildProcessWithoutNullStreams): Promise<[number | null, string]> {
  let complaint = ''
  running.stderr.on('data', (chunk) => {
    complaint += String(chunk)
  })
  const [code] = (await once(running, 'exit')) as [number | null]
  return [code, complaint]
}

test('two processes open one new file and insert into one session at once without losing a block', async () => {
  const path = join(folder, 'new', 'shared.db')
  const children = ['one', 'other'].map((name) => start(path, name, '500'))
  const finished = children.map(finish)
  for (const each of children) each.stdin.write('go\n')
  expect(await Promise.all(finished)).toEqual([
    [0, ''],
    [0, ''],
  ])
  const store = await openSqliteStore(path)
  const { blocks } = await store.read((tx) => tx.page({ order: 'arrival', limit: 2000, session: 'session' }))
  await store.close()
  expect(blocks.map((block) => block.position)).toEqual(Array.from({ length: 1000 }, (_, index) => index))
  for (const name of ['one', 'other']) {
    expect(blocks.filter((block) => block.id.startsWith(`${name}-`))).toHaveLength(500)
  }
}, 120_000)

test('two stores in one process take turns without blocking each other', async () => {
  const path = join(folder, 'turns.db')
  const stores = [await openSqliteStore(path), await openSqliteStore(path)]
  const writes = stores.flatMap((store, which) =>
    Array.from({ length: 20 }, (_, index) =>
      store.write(async (tx) => {
        await tx.insertBlock(aBlock(`${which}-${index}`))
        await new Promise((resolve) => setImmediate(resolve))
      }),
    ),
  )
  await Promise.all(writes)
  for (const store of stores) {
    expect((await store.read((tx) => tx.changes(0))).blocks).toHaveLength(40)
    await store.close()
  }
})

test('a writer that waits longer than it is told to says so, and works once the other is done', async () => {
  const path = join(folder, 'busy.db')
  const [holder, waiter] = [await openSqliteStore(path), await openSqliteStore(path, { busyTimeoutMs: 50 })]
  await holder.write(async (tx) => {
    await tx.insertBlock(aBlock('held'))
    expect(await codeOf(waiter.write((other) => other.insertBlock(aBlock('late'))))).toBe('STORE_BUSY')
    expect(await waiter.read((other) => other.blocks(['held']))).toEqual([])
  })
  await waiter.write((tx) => tx.insertBlock(aBlock('late')))
  expect(await holder.read((tx) => tx.blocks(['held', 'late']))).toHaveLength(2)
  await holder.close()
  await waiter.close()
})
