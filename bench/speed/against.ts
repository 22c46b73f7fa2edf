import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { nextTurn } from '../../src/engine/engine.ts'
import type { Memory, openMemory } from '../../src/index.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { rememberAll } from '../lib/remember-many.ts'
import { median, quantile } from '../lib/statistics.ts'
import { table } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { questionAbout, sentence } from './sentences.ts'

/**
 * This build against another one, call by call in one process, so that both have the same machine at the same time.
 * `npm run build && node bench/speed/against.ts OTHER/dist [--blocks 10000,100000] [--rounds 400] [--only recall]`. Prints the
 * ratio of the medians and the median of the ratios of neighbouring calls; ends with 1 if the latter is above a bound. Texts are
 * embedded by hashing, which costs next to nothing, or with `--provider local` by the built-in model; recall changes what it
 * changes by default.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    blocks: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '400' },
    bound: { type: 'string', default: '1.05' },
    'open-bound': { type: 'string', default: '1.1' },
    only: { type: 'string', default: '' },
    provider: { type: 'string', default: 'hashing' },
  },
})
const [other] = positionals
if (other === undefined) throw new Error('Name the built dist of another version.')
const ROUNDS = Number(values.rounds)
/** Sentences of a long message, which make some 400 words. */
const LONG = 15
const AT_ONCE = 32

interface Side {
  readonly open: () => Promise<Memory>
  memory: Memory
}

type Work = (side: Side, round: number) => Promise<unknown>

/** A timed work, its rounds and bound, and the work done before each time. */
type Timed = readonly [name: string, rounds: number, bound: number, work: Work, before?: Work]

const worksOn = (blocks: number): readonly Timed[] => [
  [
    'remember',
    ROUNDS,
    Number(values.bound),
    ({ memory }, round) => memory.remember({ content: sentence(blocks + round) }),
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
    'recall by default',
    ROUNDS,
    Number(values.bound),
    ({ memory }, round) => memory.recall({ query: questionAbout(2 * ROUNDS + round) }),
  ],
  dreamOf('short blocks', Number(values.bound), (round, i) => sentence(2 * blocks + AT_ONCE * round + i)),
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
  dreamOf('messages of 400 words', 5, (round, i) => {
    const from = 3 * blocks + LONG * (AT_ONCE * round + i)
    return Array.from({ length: LONG }, (_, at) => sentence(from + at)).join(' ')
  }),
]

function dreamOf(name: string, bound: number, text: (round: number, i: number) => string): Timed {
  return [
    `dream of ${AT_ONCE} ${name}`,
    Math.max(10, Math.ceil(ROUNDS / 20)),
    bound,
    ({ memory }) => memory.dream({ maxSeconds: 600 }),
    ({ memory }, round) =>
      rememberAll(
        memory,
        Array.from({ length: AT_ONCE }, (_, i) => ({ content: text(round, i) })),
      ),
  ]
}

async function sideOf(dist: string, path: string, blocks: number): Promise<Side> {
  const built = (await import(pathToFileURL(join(resolve(dist), 'index.js')).href)) as {
    readonly openMemory: typeof openMemory
  }
  const config = {
    embeddings: { provider: values.provider as 'hashing' | 'local' },
    memory: { autoDream: 'off' },
  } as const
  const open = () => built.openMemory(path, { config })
  const memory = await open()
  await rememberAll(
    memory,
    Array.from({ length: blocks }, (_, i) => ({ content: sentence(i) })),
  )
  await dreamAll(memory)
  return { open, memory }
}

async function timed(work: Work, side: Side, round: number): Promise<number> {
  const begun = performance.now()
  await work(side, round)
  return performance.now() - begun
}

/** Times the work in rounds; who comes first changes, since the first warms what both use. */
async function compare(
  ours: Side,
  theirs: Side,
  [name, rounds, bound, work, before]: Timed,
): Promise<string[]> {
  const [own, foreign]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? [ours, theirs] : [theirs, ours]) {
      await before?.(side, round)
      ;(side === ours ? own : foreign).push(await timed(work, side, round))
      // Writes that an answer leaves for later end here, outside the other side's time.
      await nextTurn()
    }
  }
  const ratio = median(own.map((time, i) => time / (foreign[i] as number)))
  const [then, now] = [median(foreign), median(own)]
  if (ratio > bound) process.exitCode = 1
  const tenths = quantile(own, 0.1) / quantile(foreign, 0.1)
  return [
    name,
    then.toFixed(3),
    now.toFixed(3),
    ...[now / then, tenths, ratio, 1 / ratio].map((each) => each.toFixed(2)),
    `≤ ${bound}`,
  ]
}

for (const blocks of values.blocks.split(',').map(Number))
  await withTemporaryFolder(async (folder) => {
    const ours = await sideOf('dist', join(folder, 'ours.db'), blocks)
    const theirs = await sideOf(other, join(folder, 'theirs.db'), blocks)
    const rows: string[][] = []
    for (const work of worksOn(blocks))
      if (work[0].includes(values.only)) rows.push(await compare(ours, theirs, work))
    await ours.memory.close()
    await theirs.memory.close()
    const head = ['before, ms', 'now, ms', 'medians', 'first tenths', 'pairs', 'times as fast', 'pairs bound']
    console.log(table([`${blocks} blocks`, ...head], rows))
  })
