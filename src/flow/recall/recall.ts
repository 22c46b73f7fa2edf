import type { FrameName } from '../../config/frames.ts'
import type { Block } from '../../domain/block/block.ts'
import type { Edge } from '../../domain/graph/edge.ts'
import { bestPassage, type Passage } from '../../domain/text/passage.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Suggestion, suggestConnections } from '../graph/suggest.ts'
import { type Unmatched, unmatchedFilters } from './choose.ts'
import { frameFilter, noteRecalled } from './effects.ts'
import { type Absence, absenceOf } from './explain/absence.ts'
import { type Explained, type ExplainedCandidate, explainCandidates } from './explain/candidates.ts'
import type { Asserted } from './find.ts'
import { blocksOf, gather } from './gather.ts'
import { filterOf, match, readIndex } from './match.ts'
import type { Dropped } from './rank.ts'
import { type Counterpoint, type FittedEntry, fitAnswer, type LeftOutOfText, leavingOut } from './render.ts'

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
export interface RecallAnswer extends Asserted {
  /** The time it is for, ISO-8601 UTC. */
  readonly at: string
  readonly text: string
  readonly blocks: readonly FittedEntry[]
  readonly dropped: readonly Dropped[]
  readonly budgetUsed: number
  readonly budgetTotal: number
  /** Blocks that can be recalled. */
  readonly active: number
  /** When nothing but what the frame guarantees is shown, and filters of the call are why. */
  readonly unmatched: Unmatched | undefined
  /** Active blocks the frame leaves out by their tags. */
  readonly excludedByFilter: number
  /** Of its entry in the log; absent when nothing was shown or written. */
  readonly recallId: number | undefined
  readonly edgesPromoted: number
  /** Edges they evicted. */
  readonly displaced: readonly Edge[]
  readonly counterpoints: readonly Counterpoint[]
  /** Only when asked for. */
  readonly suggestions?: readonly SuggestedConnection[]
  /** Blocks that wait and only words find; absent when there are none, or without a question. */
  readonly waitingWithoutVector?: number
  /** Only when asked for. */
  readonly explained?: Explanation
}

/** The candidates of a recall in the order of its answer, and why others are none. */
interface Explanation {
  readonly candidates: readonly ExplainedCandidate[]
  readonly absenceOf: (block: Block) => Promise<Absence>
}

/**
 * Active → what to say now: gather, learn, choose, render, and remember that it was used. At most 11 statements whatever
 * the corpus, one more when an edge brought a block, one when pairs lead to blocks that were not found, and at most three more when use
 * joins a pair; with `reinforce` false nothing is written.
 */
export async function recall(
  engine: Engine,
  request: RecallRequest,
  context: CallContext,
): Promise<RecallAnswer> {
  const frame = engine.settings.frames[request.frame]
  const { topK, minStrength } = request
  const question = frame.queryless ? undefined : request.query?.trim() || undefined

  const reading = await (question === undefined
    ? engine.store.read((tx) => engine.index.refresh(tx))
    : readIndex(engine))
  const filter = await frameFilter(engine, frame, request)
  const { hours, at: now } = engine.session.moment(reading)
  const { at = now } = request
  const isKept = request.reinforce
  const asked =
    question === undefined ? undefined : await match(engine, question, { topK, filter, isKept, context })
  const all = await engine.store.read(
    (tx) => gather(engine, tx, question, { frame, filter, hours, at, asked, topK, minStrength }),
    { again: true, brief: true },
  )
  const gathered = leavingOut(all, request, engine.ids.sha256)
  const { found } = gathered
  const { quality, strength, probability, wordsOnly, otherSource } = found
  const budget = request.tokenBudget ?? frame.tokenBudget
  const { agentName } = engine.settings.project
  const framing = { frame: request.frame, agentName, at, ids: request.ids === true }
  const fitted = fitAnswer(gathered, {
    ...framing,
    budget,
    ...(question !== undefined && { passageOf: (text) => passageIn(engine, text, question) }),
  })
  const noted =
    request.reinforce && fitted.shown.length > 0
      ? await noteRecalled(engine, context, fitted.shown, {
          ...{ quality, brought: gathered.brought, reading },
          ...{ frame: request.frame, suggest: request.suggest, question, asked: asked?.kept },
        })
      : { recallId: undefined, promoted: 0, displaced: [] }
  engine.served.note(fitted.text, blocksOf(gathered))
  const ids = fitted.shown.map(({ block }) => block.id)
  const counterpoints = gathered.counterpoints.filter(({ to }) => ids.includes(to.id))
  const dropped = withoutShown([...gathered.dropped, ...fitted.dropped], fitted.shown, counterpoints)
  const of = { all, kept: gathered, fitted, counterpoints, dropped, asked, filter, framing }
  return {
    at,
    text: fitted.text,
    blocks: fitted.shown,
    dropped,
    ...{ quality, strength, probability, wordsOnly, otherSource },
    budgetUsed: fitted.used,
    budgetTotal: budget,
    active: engine.index.size,
    unmatched: fitted.shown.some((each) => !each.guaranteed)
      ? undefined
      : unmatchedFilters(engine.index, request, filterOf(frame, {})),
    excludedByFilter: engine.index.counts.countTagged(frame.exclude),
    recallId: noted.recallId,
    ...{ edgesPromoted: noted.promoted, displaced: noted.displaced, counterpoints },
    ...(request.suggest ? { suggestions: await suggest(engine, ids, hours) } : {}),
    ...(asked && engine.index.waiting.lacking > 0
      ? { waitingWithoutVector: engine.index.waiting.lacking }
      : {}),
    ...(request.explain ? { explained: await explanationOf(engine, of) } : {}),
  }
}

async function explanationOf(engine: Engine, of: Explained): Promise<Explanation> {
  return {
    candidates: await engine.store.read((tx) => explainCandidates(engine, tx, of)),
    absenceOf: (block) => engine.store.read((tx) => absenceOf(engine, tx, block, of)),
  }
}

/** The sentence of a text that has most of the question's words. */
function passageIn({ analysis: { language } }: Engine, text: string, question: string): Passage | undefined {
  return bestPassage(text, language.terms(question), language.terms)
}

/** Without what an edge or a version brought back that the question alone would have dropped. */
function withoutShown(
  dropped: readonly Dropped[],
  entries: readonly FittedEntry[],
  counterpoints: readonly Counterpoint[],
): Dropped[] {
  const shown = new Set([
    ...entries.flatMap(({ block, versions }) => [block.id, ...versions.map((each) => each.block.id)]),
    ...counterpoints.map(({ block }) => block.id),
  ])
  return dropped.filter(({ id }) => !shown.has(id))
}

async function suggest(
  engine: Engine,
  shown: readonly string[],
  hours: number,
): Promise<SuggestedConnection[]> {
  return engine.store.read(async (tx) => {
    const suggestions = await suggestConnections(engine, tx, shown, hours)
    const ids = suggestions.flatMap(({ source, target }) => [source, target])
    const blocks = new Map((ids.length === 0 ? [] : await tx.blocks(ids)).map((block) => [block.id, block]))
    return suggestions.flatMap((suggestion) => {
      const [source, target] = [blocks.get(suggestion.source), blocks.get(suggestion.target)]
      return source && target && source.status !== 'archived' && target.status !== 'archived'
        ? [{ ...suggestion, blocks: [source, target] as const }]
        : []
    })
  })
}
