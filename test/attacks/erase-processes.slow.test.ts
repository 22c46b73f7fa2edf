import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../src/engine/memory.ts'
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

test('after erase another process answers without the words, and packs no index with them', async () => {
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

test('erase while another process reads an older state is unfinished, and erase again finishes', async () => {
  const { path, folder, memory, blockId } = await memoryWithSecret({ busySeconds: 0.3 })
  const tell = await another(path)
  await tell('hold')
  const done = await memory.erase({ blockIds: [blockId], yes: true })
  expect(done).toMatchObject({ erased: true, finished: false })
  expect(tracesIn(folder, WORDS).length).toBeGreaterThan(0)
  expect(await memory.status()).toMatchObject({
    health: 'degraded',
    suggestion: expect.stringContaining('erase()'),
  })
  expect((await memory.doctor({})).checks.map(({ name }) => name)).toContain('erasing')
  const busy = await elfmem(path, 'erase')
  expect(busy.code).toBe(1)
  await tell('release')
  const finished = await elfmem(path, 'erase', '--json')
  expect([finished.code, JSON.parse(finished.out)]).toEqual([
    0,
    expect.objectContaining({ finished: true, files: [] }),
  ])
  expect(tracesIn(folder, WORDS)).toEqual([])
  expect((await memory.status()).reasons.join()).not.toContain('erasing')
  expect(await elfmem(path, 'erase')).toMatchObject({ code: 2 })
}, 120_000)

/** Locks of this process on a database and its shared memory, as Linux lists them. */
function _locksOn(path: string): string[] {
  const inodes = [path, `${path}-shm`].map((each) => `:${statSync(each).ino} `)
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .filter((line) => line.includes(` ${process.pid} `) && inodes.some((inode) => line.includes(inode)))
    .map((line) => line.replace(/^\d+: /, ''))
    .sort()
}
