import type { Block } from '../block/block.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import type { FrameName } from '../engine/frames.ts'
import { type Suggestion, suggestConnections } from '../graph/joins.ts'
import { readBlocks } from '../store/blocks.ts'
import {
  type Chosen,
  type Counterpoint,
  choose,
  type LeftOutOfText,
  leaveOut,
  sized,
  type Unmatched,
  unmatchedFilters,
} from './choose.ts'
import { type Noted, noteRecalled } from './effects.ts'
import { type Explanation, explain } from './explain.ts'
import { type Dropped, type Entry, filterOf, frameFilter, match, readIndex } from './match.ts'
import { newerFirst, turnToPast } from './newer.ts'
import { type Asserted, rank } from './rank.ts'
import { render } from './render.ts'
import { addReplaced, groupTold } from './versions.ts'

interface RecallRequest extends LeftOutOfText {
  readonly query?: string | undefined
  readonly frame: FrameName
  readonly topK?: number | undefined
  /** True if the text is to have the id of each block. */
  readonly ids?: boolean
  readonly reinforce: boolean
  readonly tags?: readonly string[] | undefined
  readonly category?: string | undefined
  readonly session?: string | undefined
  /** Nothing that waits for a dream. */
  readonly active?: true | undefined
  readonly minStrength?: number | undefined
  readonly tokenBudget?: number | undefined
  /** True if long blocks are served whole; otherwise the passage that matches best. */
  readonly whole?: boolean
  /** The time it is for, ISO-8601 UTC; now when left out. */
  readonly at?: string | undefined
  /** Also name connections that suggest themselves. */
  readonly suggest: boolean
  /** Also explain every candidate, and what is none; with `reinforce` false. */
  readonly explain?: boolean
}

/** A suggested connection with both blocks. */
export interface SuggestedConnection extends Suggestion {
  readonly blocks: readonly [source: Block, target: Block]
}

/** The rendered text with the blocks in it, what was left out, and what was changed by it. */
export interface RecallAnswer extends Asserted, Noted {
  /** The time it is for, ISO-8601 UTC. */
  readonly at: string
  readonly text: string
  readonly blocks: readonly Entry[]
  readonly dropped: readonly Dropped[]
  readonly budgetUsed: number
  readonly budgetTotal: number
  /** Blocks that can be recalled. */
  readonly active: number
  /** When nothing but what the frame guarantees is shown, and filters of the call are why. */
  readonly unmatched: Unmatched | undefined
  /** Active blocks the frame leaves out by their tags. */
  readonly excludedByFilter: number
  readonly counterpoints: readonly Counterpoint[]
  /** Only when asked for. */
  readonly suggestions?: readonly SuggestedConnection[]
  /** Blocks that wait and only words find; absent when there are none, or without a question. */
  readonly waitingWithoutVector?: number
  /** Only when asked for. */
  readonly explained?: Explanation
}

/**
 * Returns what to say now: matches are ranked, told versions grouped, the likely newer put first, the blocks read, and their text
 * written; then it is noted that they were used. At most 11 statements whatever the corpus, one more when an edge brought a block,
 * one when pairs lead to blocks that were not found, and at most three more when use joins a pair; with `reinforce` false nothing
 * is written.
 */
export async function recall(
  engine: Engine,
  request: RecallRequest,
  context: CallContext,
): Promise<RecallAnswer> {
  const { index, settings, store } = engine
  const frame = settings.frames[request.frame]
  const { topK, minStrength, whole = false, reinforce: isKept } = request
  const question = frame.queryless ? undefined : request.query?.trim() || undefined

  const reading = await (question === undefined ? store.read((tx) => index.refresh(tx)) : readIndex(engine))
  const filter = await frameFilter(engine, frame, request)
  const { hours, at: now } = engine.session.moment(reading)
  const { at = now } = request
  const asked =
    question === undefined ? undefined : await match(engine, question, { topK, filter, isKept, context })
  const all = await store.read(
    async (tx) => {
      const ranked = await rank(engine, tx, { frame, filter, hours, at, asked, topK, minStrength, whole })
      const ordered = await newerFirst(engine, tx, sized(engine, await groupTold(engine, tx, ranked)))
      return turnToPast(await addReplaced(tx, await choose(engine, tx, ordered)))
    },
    { again: true, brief: true },
  )
  const kept = leaveOut(engine, all, request)
  const budgetTotal = request.tokenBudget ?? frame.tokenBudget
  const framing = { frame: request.frame, agentName: settings.project.agentName, ids: request.ids === true }
  const rendered = render(kept, framing, budgetTotal)
  const { shown, text, quality, strength, probability, wordsOnly, counterpoints } = rendered
  const noted =
    isKept && shown.length > 0
      ? await noteRecalled(engine, context, shown, {
          quality,
          reading,
          frame: request.frame,
          suggest: request.suggest,
          question,
          asked: asked?.kept,
        })
      : { recallId: undefined, edgesPromoted: 0, displaced: [] }
  engine.served.note(text, blocksOf(kept))
  const ids = shown.map(({ block }) => block.id)
  const under = shown.flatMap(({ versions }) => versions.map((each) => each.block.id))
  const visible = new Set([...ids, ...under, ...counterpoints.map(({ block }) => block.id)])
  return {
    at,
    text,
    blocks: shown,
    counterpoints,
    // An edge or a version may have brought back what the question alone would have dropped.
    dropped: rendered.dropped.filter(({ id }) => !visible.has(id)),
    quality,
    strength,
    probability,
    wordsOnly,
    budgetUsed: rendered.used,
    budgetTotal,
    active: index.size,
    unmatched: shown.some(({ guaranteed }) => !guaranteed)
      ? undefined
      : unmatchedFilters(index, request, filterOf(frame, {})),
    excludedByFilter: index.countPassing({ include: frame.exclude }),
    ...noted,
    ...(request.suggest && { suggestions: await suggest(engine, ids, hours) }),
    ...(asked && index.lacking.size > 0 && { waitingWithoutVector: index.lacking.size }),
    ...(request.explain && { explained: await explain(engine, { all, rendered, framing }) }),
  }
}

/** All blocks that may stand in the text of an answer. */
function blocksOf({ entries, counterpoints }: Chosen): Block[] {
  return [
    ...entries.flatMap(({ block, versions, outdated }) => [
      block,
      ...versions.map((each) => each.block),
      ...outdated.map(({ ground }) => ground),
    ]),
    ...counterpoints.map(({ block }) => block),
  ]
}

async function suggest(
  engine: Engine,
  shown: readonly string[],
  hours: number,
): Promise<SuggestedConnection[]> {
  return engine.store.read(async (tx) => {
    const suggestions = await suggestConnections(engine, tx, shown, hours)
    const ids = suggestions.flatMap(({ source, target }) => [source, target])
    const read = ids.length === 0 ? [] : await readBlocks(tx, ids)
    const living = new Map(
      read.filter(({ status }) => status !== 'archived').map((block) => [block.id, block]),
    )
    return suggestions.flatMap((suggestion) => {
      const [source, target] = [living.get(suggestion.source), living.get(suggestion.target)]
      return source && target ? [{ ...suggestion, blocks: [source, target] as const }] : []
    })
  })
}
