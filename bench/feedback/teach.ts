import { type Memory, openMemory } from '../../src/index.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import type { Random } from '../lib/random.ts'
import type { SharedEmbedder } from '../lib/shared-embedder.ts'
import type { Asked, FeedbackStore } from './stores.ts'

/**
 * What is reported after a question: `all`: what answers helped, all else that was shown did not; `helped`: only what
 * answers; `first`: only of the first block whether it helped.
 */
export const MODES = ['all', 'helped', 'first'] as const
export type Mode = (typeof MODES)[number]

export interface Teaching {
  readonly mode: Mode
  /** How often each question of the taught half is asked and reported on. */
  readonly rounds: number
  /** Share of the judgements that say the opposite, and the luck by which. */
  readonly wrong?: { readonly share: number; readonly random: Random }
  readonly config?: object
}

/** Questions whose note comes first, before and after one half of the questions was taught. */
export interface Taught {
  readonly taught: readonly [before: number, after: number]
  readonly untaught: readonly [before: number, after: number]
}

/** Fills a memory, asks all, teaches one half and asks all again. */
export async function teachHalf(
  store: FeedbackStore,
  isTaught: (place: number) => boolean,
  teaching: Teaching,
  embedder: SharedEmbedder,
): Promise<Taught> {
  const { rounds, config = {} } = teaching
  await using memory = await openMemory(':memory:', { embedder, clock: fixedClock, config })
  for (const [i, content] of store.notes.entries()) await memory.remember({ content, session: `note-${i}` })
  await dreamAll(memory)
  const halves = [true, false].map((wanted) => store.asked.filter((_, i) => isTaught(i) === wanted))
  const [taught = [], untaught = []] = halves
  const before = [await hits(memory, taught), await hits(memory, untaught)] as const
  for (let round = 0; round < rounds; round++)
    for (const asked of taught) await report(memory, asked, teaching)
  return {
    taught: [before[0], await hits(memory, taught)],
    untaught: [before[1], await hits(memory, untaught)],
  }
}

async function hits(memory: Memory, asked: readonly Asked[]): Promise<number> {
  let found = 0
  for (const { question, note } of asked) {
    const { blocks } = await memory.recall({ query: question, reinforce: false })
    if (blocks[0]?.content === note) found++
  }
  return found
}

async function report(memory: Memory, { question, note }: Asked, { mode, wrong }: Teaching): Promise<void> {
  const { blocks } = await memory.recall({ query: question })
  const about = mode === 'first' ? blocks.slice(0, 1) : blocks
  const judged = about.map(({ id, content }) => {
    const isFlipped = wrong !== undefined && wrong.random.next() < wrong.share
    return { id, helped: (content === note) !== isFlipped }
  })
  await tell(memory, judged, mode)
}

/** Reports what was judged, as far as the mode says so. */
export async function tell(
  memory: Memory,
  judged: readonly { readonly id: string; readonly helped: boolean }[],
  mode: Mode,
): Promise<void> {
  const helped = judged.flatMap((each) => (each.helped ? [each.id] : []))
  const beside = mode === 'helped' ? [] : judged.flatMap((each) => (each.helped ? [] : [each.id]))
  if (helped.length + beside.length === 0) return
  await memory.outcome({
    ...(helped.length > 0 ? { helped } : {}),
    ...(beside.length > 0 ? { beside } : {}),
  })
}
