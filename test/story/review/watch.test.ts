import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Watched } from '../../../src/index.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { HASHING } from '../../surfaces/helpers/cli.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')

/** A file that two memories have open, as two processes would. */
async function two(options: Parameters<typeof openTestMemory>[0] = {}) {
  const writer = await openTestMemory()
  const reader = await openTestMemory({ path: writer.path, clock: writer.clock, ...options })
  return { ...writer, writer: writer.memory, reader: reader.memory }
}

/** The next so many entries. */
async function taken(watch: AsyncIterator<Watched>, many: number): Promise<Watched[]> {
  const found: Watched[] = []
  while (found.length < many) {
    const { done, value } = await watch.next()
    if (done) return found
    found.push(value)
  }
  return found
}

test('watch gives each new entry once and in order', async () => {
  const { writer, reader } = await two()
  await writer.remember({ content: 'Said before anybody watched.' })
  const watch = reader.watch()
  const { blockId } = await writer.remember({ content: 'The kettle\nis blue.', tags: ['kitchen'] })
  await writer.dream()
  await reader.forget({ blockId })
  const expected = (await writer.history({ limit: 20 })).operations.slice(1)
  const entries = await taken(watch, expected.length)
  expect(entries.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
  expect(entries[0]).toMatchObject({
    ...{ id: 2, operation: 'remember', actor: 'library as owner', blockIds: [blockId] },
    ...{ first: 'The kettle is blue.', at: expected[0]?.at },
  })
})

test('watch sees what another process writes', { timeout: 60_000 }, async () => {
  const { reader, path } = await two()
  const seen = reader.watch().next()
  const env = { ...process.env, ...HASHING }
  const argv = [join(ROOT, 'src', 'bin.ts'), 'remember', 'From elsewhere.', '--db', path]
  const [code] = await once(spawn(process.execPath, argv, { env }), 'exit')
  expect(code).toBe(0)
  expect((await seen).value).toMatchObject({ operation: 'remember', first: 'From elsewhere.' })
})

test('watch goes on after an entry and reports that more than 200 were missed', async () => {
  const { writer, reader } = await two()
  for (let at = 0; at < 202; at += 1) await writer.remember({ content: `Fact number ${at}` })
  const more = await taken(reader.watch({ after: 200 }), 2)
  expect(more.map((each) => each.id)).toEqual([201, 202])
  const late = reader.watch({ after: 1 })
  expect(await taken(late, 1)).toEqual([{ isStale: true, id: 202 }])
  await writer.remember({ content: 'One more.' })
  expect(await taken(late, 1)).toMatchObject([{ id: 203, first: 'One more.' }])
})

test('watch reports a restored backup', async () => {
  const { writer, reader } = await two()
  await writer.remember({ content: 'Kept.' })
  const { name } = await writer.backup({})
  const watch = reader.watch()
  await writer.remember({ content: 'Lost.' })
  expect(await taken(watch, 1)).toMatchObject([{ first: 'Lost.' }])
  await writer.restoreBackup({ name })
  expect(await taken(watch, 1)).toMatchObject([{ isStale: true }])
})

test('watch in a scope gives entries of that scope alone', async () => {
  const { writer, reader } = await two({ as: 'reader' })
  const here = reader.watch({ scope: 'here' })
  await writer.remember({ content: 'Over there.', scope: 'there' })
  await writer.remember({ content: 'Over here.', scope: 'here' })
  expect(await taken(here, 1)).toMatchObject([{ first: 'Over here.', scope: 'here' }])
})

test('watch ends with its signal, its reader and the memory', async () => {
  const { reader } = await two()
  const seen: Watched[] = []
  for await (const each of reader.watch({ signal: AbortSignal.timeout(20) })) seen.push(each)
  expect(seen).toEqual([])
  const left = reader.watch()
  const waiting = left.next()
  await left.return?.()
  expect(await waiting).toMatchObject({ done: true })
  const last = reader.watch().next()
  await reader.close()
  expect(await last).toMatchObject({ done: true })
  expect(() => reader.watch()).toThrow(expect.objectContaining({ code: 'CLOSED' }))
})

test('watch keeps no process alive', { timeout: 60_000 }, async () => {
  const script = `import { openMemory } from ${JSON.stringify(join(ROOT, 'src', 'index.ts'))}
const memory = await openMemory(':memory:', { config: { embeddings: { provider: 'hashing' } } })
void memory.watch().next()`
  const env = { ...process.env }
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { env, cwd: ROOT })
  expect((await once(child, 'exit'))[0]).toBe(0)
})
