import { execFileSync } from 'node:child_process'
import { createWriteStream, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqliteStore } from '../../../src/sqlite/store.ts'
import { readMeta, saveMeta } from '../../../src/store/log.ts'
import { openTestMemory, refusal, temporaryFolder } from '../../helpers/memory.ts'

/** Counts the turns that others in this process had during some work. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let done = false
  const next = () => {
    turns += 1
    if (!done) setImmediate(next)
  }
  setImmediate(next)
  await work()
  done = true
  return turns
}

const blocks = (many: number) => Array.from({ length: many }, (_, at) => ({ content: `Room ${at} is cold` }))

test('rememberMany, dream, curate and learnDocument give others a turn again and again', async () => {
  const { memory } = await openTestMemory()
  expect(await turnsDuring(() => memory.rememberMany({ blocks: blocks(1_280) }))).toBeGreaterThanOrEqual(5)
  expect(await turnsDuring(() => memory.dream({ maxCount: 320 }))).toBeGreaterThanOrEqual(10)
  expect(await turnsDuring(() => memory.curate())).toBeGreaterThanOrEqual(4)
  const text = blocks(650)
    .map(({ content }, at) => `# Part ${at}\n\n${content} and dark`)
    .join('\n\n')
  expect(await turnsDuring(() => memory.learnDocument({ text }))).toBeGreaterThanOrEqual(10)
})

test('status during an import sees nothing of it until all of it is there', async () => {
  const from = await openTestMemory()
  await from.memory.rememberMany({ blocks: blocks(800) })
  const path = join(temporaryFolder(), 'all.jsonl')
  await from.memory.export({ path })
  const { memory } = await openTestMemory()
  const seen = new Set<number>()
  let done = false
  const look = async () => {
    while (!done) {
      seen.add((await memory.status()).inboxCount)
      await new Promise((resolve) => void setImmediate(resolve))
    }
  }
  const looking = look()
  await memory.import({ path, trusted: true })
  done = true
  await looking
  expect([...seen].filter((count) => count !== 0 && count !== 800)).toEqual([])
  expect(seen).toContain(0)
  expect(await memory.status()).toMatchObject({ inboxCount: 800 })
})

/** Begins an import from a pipe that holds the first `sent` lines of an export. */
async function halfImported(sent: number) {
  const from = await openTestMemory()
  await from.memory.rememberMany({ blocks: blocks(2_000) })
  const folder = temporaryFolder()
  const file = join(folder, 'all.jsonl')
  await from.memory.export({ path: file })
  const lines = readFileSync(file, 'utf8').split(/(?<=\n)/)
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  const { memory, path: location } = await openTestMemory()
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const importing = memory.import({ path, trusted: true }, { progress: () => resolve() })
  const pipe = createWriteStream(path)
  pipe.write(lines.slice(0, sent).join(''))
  await Promise.race([begun, importing])
  const end = (rest: string = lines.slice(sent).join('')) => void pipe.end(rest)
  return { importing, end, memory, location }
}

test.skipIf(process.platform === 'win32')(
  'an import that waits for its lines keeps no other writer waiting',
  async () => {
    const { importing, end, memory, location } = await halfImported(1_500)
    const other = await openSqliteStore(location, { busyTimeoutMs: 0 })
    await other.write((tx) => saveMeta(tx, 'told', 'at once'))
    const { blockId } = await memory.remember({ content: 'Said meanwhile.' })
    end()
    expect(await importing).toMatchObject({ whole: false, blocksAdded: 2_000, blocksKnown: 0 })
    expect((await memory.show({ blockId })).block.content).toBe('Said meanwhile.')
    expect(await other.read((tx) => readMeta(tx, 'told'))).toBe('at once')
    await other.close()
  },
)

test.skipIf(process.platform === 'win32')(
  'import of broken lines takes nothing in and leaves no file beside the memory',
  async () => {
    const { importing, end, memory, location } = await halfImported(1_500)
    const beside = () => readdirSync(dirname(location)).filter((name) => name.includes('importing'))
    end('this is no line of an export\n')
    expect(await refusal(importing)).toMatchObject({ code: 'INVALID_INPUT' })
    expect(beside()).toEqual([])
    expect((await memory.ls()).blocks).toEqual([])
  },
)

test('doctor of ten megabytes gives others a turn, and ends with backup when both are cancelled', async () => {
  const { memory, path } = await openTestMemory()
  const contents = Array.from({ length: 400 }, (_, at) => `${at} ${'lorem ipsum '.repeat(2_500)}`)
  await memory.rememberMany({ blocks: contents.map((content) => ({ content })) })
  expect(await turnsDuring(() => memory.doctor())).toBeGreaterThanOrEqual(100)
  for (const work of [memory.doctor, memory.backup]) {
    const told = new AbortController()
    const call = refusal(work({}, { signal: told.signal }))
    setImmediate(() => told.abort())
    expect(await call).toMatchObject({ code: 'CANCELLED' })
  }
  expect(readdirSync(`${path}.backups`)).toEqual([])
})
