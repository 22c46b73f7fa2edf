import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../src/memory.ts'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'
import type { Line } from './acts.ts'
import { createDice } from './dice.ts'
import { Told } from './told.ts'
import { problemsOf } from './whole.ts'

/** `FAULT_ROUNDS=24 npm run test:slow` for a short look, as CI has it; `FAULT_SEED` looks at other moments. */
const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 1_000)
const SEED = Number(process.env.FAULT_SEED ?? 20_261_122)
const ROUNDS_A_FILE = 10
const OLD_BLOCKS = 200

const child = join(import.meta.dirname, 'children/live-on.ts')

interface Life {
  readonly process: ChildProcessWithoutNullStreams
  readonly lines: Interface
  readonly said: string[]
  readonly ready: Promise<unknown>
  readonly complaint: () => string
}

/** A process that has loaded everything and waits to be told where to live. */
function conceive(compiled: string): Life {
  const env = { ...process.env, NODE_COMPILE_CACHE: compiled }
  const started = spawn(process.execPath, ['--no-warnings', child], { env })
  const lines = createInterface({ input: started.stdout })
  const said: string[] = []
  lines.on('line', (line) => said.push(line))
  let complaint = ''
  started.stderr.on('data', (chunk) => {
    complaint += String(chunk)
  })
  return { process: started, lines, said, ready: once(lines, 'line'), complaint: () => complaint }
}

/** When a life is to end: so many milliseconds after it began to open its file, or after it had it open. */
interface End {
  readonly after: 'begins' | 'done'
  readonly milliseconds: number
}

/** Lets it live so long; returns all it said. */
async function liveAndDie(life: Life, where: object, { after, milliseconds }: End): Promise<readonly Line[]> {
  await life.ready
  life.lines.on('line', (line) => {
    if (line.startsWith(`{"${after}":{"does":"open"`))
      setTimeout(() => life.process.kill('SIGKILL'), milliseconds)
  })
  const over = Promise.all([once(life.process, 'exit'), once(life.lines, 'close')])
  life.process.stdin.write(`${JSON.stringify(where)}\n`)
  await over
  expect(life.complaint()).toBe('')
  return life.said.slice(1).map((line) => JSON.parse(line) as Line)
}

/** Makes a memory with active blocks and returns their ids. */
async function makeMemory(path: string): Promise<readonly string[]> {
  const memory = await openMemory(path, { embedder: createHashingEmbedder({ dimensions: 48 }), as: 'owner' })
  // Words that no other block has: a dream joins none of them.
  const contents = Array.from({ length: OLD_BLOCKS }, (_, i) => `a${i} b${i} c${i} d${i} e${i} f${i}`)
  await memory.rememberMany({ blocks: contents.map((content) => ({ content })) })
  await memory.dream()
  await memory.close()
  const database = new DatabaseSync(path)
  const rows = database.prepare('SELECT id FROM blocks').all()
  database.close()
  return rows.map(({ id }) => String(id))
}

/** Returns what is wrong with the file of a killed process, which had these blocks before. */
function look(path: string, told: Told, old: readonly string[]): readonly string[] {
  const database = new DatabaseSync(path)
  const select = 'SELECT count(*) AS total FROM blocks WHERE id IN (SELECT value FROM json_each(?1))'
  const kept = Number(database.prepare(select).get(JSON.stringify(old))?.total)
  const problems = [
    ...(kept === OLD_BLOCKS ? [] : [`${kept} of ${OLD_BLOCKS} old blocks`]),
    ...problemsOf(database),
    ...told.differences(database),
  ]
  database.close()
  return problems
}

// W35
test(
  `a process killed at ${ROUNDS} random moments of any operation loses, doubles and halves nothing`,
  async () => {
    const dice = createDice(SEED)
    const folder = temporaryFolder()
    const counts = { acknowledged: 0, interrupted: new Map<string, number>() }
    let [told, path] = [new Told(), '']
    let old: readonly string[] = []
    let next = conceive(folder)
    for (let round = 0; round < ROUNDS; round++) {
      const place = round % ROUNDS_A_FILE
      if (place === 0) {
        note(counts, told)
        told = new Told()
        path = join(folder, `${round}.db`)
        old = await makeMemory(path)
      }
      const life = next
      next = conceive(folder)
      // The first lives of a file are killed while it is opened, every other begins to embed anew.
      const end: End =
        place < 2
          ? { after: 'begins', milliseconds: dice() * 60 }
          : { after: 'done', milliseconds: dice() * 500 }
      const dimensions = 48 + 16 * (Math.floor(place / 3) % 2)
      told.hear(await liveAndDie(life, { path, seed: SEED + round, dimensions }, end))
      expect([round, ...look(path, told, old)]).toEqual([round])
      if (place === ROUNDS_A_FILE - 1) await goOn(path, dimensions)
    }
    next.process.kill('SIGKILL')
    note(counts, told)
    process.stdout.write(
      `${ROUNDS} kills (FAULT_SEED=${SEED}): ${counts.acknowledged} acknowledged calls, 0 lost, 0 doubled, 0 halved; killed within ${[...counts.interrupted].map(([what, many]) => `${what} ${many}`).join(', ')}\n`,
    )
    expect(counts.acknowledged).toBeGreaterThan(ROUNDS)
  },
  60_000 + ROUNDS * 10_000,
)

function note(counts: { acknowledged: number; interrupted: Map<string, number> }, told: Told): void {
  counts.acknowledged += told.acknowledged
  for (const [what, many] of told.interrupted)
    counts.interrupted.set(what, (counts.interrupted.get(what) ?? 0) + many)
}

/** Whoever comes after all the killed finds a memory that works. */
async function goOn(path: string, dimensions: number): Promise<void> {
  const { memory } = await openTestMemory({ path, embedder: createHashingEmbedder({ dimensions }) })
  await memory.reembed()
  await memory.remember({ content: 'The last one of all looks at the file' })
  await memory.dream()
  expect((await memory.status()).inboxCount).toBe(0)
  expect((await memory.recall({ query: 'who looks at the file?' })).blocks[0]?.content).toContain('last one')
  await memory.close()
}
