import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Watched } from '../../src/index.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { elfmem, HASHING, NODE_OPTIONS, temporaryDirectory } from '../surfaces/helpers/cli.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const BIN = join(ROOT, 'src', 'bin.ts')

/** A file that two memories have open, as two processes would. */
async function two(options: Parameters<typeof openTestMemory>[0] = {}) {
  const writer = await openTestMemory()
  const reader = await openTestMemory({ path: writer.path, clock: writer.clock, ...options })
  return { ...writer, writer: writer.memory, reader: reader.memory }
}

/** The next so many. */
async function taken(watch: AsyncIterator<Watched>, many: number): Promise<Watched[]> {
  const found: Watched[] = []
  while (found.length < many) {
    const { done, value } = await watch.next()
    if (done) return found
    found.push(value)
  }
  return found
}

const operationsOf = (entries: readonly Watched[]) =>
  entries.map((each) => ('isStale' in each ? 'stale' : each.operation))

test('who watches gets each new entry once and in order, with the first words of its block', async () => {
  const { writer, reader } = await two()
  await writer.remember({ content: 'Said before anybody watched.' })
  const watch = reader.watch()
  const { blockId } = await writer.remember({ content: 'The kettle\nis blue.', tags: ['kitchen'] })
  await writer.dream()
  await reader.forget({ blockId })
  const { operations } = await writer.history({ limit: 20 })
  const expected = operations.slice(1)
  const entries = await taken(watch, expected.length)
  expect(operationsOf(entries)).toEqual(expected.map(({ operation }) => operation))
  expect(entries[0]).toMatchObject({
    ...{ id: 2, operation: 'remember', actor: 'library as owner', blockIds: [blockId], blockCount: 1 },
    ...{ first: 'The kettle is blue.', at: operations[1]?.at, summary: operations[1]?.summary },
  })
  expect(operationsOf(entries).at(-1)).toBe('forget')
})

test('what another process writes is seen within a second', { timeout: 60_000 }, async () => {
  const { reader, path } = await two()
  const watch = reader.watch()
  const seen = watch.next().then(({ value }) => ({ value: value as Watched, at: Date.now() }))
  const env = { ...process.env, ...HASHING, ...NODE_OPTIONS }
  const child = spawn(process.execPath, [BIN, 'remember', 'From elsewhere.', '--db', path], { env })
  const [code] = await once(child, 'exit')
  const ended = Date.now()
  expect(code).toBe(0)
  const { value, at } = await seen
  expect(value).toMatchObject({ operation: 'remember', first: 'From elsewhere.' })
  expect(at - ended).toBeLessThan(1_000)
})

test('watching goes on after an entry, and says so when more than 200 were missed', async () => {
  const { writer, reader } = await two()
  for (let at = 0; at < 202; at += 1) await writer.remember({ content: `Fact number ${at}` })
  const more = await taken(reader.watch({ after: 200 }), 2)
  expect(more.map((each) => each.id)).toEqual([201, 202])
  expect(await taken(reader.watch({ after: 2 }), 200)).toHaveLength(200)
  const late = reader.watch({ after: 1 })
  expect(await taken(late, 1)).toEqual([{ isStale: true, id: 202 }])
  await writer.remember({ content: 'One more.' })
  expect(await taken(late, 1)).toMatchObject([{ id: 203, first: 'One more.' }])
  expect(await taken(reader.watch({ after: 5_000 }), 1)).toEqual([{ isStale: true, id: 203 }])
})

test('a memory that was restored from a backup is another one', async () => {
  const { writer, reader } = await two()
  await writer.remember({ content: 'Kept.' })
  const { name } = await writer.backup({})
  const watch = reader.watch()
  await writer.remember({ content: 'Lost.' })
  expect(await taken(watch, 1)).toMatchObject([{ first: 'Lost.' }])
  await writer.restoreBackup({ name })
  expect(operationsOf(await taken(watch, 1))).toEqual(['stale'])
})

test('a scope hears of its own entries alone, and a memory of one scope watches no other', async () => {
  const { writer, reader, path, clock } = await two({ as: 'reader' })
  const here = reader.watch({ scope: 'here' })
  await writer.remember({ content: 'Over there.', scope: 'there' })
  await writer.remember({ content: 'Over here.', scope: 'here' })
  expect(await taken(here, 1)).toMatchObject([{ first: 'Over here.', scope: 'here' }])
  const { openMemory } = await import('../../src/memory.ts')
  const bound = await openMemory(path, {
    clock,
    scope: 'here',
    config: { embeddings: { provider: 'hashing' } },
  })
  expect(() => bound.watch({ scope: 'there' })).toThrow(expect.objectContaining({ code: 'OUT_OF_SCOPE' }))
  expect(await taken(bound.watch({ after: 2 }), 0)).toEqual([])
  await bound.close()
})

test('it ends with its signal, when its reader leaves, and with the memory', async () => {
  const { reader } = await two()
  const signal = AbortSignal.timeout(20)
  const seen: Watched[] = []
  for await (const each of reader.watch({ signal })) seen.push(each)
  expect(seen).toEqual([])
  expect(await reader.watch({ signal: AbortSignal.abort() }).next()).toMatchObject({ done: true })
  const left = reader.watch()
  const waiting = left.next()
  await left.return?.()
  expect(await waiting).toMatchObject({ done: true })
  const last = reader.watch().next()
  await reader.close()
  expect(await last).toMatchObject({ done: true })
  expect(() => reader.watch()).toThrow(expect.objectContaining({ code: 'CLOSED' }))
})

test('a memory in no file is watched, too', async () => {
  const { memory } = await openTestMemory({ kind: 'memory' })
  const watch = memory.watch()
  const next = watch.next()
  await memory.remember({ content: 'In no file.' })
  expect(await next).toMatchObject({ value: { first: 'In no file.' } })
})

test('watching keeps no process alive', { timeout: 60_000 }, async () => {
  const script = `import { openMemory } from ${JSON.stringify(join(ROOT, 'src', 'index.ts'))}
const memory = await openMemory(':memory:', { config: { embeddings: { provider: 'hashing' } } })
void memory.watch().next()`
  const env = { ...process.env, ...NODE_OPTIONS }
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { env, cwd: ROOT })
  expect((await once(child, 'exit'))[0]).toBe(0)
})

/** Runs `elfmem watch` until it printed so many lines; what it printed. */
async function watched(argv: readonly string[], lines: number, write: (home: string) => Promise<unknown>) {
  const home = temporaryDirectory()
  await elfmem(['remember', 'First words.'], { home })
  const ended = new AbortController()
  const printed: string[] = []
  const running = elfmem(['watch', '--after', '0', ...argv], {
    ...{ home, signal: ended.signal },
    told: (text) => {
      printed.push(text)
      if (printed.length >= lines) ended.abort()
    },
  })
  await write(home)
  const { code } = await running
  expect(code).toBe(0)
  return printed
}

test('elfmem watch prints a line for each entry, in which no remembered text moves the terminal', async () => {
  const lines = await watched([], 2, (home) => elfmem(['remember', 'Red \u001b[31m and\nmore.'], { home }))
  expect(lines[0]).toMatch(/^1 {2}\S+Z {2}cli {2}remember: a new block {2}“First words\.”\n$/)
  expect(lines[1]).not.toContain('\u001b')
  expect(lines[1]).toMatch(/and more\.”\n$/)
})

test('elfmem watch --json prints one object a line', async () => {
  const [line] = await watched(['--json'], 1, async () => undefined)
  expect(JSON.parse(line ?? '')).toMatchObject({
    id: 1,
    operation: 'remember',
    block_count: 1,
    first: 'First words.',
  })
  expect(line?.indexOf('\n')).toBe((line?.length ?? 0) - 1)
  const wrong = await elfmem(['watch', '--after', 'x'], { home: temporaryDirectory() })
  expect(wrong).toMatchObject({ code: 2 })
})

test('watching a memory that is not there yet makes none, and tells of it when somebody makes it', async () => {
  const home = temporaryDirectory()
  const ended = new AbortController()
  const printed: string[] = []
  const running = elfmem(['watch'], {
    ...{ home, signal: ended.signal },
    told: (text) => {
      printed.push(text)
      ended.abort()
    },
  })
  await elfmem(['remember', 'The first of all.'], { home })
  await running
  expect(printed[0]).toContain('The first of all.')
})
