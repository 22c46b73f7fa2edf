import { statSync } from 'node:fs'
import { openMemory } from '../../src/index.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { cheapEmbedder, type SharedEmbedder, shareEmbedder } from '../lib/embedders.ts'
import { placed } from './filled.ts'
import { questionAbout } from './sentences.ts'
import { type Timing, timed, timeEach, timing } from './timed.ts'

export const FRAMES = ['attention', 'task', 'simulate', 'self'] as const
type Frames = Readonly<Record<(typeof FRAMES)[number], Timing>>

/** The cost of the engine at one size, question vectors given. Times in milliseconds. */
export interface EnginePart {
  readonly blocks: number
  readonly fileMegabytes: number
  /** Opening the file, nothing read yet; code already loaded. */
  readonly open: Timing
  /** The first recall after that, which loads the index. */
  readonly firstRecall: Timing
  /** Whole call, durable, into a memory of this size. */
  readonly remember: Timing
  /** Blocks remembered a second, in durable batches of a thousand. */
  readonly rememberMany: number
  /** Until the answer is there; its use is written behind it. */
  readonly recall: Frames
  /** With `reinforce: false`. */
  readonly look: Frames
  readonly statementsPerRecall: number
  /** Processor time of this process for an attention recall with its effects: what a busy machine does not change. */
  readonly recallCpu: number
  readonly outcome: Timing
  /** Two blocks that were not joined. */
  readonly connect: Timing
  readonly curate: number
  /** Right after the first, with nothing left to do. */
  readonly curateAgain: number
}

/** Recalls timed of each kind, and calls of `remember`. */
const QUESTIONS = 200
const WRITES = 500
const BATCH = 1_000
const BATCHES = 5

/** Measures every operation on the memory at `path`, which holds `blocks` sentences; changes it. */
export async function measureEngine(path: string, blocks: number, openings: number): Promise<EnginePart> {
  const embedder = shareEmbedder(cheapEmbedder())
  const questions = numbers(QUESTIONS).map((i) => questionAbout((i * 7_919) % blocks))
  await embedder.vectorsOf(questions)
  const opening = await measureOpening(path, embedder, questions.slice(0, openings))
  const store = await openSqliteStore(path)
  await using memory = await openMemory(path, { store, embedder, config: {} })
  for (const query of questions.slice(0, 20)) await memory.recall({ query })
  const eachFrame = async (options: object) => {
    const times: Partial<Record<keyof Frames, Timing>> = {}
    for (const frame of FRAMES)
      times[frame] = await timeEach(questions, (query) => memory.recall({ query, frame, ...options }))
    return times as Frames
  }
  const [recall, look] = [await eachFrame({}), await eachFrame({ reinforce: false })]
  const before = store.statements
  const cpu = process.cpuUsage()
  for (const query of questions) await memory.recall({ query })
  const { user, system } = process.cpuUsage(cpu)
  const statementsPerRecall = (store.statements - before) / QUESTIONS
  const answers: string[][] = []
  for (const query of questions.slice(0, 100))
    answers.push((await memory.recall({ query, reinforce: false })).blockIds)
  const long = answers.filter(({ length }) => length >= 3)
  const outcome = await timeEach(long, ([first = '', second = '', ...rest]) =>
    memory.outcome({ helped: [first, second], beside: rest.slice(-1) }),
  )
  // The last blocks of two answers are joined, since nothing has joined these before.
  const last = long.map((ids) => ids.at(-1) as string)
  const pairs = last.map((source, i) => ({ source, target: last[(i + 1) % last.length] as string }))
  const connect = await timeEach(
    pairs.filter(({ source, target }) => source !== target),
    (pair) => memory.connect({ ...pair, relation: 'supports', ifExists: 'skip' }),
  )
  const [curate, curateAgain] = [await timed(() => memory.curate()), await timed(() => memory.curate())]
  // This runs last, because its waiting blocks would be found by the other questions.
  const remember = await timeEach(numbers(WRITES), (i) => memory.remember(placed(blocks + i)))
  const batches = numbers(BATCHES).map((i) =>
    numbers(BATCH).map((j) => placed(blocks + WRITES + i * BATCH + j)),
  )
  const { p50 } = await timeEach(batches, (batch) => memory.rememberMany({ blocks: batch }))
  return {
    ...{ blocks, ...opening, recall, look, statementsPerRecall, outcome, connect, curate, curateAgain },
    ...{ remember, rememberMany: (1000 * BATCH) / p50, recallCpu: (user + system) / 1000 / QUESTIONS },
    fileMegabytes: statSync(path).size / 1e6,
  }
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i)
}

async function measureOpening(path: string, embedder: SharedEmbedder, questions: readonly string[]) {
  const [open, firstRecall]: [number[], number[]] = [[], []]
  for (const query of questions) {
    const started = performance.now()
    await using memory = await openMemory(path, { embedder, config: {} })
    open.push(performance.now() - started)
    firstRecall.push(await timed(() => memory.recall({ query, reinforce: false })))
  }
  return { open: timing(open), firstRecall: timing(firstRecall) }
}
