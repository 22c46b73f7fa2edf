import { statSync } from 'node:fs'
import { type Memory, openMemory } from '../../src/index.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { type SharedEmbedder, shareEmbedder } from '../lib/shared-embedder.ts'
import { cheapEmbedder } from './cheap-embedder.ts'
import { placed } from './filled.ts'
import { questionAbout } from './sentences.ts'
import { type Timing, timed, timeEach, timing } from './timed.ts'

export const FRAMES = ['attention', 'task', 'simulate', 'self'] as const
type Frame = (typeof FRAMES)[number]

/** What the engine takes at one size, question vectors given. Times in milliseconds. */
export interface EnginePart {
  readonly blocks: number
  readonly fileMegabytes: number
  /** Opening the file, nothing read yet; code already loaded. */
  readonly open: Timing
  /** The first recall after that, which loads the index. */
  readonly firstRecall: Timing
  /** Whole call, durable, into a memory of this size. */
  readonly remember: Timing
  /** Blocks a second in batches of a thousand, durable. */
  readonly rememberMany: number
  /** Until the answer is there; its use is written behind it. */
  readonly recall: Readonly<Record<Frame, Timing>>
  /** With `reinforce: false`. */
  readonly look: Readonly<Record<Frame, Timing>>
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
  const questions = Array.from({ length: QUESTIONS }, (_, i) => questionAbout((i * 7_919) % blocks))
  await embedder.vectorsOf(questions)
  const opening = await measureOpening(path, { embedder, questions, openings })
  const store = await openSqliteStore(path)
  try {
    await using memory = await openMemory(path, { store, embedder, config: {} })
    for (const query of questions.slice(0, 20)) await memory.recall({ query })
    const recall = await eachFrame((frame) => timeEach(questions, (query) => memory.recall({ query, frame })))
    const look = await eachFrame((frame) =>
      timeEach(questions, (query) => memory.recall({ query, frame, reinforce: false })),
    )
    const before = store.statements
    const cpu = process.cpuUsage()
    for (const query of questions) await memory.recall({ query })
    const { user, system } = process.cpuUsage(cpu)
    const statementsPerRecall = (store.statements - before) / questions.length
    const answers = await answersTo(memory, questions)
    const graph = {
      outcome: await measureOutcome(memory, answers),
      connect: await measureConnect(memory, answers),
      curate: await timed(() => memory.curate()),
      curateAgain: await timed(() => memory.curate()),
    }
    // Last, because what waits is found too, but cannot be joined.
    const remember = await timeEach(numbers(WRITES), (i) => memory.remember(placed(blocks + i)))
    const rememberMany = await measureBatches(memory, blocks + WRITES)
    return {
      blocks,
      fileMegabytes: statSync(path).size / 1e6,
      ...opening,
      remember,
      rememberMany,
      recall,
      look,
      statementsPerRecall,
      recallCpu: (user + system) / 1000 / questions.length,
      ...graph,
    }
  } finally {
    await store.close()
  }
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i)
}

async function measureBatches(memory: Memory, from: number): Promise<number> {
  const batches = numbers(BATCHES).map((i) => numbers(BATCH).map((j) => placed(from + i * BATCH + j)))
  const { p50 } = await timeEach(batches, (blocks) => memory.rememberMany({ blocks }))
  return (1000 * BATCH) / p50
}

async function eachFrame(measure: (frame: Frame) => Promise<Timing>): Promise<Record<Frame, Timing>> {
  const times: Partial<Record<Frame, Timing>> = {}
  for (const frame of FRAMES) times[frame] = await measure(frame)
  return times as Record<Frame, Timing>
}

async function measureOpening(
  path: string,
  {
    embedder,
    questions,
    openings,
  }: { readonly embedder: SharedEmbedder; readonly questions: readonly string[]; readonly openings: number },
): Promise<Pick<EnginePart, 'open' | 'firstRecall'>> {
  const open: number[] = []
  const firstRecall: number[] = []
  for (const query of questions.slice(0, openings)) {
    const started = performance.now()
    await using memory = await openMemory(path, { embedder, config: {} })
    open.push(performance.now() - started)
    firstRecall.push(await timed(() => memory.recall({ query, reinforce: false })))
  }
  return { open: timing(open), firstRecall: timing(firstRecall) }
}

/** The blocks that each question finds, where it finds three or more. */
async function answersTo(memory: Memory, questions: readonly string[]): Promise<string[][]> {
  const answers: string[][] = []
  for (const query of questions.slice(0, 100)) {
    const { blockIds } = await memory.recall({ query, reinforce: false })
    if (blockIds.length >= 3) answers.push(blockIds)
  }
  return answers
}

function measureOutcome(memory: Memory, answers: readonly string[][]): Promise<Timing> {
  return timeEach(answers, ([first = '', second = '', ...rest]) =>
    memory.outcome({ helped: [first, second], beside: rest.slice(-1) }),
  )
}

/** The last found of one answer with the last found of the next, which nothing has joined. */
function measureConnect(memory: Memory, answers: readonly string[][]): Promise<Timing> {
  const last = answers.map((ids) => ids.at(-1) as string)
  const pairs = last.map((source, i) => [source, last[(i + 1) % last.length] as string] as const)
  const different = pairs.filter(([source, target]) => source !== target)
  return timeEach(different, ([source, target]) =>
    memory.connect({ source, target, relation: 'supports', ifExists: 'skip' }),
  )
}
