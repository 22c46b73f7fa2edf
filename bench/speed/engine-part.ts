import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openSqliteStore } from '../../src/adapters/sqlite/store.ts'
import { type Memory, openMemory } from '../../src/index.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { type SharedEmbedder, shareEmbedder } from '../lib/shared-embedder.ts'
import { questionAbout, sentence } from './sentences.ts'
import { type Timing, timed, timeEach } from './timed.ts'

/** What the engine takes at one size, question vectors given. Times in milliseconds. */
export interface EnginePart {
  readonly blocks: number
  /** Whole call, durable, into a memory of this size. */
  readonly remember: Timing
  /** Blocks a second, hashing embedder, the last of them into a memory of this size. */
  readonly dream: number
  readonly recall: Readonly<Record<'attention' | 'task' | 'simulate' | 'self' | 'attentionLook', Timing>>
  readonly statementsPerRecall: number
  readonly outcome: Timing
  readonly curate: number
  /** Opening the file and the first recall, code already loaded. */
  readonly openAndRecall: number
  /** Of this process so far, in megabytes. */
  readonly peakMegabytes: number
}

const MEASURED = 500
const QUESTIONS = 200

/**
 * Cheap vectors under the name of the shipped model, so that the memory made here can be served with that model: its
 * questions then cost what they cost, though what they find means nothing.
 */
function cheapEmbedder(): SharedEmbedder {
  return shareEmbedder({ ...createHashingEmbedder(), model: 'all-MiniLM-L6-v2-int8' })
}

/** Fills a new memory at `path` with `blocks` sentences and measures every operation on it. */
export async function measureEngine(
  path: string,
  blocks: number,
  log: (line: string) => void,
): Promise<EnginePart> {
  const embedder = cheapEmbedder()
  const questions = Array.from({ length: QUESTIONS }, (_, i) => questionAbout((i * 7_919) % blocks))
  await embedder.vectorsOf(questions)
  const store = await openSqliteStore(path)
  try {
    await using memory = await openMemory(path, { store, embedder, config: {} })
    log(`${blocks} blocks: filling`)
    const last = Math.min(MEASURED, Math.floor(blocks / 2))
    for (let i = 0; i < blocks - last; i++) await memory.remember(placed(i))
    await memory.setup({ seed: true })
    await dreamAll(memory)
    const remember = await timeEach(numbers(blocks - last, blocks), (i) => memory.remember(placed(i)))
    const { promoted, seconds } = await dreamAll(memory)
    log(`${blocks} blocks: recalling`)
    const recall = await measureRecall(memory, questions)
    const before = store.statements
    for (const query of questions) await memory.recall({ query })
    const statementsPerRecall = (store.statements - before) / questions.length
    const outcome = await measureOutcome(memory, questions)
    const curate = await timed(() => memory.curate())
    const openAndRecall = await reopen(path, { embedder, query: questions[0] as string })
    return {
      blocks,
      remember,
      dream: promoted / seconds,
      recall,
      statementsPerRecall,
      outcome,
      curate,
      openAndRecall,
      peakMegabytes: process.resourceUsage().maxRSS / 1024,
    }
  } finally {
    await store.close()
  }
}

/** Twenty sentences a session, as an agent's work would leave them. */
function placed(i: number) {
  return { content: sentence(i), session: `session-${Math.floor(i / 20)}` }
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i)
}

async function measureRecall(memory: Memory, questions: readonly string[]): Promise<EnginePart['recall']> {
  for (const query of questions.slice(0, 20)) await memory.recall({ query })
  const frame = (name: 'attention' | 'task' | 'simulate' | 'self') =>
    timeEach(questions, (query) => memory.recall({ query, frame: name }))
  return {
    attention: await frame('attention'),
    task: await frame('task'),
    simulate: await frame('simulate'),
    self: await frame('self'),
    attentionLook: await timeEach(questions, (query) => memory.recall({ query, reinforce: false })),
  }
}

async function measureOutcome(memory: Memory, questions: readonly string[]): Promise<Timing> {
  const answers: string[][] = []
  for (const query of questions.slice(0, 100)) {
    const { blockIds } = await memory.recall({ query, reinforce: false })
    if (blockIds.length >= 3) answers.push(blockIds)
  }
  return timeEach(answers, ([first = '', second = '', ...rest]) =>
    memory.outcome({ helped: [first, second], notHelped: rest.slice(-1) }),
  )
}

async function reopen(
  path: string,
  { embedder, query }: { embedder: SharedEmbedder; query: string },
): Promise<number> {
  return timed(async () => {
    await using memory = await openMemory(path, { embedder, config: {} })
    await memory.recall({ query, reinforce: false })
  })
}
