import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { nextTurn } from '../../src/flow/engine/engine.ts'
import type { Memory, openMemory } from '../../src/index.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { rememberAll } from '../lib/remember-many.ts'
import { median, quantile } from '../lib/statistics.ts'
import { table } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { questionAbout, sentence } from './sentences.ts'

/**
 * This build against another one, call by call in one process, so that both have the same machine at the same time.
 * `npm run build && node bench/speed/against.ts OTHER/dist [--blocks 10000] [--rounds 400]`. Prints the ratio of the medians and
 * the median of the ratios of neighbouring calls; ends with 1 if the latter is above a bound.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    blocks: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '400' },
    bound: { type: 'string', default: '1.05' },
    'open-bound': { type: 'string', default: '1.1' },
  },
})
const [other] = positionals
if (other === undefined) throw new Error('Name the built dist of another version.')
const [BLOCKS, ROUNDS] = [Number(values.blocks), Number(values.rounds)]

interface Side {
  readonly open: () => Promise<Memory>
  memory: Memory
}

type Work = (side: Side, round: number) => Promise<unknown>

const WORKS: readonly (readonly [name: string, rounds: number, bound: number, work: Work])[] = [
  [
    'remember',
    ROUNDS,
    Number(values.bound),
    ({ memory }, round) => memory.remember({ content: sentence(BLOCKS + round) }),
  ],
  [
    'recall, five blocks',
    ROUNDS,
    Number(values.bound),
    ({ memory }, round) => memory.recall({ query: questionAbout(round), topK: 5 }),
  ],
  [
    'ten recalls, back to back',
    Math.ceil(ROUNDS / 10),
    Number(values.bound),
    async ({ memory }, round) => {
      for (let i = 0; i < 10; i += 1) await memory.recall({ query: questionAbout(10 * round + i), topK: 5 })
    },
  ],
  [
    'dream of 32',
    Math.ceil(ROUNDS / 20),
    Number(values.bound),
    async ({ memory }, round) => {
      const from = 2 * BLOCKS + 32 * round
      await rememberAll(
        memory,
        Array.from({ length: 32 }, (_, i) => ({ content: sentence(from + i) })),
      )
      await memory.dream({ maxSeconds: 600 })
    },
  ],
  [
    'opening',
    Math.ceil(ROUNDS / 10),
    Number(values['open-bound']),
    async (side) => {
      const memory = await side.open()
      await memory.status()
      await memory.close()
    },
  ],
]

async function sideOf(dist: string, path: string): Promise<Side> {
  const built = (await import(pathToFileURL(join(resolve(dist), 'index.js')).href)) as {
    readonly openMemory: typeof openMemory
  }
  const config = { embeddings: { provider: 'hashing' }, memory: { autoDream: 'off' } } as const
  const open = () => built.openMemory(path, { config })
  const memory = await open()
  await rememberAll(
    memory,
    Array.from({ length: BLOCKS }, (_, i) => ({ content: sentence(i) })),
  )
  await dreamAll(memory)
  return { open, memory }
}

async function timed(work: Work, side: Side, round: number): Promise<number> {
  const begun = performance.now()
  await work(side, round)
  return performance.now() - begun
}

await withTemporaryFolder(async (folder) => {
  const ours = await sideOf('dist', join(folder, 'ours.db'))
  const theirs = await sideOf(other, join(folder, 'theirs.db'))
  const rows: string[][] = []
  for (const [name, rounds, bound, work] of WORKS) {
    const [own, foreign]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      // Who comes first changes, since the first warms what both use.
      const order = round % 2 === 0 ? [ours, theirs] : [theirs, ours]
      for (const side of order) {
        ;(side === ours ? own : foreign).push(await timed(work, side, round))
        // What an answer left to be written is not the other's time.
        await nextTurn()
      }
    }
    const ratio = median(own.map((time, i) => time / (foreign[i] as number)))
    const [before, after] = [median(foreign), median(own)]
    rows.push([
      name,
      before.toFixed(3),
      after.toFixed(3),
      (after / before).toFixed(2),
      (quantile(own, 0.1) / quantile(foreign, 0.1)).toFixed(2),
      ratio.toFixed(2),
      `≤ ${bound}`,
    ])
    if (ratio > bound) process.exitCode = 1
  }
  await ours.memory.close()
  await theirs.memory.close()
  console.log(table(['', 'before, ms', 'now, ms', 'medians', 'first tenths', 'pairs', 'bound'], rows))
})
