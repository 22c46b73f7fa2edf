import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../src/memory.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { tracesIn } from '../helpers/traces.ts'

const obeying = join(import.meta.dirname, '../faults/children/obey.ts')
const command = join(import.meta.dirname, '../../src/bin.ts')

const SECRET = 'Evangeline stowed away in the bilge with a parrot called Mortimer'
const WORDS = ['Evangeline', 'evangelin', 'stowed', 'parrot', 'Mortimer', 'mortimer']

/** Another process that has the memory open and does what it is told. */
async function another(path: string) {
  const child = spawn(process.execPath, ['--no-warnings', obeying, path])
  onTestFinished(() => void child.kill('SIGKILL'))
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint += String(chunk)
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const answer = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`it ended: ${complaint}`)
    return JSON.parse(String(value)) as unknown
  }
  await answer()
  return async (act: string): Promise<unknown> => {
    child.stdin.write(`${act}\n`)
    return answer()
  }
}

/** The command line in a process of its own, in a pipe. */
async function elfmem(path: string, ...argv: readonly string[]) {
  const child = spawn(process.execPath, ['--no-warnings', command, ...argv, '--db', path], {
    cwd: dirname(path),
    env: { ...process.env, HOME: dirname(path), ELFMEM_EMBEDDINGS_PROVIDER: 'hashing' },
  })
  child.stdin.end()
  const [out, err]: [string[], string[]] = [[], []]
  child.stdout.on('data', (chunk) => out.push(String(chunk)))
  child.stderr.on('data', (chunk) => err.push(String(chunk)))
  const [code] = await once(child, 'close')
  return { code, out: out.join(''), err: err.join('') }
}

/** A memory with the secret. */
async function memoryWithSecret({ busySeconds = 10, crates: many = 20 } = {}) {
  const path = join(temporaryFolder(), 'memory.db')
  const memory = await openMemory(path, {
    as: 'owner',
    embedder: createHashingEmbedder(),
    // Without a packed index of its own, so that the other process reads the rows and writes one.
    config: { store: { busySeconds, packedIndex: false } },
  })
  onTestFinished(() => memory.close())
  const crates = Array.from({ length: many }, (_, i) => ({ content: `Crate ${i} holds rope` }))
  await memory.rememberMany({ blocks: crates })
  const { blockId } = await memory.remember({ content: SECRET })
  await memory.dream()
  return { path, folder: dirname(path), memory, blockId }
}

test('another process drops its index before its next answer, and writes no packed copy of the old one', async () => {
  const { path, folder, memory, blockId } = await memoryWithSecret({ crates: 1_100 })
  const tell = await another(path)
  expect(await tell('recall who stowed away in the bilge?')).toContain(SECRET)
  expect(await memory.erase({ blockIds: [blockId], yes: true })).toMatchObject({ finished: true })
  // A question that said the words again would be kept.
  expect(await tell('recall who was in the hold?')).not.toContain(SECRET)
  await tell('close')
  expect(tracesIn(folder, ['crate']).join()).toContain('-index')
  expect(tracesIn(folder, WORDS)).toEqual([])
  await memory.close()
  expect(tracesIn(folder, WORDS)).toEqual([])
}, 60_000)

test('a process that showed the words before takes them in as new when somebody says them again', async () => {
  const { path, memory, blockId } = await memoryWithSecret()
  const tell = await another(path)
  await tell('recall who stowed away in the bilge?')
  await memory.erase({ blockIds: [blockId], yes: true })
  const again = String(await tell(`remember ${SECRET}`))
  expect((await memory.show({ blockId: again })).block).toMatchObject({ content: SECRET, status: 'inbox' })
}, 60_000)

test('while another process reads an older state the files are named, and calling it again finishes', async () => {
  const { path, folder, memory, blockId } = await memoryWithSecret({ busySeconds: 0.3 })
  const tell = await another(path)
  await tell('hold')
  const done = await memory.erase({ blockIds: [blockId], yes: true })
  expect(done).toMatchObject({ erased: true, finished: false })
  expect(done.held.map((file) => file.path)).toEqual([path, `${path}-wal`])
  expect(tracesIn(folder, WORDS).length).toBeGreaterThan(0)
  expect(await memory.status()).toMatchObject({
    health: 'degraded',
    suggestion: expect.stringContaining('erase()'),
  })
  expect((await memory.doctor({})).checks.map(({ name }) => name)).toContain('erasing')
  const busy = await elfmem(path, 'erase')
  expect([busy.code, busy.out]).toEqual([1, expect.stringContaining('Not finished')])
  await tell('release')
  const finished = await elfmem(path, 'erase', '--json')
  expect([finished.code, JSON.parse(finished.out)]).toEqual([
    0,
    expect.objectContaining({ finished: true, held: [], found_after: 0 }),
  ])
  expect(tracesIn(folder, WORDS)).toEqual([])
  expect((await memory.status()).reasons.join()).not.toContain('erasing')
  expect(await elfmem(path, 'erase')).toMatchObject({
    code: 2,
    err: expect.stringContaining('no erasing is left'),
  })
}, 120_000)

test('in a pipe nothing is erased without --yes, and the answer says that it cannot be undone first', async () => {
  const { path, folder, memory, blockId } = await memoryWithSecret()
  await memory.close()
  const asked = await elfmem(path, 'erase', blockId)
  expect(asked.code).toBe(1)
  expect(asked.out).toMatch(
    /^An erasing cannot be undone\.\n.*Nothing was erased: say yes \(--yes\) to do it\.\n$/s,
  )
  expect(tracesIn(folder, WORDS).length).toBeGreaterThan(0)
  const done = await elfmem(path, 'erase', blockId, '--yes', '--json')
  expect(done.code).toBe(0)
  const certificate = JSON.parse(done.out)
  expect(certificate).toMatchObject({ erased: true, finished: true, found_after: 0 })
  expect(certificate.files.map((file: { path: string }) => file.path)).toContain(path)
  expect(certificate.looked_for.digests.length).toBeGreaterThan(20)
  expect(tracesIn(folder, WORDS)).toEqual([])
}, 60_000)

/** Locks of this process on a database and its shared memory, as Linux lists them. */
function locksOn(path: string): string[] {
  const inodes = [path, `${path}-shm`].map((each) => `:${statSync(each).ino} `)
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .filter((line) => line.includes(` ${process.pid} `) && inodes.some((inode) => line.includes(inode)))
    .map((line) => line.replace(/^\d+: /, ''))
    .sort()
}

test.skipIf(process.platform !== 'linux').each([
  ['in this thread', 0],
  ['in a thread of their own', 9 << 20],
])(
  'files are looked through %s, and this process keeps its locks on them',
  async (_, padding) => {
    const { path, folder, memory, blockId } = await memoryWithSecret()
    const other = join(folder, 'other.db')
    const beside = await openMemory(other, { embedder: createHashingEmbedder() })
    onTestFinished(() => beside.close())
    await beside.remember({ content: SECRET })
    mkdirSync(`${path}.exports`)
    writeFileSync(join(`${path}.exports`, 'long.jsonl'), 'x'.repeat(padding))
    const reading = new DatabaseSync(path)
    onTestFinished(() => reading.close())
    reading.exec('BEGIN; SELECT count(*) FROM blocks')
    const before = [path, other].map(locksOn)
    expect(before.map(({ length }) => length >= 2)).toEqual([true, true])
    const asked = await memory.erase({ blockIds: [blockId] })
    expect(asked.elsewhere).toContain(`${other}-wal`)
    expect([path, other].map(locksOn)).toEqual(before)
    reading.exec('COMMIT')
    await memory.erase({ blockIds: [blockId], yes: true })
    expect([path, other].map((each) => locksOn(each).length)).toEqual([2, 2])
  },
  60_000,
)
