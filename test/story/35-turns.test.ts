import { execFileSync } from 'node:child_process'
import { createWriteStream, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { openTestMemory, refusal, temporaryFolder } from '../helpers/memory.ts'

/** How often others in this process had their turn while something was done. */
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

test('what takes long leaves others their turn again and again', async () => {
  const { memory } = await openTestMemory()
  expect(await turnsDuring(() => memory.rememberMany({ blocks: blocks(2_560) }))).toBeGreaterThanOrEqual(10)
  expect(await turnsDuring(() => memory.dream({ maxCount: 640 }))).toBeGreaterThanOrEqual(20)
  expect(await turnsDuring(() => memory.curate())).toBeGreaterThanOrEqual(7)
  const text = blocks(1_300)
    .map(({ content }, at) => `# Part ${at}\n\n${content} and dark`)
    .join('\n\n')
  expect(await turnsDuring(() => memory.learnDocument({ text }))).toBeGreaterThanOrEqual(20)
})

test('while an import writes, others read and see nothing of it until all of it is there', async () => {
  const from = await openTestMemory({ kind: 'file' })
  await from.memory.rememberMany({ blocks: blocks(4_000) })
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
  expect([...seen].filter((count) => count !== 0 && count !== 4_000)).toEqual([])
  expect(seen).toContain(0)
  expect(await memory.status()).toMatchObject({ inboxCount: 4_000 })
})

/** An import whose lines come from a pipe, of which `sent` are there: it wants the others. */
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
  'while an import waits for its lines, another writer of the file is not kept waiting',
  async () => {
    const { importing, end, memory, location } = await halfImported(1_500)
    const other = await openSqliteStore(location, { busyTimeoutMs: 0 })
    await other.write((tx) => tx.saveMeta('told', 'at once'))
    const { blockId } = await memory.remember({ content: 'Said meanwhile.' })
    end()
    expect(await importing).toMatchObject({ whole: false, blocksAdded: 2_000, blocksKnown: 0 })
    expect((await memory.show({ blockId })).block.content).toBe('Said meanwhile.')
    expect(await other.read((tx) => tx.meta('told'))).toBe('at once')
    await other.close()
  },
)

test.skipIf(process.platform === 'win32')(
  'an import that ends badly takes nothing in and leaves no file beside the memory',
  async () => {
    const { importing, end, memory, location } = await halfImported(1_500)
    const beside = () => readdirSync(dirname(location)).filter((name) => name.includes('importing'))
    expect(beside()).toHaveLength(1)
    end('this is no line of an export\n')
    expect(await refusal(importing)).toMatchObject({ code: 'INVALID_INPUT' })
    expect(beside()).toEqual([])
    expect((await memory.ls()).blocks).toEqual([])
  },
)

/** A memory of more than ten megabytes. */
async function large() {
  const opened = await openTestMemory()
  const contents = Array.from({ length: 400 }, (_, at) => `${at} ${'lorem ipsum '.repeat(2_500)}`)
  await opened.memory.rememberMany({ blocks: contents.map((content) => ({ content })) })
  return opened
}

test('while a large file is checked, others have their turn all the time', async () => {
  const { memory } = await large()
  // A first recall reads all blocks, and gives the check its turns between them.
  expect(await turnsDuring(() => memory.recall({ query: 'lorem' }))).toBeGreaterThanOrEqual(4)
  expect(await turnsDuring(() => memory.doctor())).toBeGreaterThanOrEqual(100)
  const order: string[] = []
  const checked = memory.doctor({ fix: true }).then(() => order.push('checked'))
  await new Promise((resolve) => void setImmediate(resolve))
  await memory.recall({ query: 'lorem' }).then(() => order.push('recalled'))
  await checked
  expect(order).toEqual(['recalled', 'checked'])
})

test('a doctor and a backup that are called off end, and no copy is left', async () => {
  const { memory, path } = await large()
  for (const work of [memory.doctor, memory.backup]) {
    const told = new AbortController()
    const call = refusal(work({}, { signal: told.signal }))
    setImmediate(() => told.abort())
    expect(await call).toMatchObject({ code: 'CANCELLED' })
  }
  expect(readdirSync(`${path}.backups`)).toEqual([])
  const { checks } = await memory.doctor()
  expect(checks.find(({ name }) => name === 'file')).toMatchObject({ outcome: 'ok', message: 'It is whole.' })
})

test('damage that is found beside the event loop is told as it is elsewhere', async () => {
  const { memory } = await large()
  const { path: copy } = await memory.backup()
  const bytes = readFileSync(copy)
  bytes.fill(0x5a, 4_096 * 1_000, 4_096 * 1_010)
  writeFileSync(copy, bytes)
  expect(await refusal(memory.restoreBackup({ path: copy }))).toMatchObject({
    code: 'STORE_CORRUPT',
    recovery: expect.stringMatching('elfmem doctor'),
  })
  expect(await memory.status()).toMatchObject({ inboxCount: 400 })
})

test('where no thread may be started, a large file is checked all the same', async () => {
  const { path } = await large()
  const script = `import { openMemory } from './src/index.ts'
    const memory = await openMemory(process.argv[1], { as: 'owner', config: {} })
    console.log(JSON.stringify((await memory.doctor()).checks.find(({ name }) => name === 'file')))
    await memory.close()`
  const rights = ['--permission', '--allow-fs-read=*', '--allow-fs-write=*']
  const told = execFileSync(process.execPath, [...rights, '--input-type=module', '-e', script, path], {
    cwd: join(import.meta.dirname, '../..'),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  expect(JSON.parse(told)).toMatchObject({ name: 'file', outcome: 'ok', message: 'It is whole.' })
})
