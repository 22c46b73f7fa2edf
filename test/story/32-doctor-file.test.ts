import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'
import { statements } from '../helpers/words.ts'

async function outcomes(memory: Memory, asked: Parameters<Memory['doctor']>[0] = {}) {
  const { checks } = await memory.doctor(asked)
  return Object.fromEntries(checks.map(({ name, outcome }) => [name, outcome]))
}

async function messageOf(memory: Memory, name: string): Promise<string | undefined> {
  return (await memory.doctor()).checks.find((check) => check.name === name)?.message
}

/** Changes a memory as no operation does. */
function tamper(path: string, sql: string): void {
  const raw = new DatabaseSync(path)
  raw.exec(`PRAGMA foreign_keys = OFF; ${sql}`)
  raw.close()
}

test('rows whose block is gone are found, and removed when told to', async () => {
  const { memory, path, learn } = await openTestMemory()
  const [apple, pear] = await learn('one apple', 'one pear')
  await memory.connect({ source: apple!, target: pear! })
  tamper(path, `DELETE FROM blocks WHERE id = '${pear}'`)
  expect(await outcomes(memory)).toMatchObject({ file: 'ok', orphans: 'fail' })
  expect(await messageOf(memory, 'orphans')).toContain('1 in block_vectors')
  expect(await messageOf(memory, 'orphans')).toContain('1 in edges')
  const { checks } = await memory.doctor({ fix: true })
  expect(checks.find(({ name }) => name === 'fix')?.message).toContain('removed')
  expect(await outcomes(memory)).toMatchObject({ orphans: 'ok', sums: 'ok' })
  expect((await memory.history({ operation: 'doctor' })).operations).toHaveLength(1)
  expect((await memory.recall({ query: 'apple', topK: 1 })).blockIds).toEqual([apple])
})

test('sums that differ from their edges are found, and made again when told to', async () => {
  const { memory, path, learn, store } = await openTestMemory()
  const ids = await learn('one apple', 'one pear')
  await memory.connect({ source: ids[0]!, target: ids[1]! })
  const strengths = () => store.read((tx) => tx.strengths(ids))
  const before = await strengths()
  tamper(path, `UPDATE block_strengths SET strength = 5; DELETE FROM edge_counts`)
  expect(await outcomes(memory)).toMatchObject({ sums: 'fail' })
  expect(await outcomes(memory, { fix: true })).toMatchObject({ sums: 'ok', fix: 'ok' })
  expect(await strengths()).toEqual(before)
})

test('with scopes the sums are made again for each', async () => {
  const { memory, path } = await openTestMemory()
  const ids: string[] = []
  for (const content of ['one apple', 'one pear'])
    ids.push((await memory.remember({ content, scope: 'here' })).blockId)
  await memory.dream({ scope: 'here' })
  await memory.connect({ source: ids[0]!, target: ids[1]!, scope: 'here' })
  expect(await outcomes(memory)).toMatchObject({ sums: 'ok' })
  tamper(path, 'DELETE FROM scope_strengths')
  expect(await outcomes(memory)).toMatchObject({ sums: 'fail' })
  expect(await outcomes(memory, { fix: true })).toMatchObject({ sums: 'ok' })
})

test('a vector of another length than its model makes is found', async () => {
  const { memory, path, learn } = await openTestMemory()
  await learn('one apple', 'one pear')
  tamper(path, `UPDATE block_vectors SET vector = x'00000000' WHERE arrival = 1`)
  expect(await outcomes(memory)).toMatchObject({ lengths: 'fail' })
})

test('time that is to come or goes backwards is found', async () => {
  const { memory, path, learn, clock } = await openTestMemory()
  await learn('one apple')
  clock.advance({ hours: -2 })
  expect(await outcomes(memory)).toMatchObject({ clock: 'warn' })
  clock.advance({ hours: 2 })
  expect(await outcomes(memory)).toMatchObject({ clock: 'ok' })
  tamper(path, 'UPDATE operations SET hours = 1000 WHERE id = 1')
  expect(await outcomes(memory)).toMatchObject({ clock: 'fail' })
})

test.skipIf(process.platform === 'win32')(
  'files others may read are found, and closed when told to',
  async () => {
    const { memory, path, learn } = await openTestMemory()
    await learn('one apple')
    await memory.backup()
    chmodSync(path, 0o644)
    chmodSync(`${path}.backups`, 0o755)
    expect(await outcomes(memory)).toMatchObject({ access: 'warn' })
    expect(await outcomes(memory, { fix: true })).toMatchObject({ access: 'ok' })
    expect([path, `${path}.backups`].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o700])
  },
)

test.skipIf(process.platform === 'win32')(
  'a folder in which others may replace the file is told of and left as it is',
  async () => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o777)
    const memory = await openMemory(join(folder, 'memory.db'), {
      as: 'owner',
      embedder: createHashingEmbedder(),
    })
    expect(await outcomes(memory, { fix: true })).toMatchObject({ access: 'warn' })
    expect(statSync(folder).mode & 0o777).toBe(0o777)
    await memory.close()
  },
)

test('a packed index that cannot be read is found, and removed when told to', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const open = () => openMemory(path, { as: 'owner', embedder: createHashingEmbedder() })
  const first = await open()
  await first.rememberMany({ blocks: statements(3).map((content) => ({ content })) })
  await first.dream()
  writeFileSync(`${path}-index`, 'nothing of ours', { mode: 0o600 })
  expect(await outcomes(first)).toMatchObject({ packed: 'warn' })
  expect(await outcomes(first, { fix: true })).toMatchObject({ packed: 'ok' })
  expect(existsSync(`${path}-index`)).toBe(false)
  await first.close()
})

test('a memory that is well is left as it is by fix, and nothing is logged', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(...statements(3))
  const before = (await memory.history({ lastN: 100 })).operations.length
  const { checks } = await memory.doctor({ fix: true })
  expect(checks.find(({ name }) => name === 'fix')?.message).toBe('There was nothing to repair.')
  expect((await memory.history({ lastN: 100 })).operations).toHaveLength(before)
})

test('from one scope, or without a file, the file is not looked at, and that is said', async () => {
  const { memory } = await openTestMemory()
  expect(await outcomes(memory, { scope: 'one', fix: true })).toMatchObject({
    file: 'skipped',
    fix: 'skipped',
  })
  const twin = await openTestMemory({ kind: 'memory' })
  expect(await outcomes(twin.memory, { fix: true })).toMatchObject({ file: 'skipped', fix: 'skipped' })
})
