import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'
import type { Line } from './children/live.ts'
import { createDice } from './dice.ts'
import { problemsOf } from './whole.ts'

const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 24)
const SEED = Number(process.env.FAULT_SEED ?? 20_261_122)
const ROUNDS_A_FILE = 8

const child = join(import.meta.dirname, 'children/live.ts')

/** Lets a process live until it said so many lines and so many milliseconds more; returns what it said. */
async function liveAndDie(args: readonly string[], lines: number, milliseconds: number): Promise<Line[]> {
  const life = spawn(process.execPath, ['--no-warnings', child, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const said: string[] = []
  const reader = createInterface({ input: life.stdout })
  reader.on('line', (line) => {
    said.push(line)
    if (said.length === lines) setTimeout(() => life.kill('SIGKILL'), milliseconds)
  })
  life.stdin.write('go\n')
  const [[, signal]] = await Promise.all([once(life, 'exit'), once(reader, 'close')])
  expect(signal).toBe('SIGKILL')
  return said.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Line)
}

type Fact = Extract<Line, { readonly id: string }>

/** Collects the acknowledgements that the killed processes of one file received. */
class Told {
  readonly facts = new Map<string, Fact>()
  batch: readonly string[] = []

  hear(lines: readonly Line[]): void {
    for (const line of lines) {
      if ('id' in line) this.facts.set(line.id, { ...this.facts.get(line.id), ...line })
      else if ('doubts' in line) this.facts.set(line.doubts, { id: line.doubts })
      else this.batch = line.batch
    }
  }

  /** Lists what the file lacks of what was told, or has of half of it. */
  differences(database: DatabaseSync): string[] {
    const rows = database
      .prepare(
        `SELECT id, content, status, (SELECT count(*) FROM block_outcomes WHERE block_id = blocks.id) AS reports
          FROM blocks`,
      )
      .all()
    const found = new Map(rows.map((row) => [String(row.id), row]))
    const wrong = [...this.facts].filter(([id, fact]) =>
      Object.entries(fact).some(([key, value]) => found.get(id)?.[key] !== value),
    )
    const written = new Set(rows.map(({ content }) => content))
    const there = this.batch.filter((content) => written.has(content)).length
    const isHalf = there > 0 && there < this.batch.length
    return [...wrong.map(([, fact]) => JSON.stringify(fact)), ...(isHalf ? ['half of a batch'] : [])]
  }
}

/** Lists what is wrong with a file after its process was killed; the file may not exist yet. */
function problemsAfter(path: string, told: Told): readonly string[] {
  if (!existsSync(path)) return []
  const database = new DatabaseSync(path)
  const isEmpty = database.prepare('SELECT count(*) AS total FROM sqlite_schema').get()?.total === 0
  const problems = isEmpty ? [] : [...problemsOf(database), ...told.differences(database)]
  database.close()
  return problems
}

async function expectToWork(path: string, dimensions: number): Promise<void> {
  const { memory } = await openTestMemory({ path, embedder: createHashingEmbedder({ dimensions }) })
  await memory.reembed()
  const { blockId } = await memory.remember({ content: 'The zeppelin lands beside the windmill' })
  await memory.dream()
  expect((await memory.recall({ query: 'where does the zeppelin land?' })).blockIds).toContain(blockId)
  await memory.close()
}

test(`a process killed at ${ROUNDS} random moments loses nothing it acknowledged and leaves no half of a write`, async () => {
  const dice = createDice(SEED)
  const folder = temporaryFolder()
  let [told, path, facts] = [new Told(), '', 0]
  for (let round = 0; round < ROUNDS; round++) {
    const place = round % ROUNDS_A_FILE
    if (place === 0) {
      told = new Told()
      path = join(folder, `${round}.db`)
    }
    // The first process of a file is killed while it makes the tables, and later ones also while they embed anew.
    const [lines, milliseconds] = place === 0 ? [2, dice() * 60] : [2 + Math.floor(dice() * 60), dice() * 15]
    const dimensions = 48 + 16 * (Math.floor(place / 3) % 2)
    const args = [path, `round${round}`, '1000', String(dimensions)]
    told.hear(await liveAndDie(args, lines, milliseconds))
    expect([round, ...problemsAfter(path, told)]).toEqual([round])
    if (place < ROUNDS_A_FILE - 1) continue
    facts += told.facts.size
    await expectToWork(path, dimensions)
  }
  process.stdout.write(`${ROUNDS} kills (FAULT_SEED=${SEED}), ${facts} blocks acknowledged\n`)
  expect(facts).toBeGreaterThan(ROUNDS)
})
