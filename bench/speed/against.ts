import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { nextTurn } from '../../src/engine/engine.ts'
import type { Memory, openMemory } from '../../src/index.ts'
import { withTemporaryFolder } from '../lib/files.ts'
import { fill, rememberAll } from '../lib/memory.ts'
import { median } from '../lib/statistics.ts'
import { textTable } from '../lib/table.ts'
import { questionAbout, sentence } from './sentences.ts'
import { timed } from './timed.ts'

/**
 * Compares this build with another one, call by call in one process, so that both have the same machine at the same time.
 * `npm run build && node bench/speed/against.ts OTHER/dist [--blocks 10000] [--rounds 400]`. Prints medians and the median of
 * the ratios of neighbouring calls, and ends with 1 if that is above the bound.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    blocks: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '400' },
    bound: { type: 'string', default: '1.05' },
  },
})
const [other] = positionals
if (other === undefined) throw new Error('Name the built dist of another version.')
const [BLOCKS, ROUNDS, BOUND] = [values.blocks, values.rounds, values.bound].map(Number) as [
  number,
  number,
  number,
]
const AT_ONCE = 32

interface Side {
  readonly open: () => Promise<Memory>
  readonly memory: Memory
}

type Work = (side: Side, round: number) => Promise<unknown>

/** A timed work, its rounds, and the work done before each time. */
type Timed = readonly [name: string, rounds: number, work: Work, before?: Work]

const sentences = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ content: sentence(from + i) }))

const WORKS: readonly Timed[] = [
  ['remember', ROUNDS, ({ memory }, round) => memory.remember({ content: sentence(BLOCKS + round) })],
  ['recall', ROUNDS, ({ memory }, round) => memory.recall({ query: questionAbout(round) })],
  [
    `dream of ${AT_ONCE} blocks`,
    Math.ceil(ROUNDS / 20),
    ({ memory }) => memory.dream({ maxSeconds: 600 }),
    ({ memory }, round) => rememberAll(memory, sentences(2 * BLOCKS + AT_ONCE * round, AT_ONCE)),
  ],
  [
    'opening',
    Math.ceil(ROUNDS / 10),
    async ({ open }) => {
      await using memory = await open()
      await memory.status()
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
  await fill(memory, sentences(0, BLOCKS))
  return { open, memory }
}

/** Times the work in rounds; who comes first changes, since the first warms what both use. */
async function compare(sides: readonly [Side, Side], [name, rounds, work, before]: Timed): Promise<string[]> {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++)
    for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      await before?.(sides[which], round)
      times[which].push(await timed(() => work(sides[which], round)))
      // Writes that an answer leaves for later end here, outside the other side's time.
      await nextTurn()
    }
  const [ours, theirs] = times
  const ratio = median(ours.map((time, i) => time / (theirs[i] as number)))
  if (ratio > BOUND) process.exitCode = 1
  return [name, median(theirs).toFixed(3), median(ours).toFixed(3), ratio.toFixed(2), `≤ ${BOUND}`]
}

await withTemporaryFolder(async (folder) => {
  const sides = [
    await sideOf('dist', join(folder, 'ours.db')),
    await sideOf(other, join(folder, 'theirs.db')),
  ] as const
  const rows: string[][] = []
  for (const work of WORKS) rows.push(await compare(sides, work))
  for (const { memory } of sides) await memory.close()
  console.log(textTable({ head: [`${BLOCKS} blocks`, 'before, ms', 'now, ms', 'ratio', 'bound'], rows }))
})
