import type { FrameName } from '../../config/frames.ts'
import type { Block } from '../../domain/block/block.ts'
import { mayHoldTogether } from '../../domain/block/validity/validity.ts'
import type { Edge } from '../../domain/graph/edge.ts'
import { bestPassage, type Passage } from '../../domain/text/passage.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { readOutdated } from '../blocks/grounds.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Suggestion, suggestConnections } from '../graph/suggest.ts'
import {
  type Choice,
  choose,
  disputesAmong,
  objectionsTo,
  type Unmatched,
  unmatchedFilters,
} from './choose.ts'
import { findInSession, frameFilter, noteRecalled } from './effects.ts'
import { type Entry, entryOf } from './entry.ts'
import { type Asserted, answerSize, type FindRequest, type Found, find, type MatchQuality } from './find.ts'
import { filterOf, match, readIndex } from './match.ts'
import type { Dropped } from './rank.ts'
import { type Counterpoint, type FittedEntry, fitAnswer, type LeftOutOfText, leavingOut } from './render.ts'
import { replacedBy } from './versions/replaced.ts'
import { readTies, withBrought } from './versions/ties.ts'

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
  /** Ids of entries that contradict each other. */
  readonly disputes: readonly (readonly [string, string])[]
  /** Only when asked for. */
  readonly suggestions?: readonly SuggestedConnection[]
  /** Blocks that wait and only words find; absent when there are none, or without a question. */
  readonly waitingWithoutVector?: number
}

/**
 * Active → what to say now: gather, learn, choose, render, and remember that it was used. At most 9 statements whatever
 * the corpus, one more when an edge brought a block, two more when pairs tie what was found, and at most three more in the recall in which use joins a pair; with
 * `reinforce` false nothing is written.
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
  const fitted = fitAnswer(gathered, {
    ...{ frame: request.frame, agentName, budget, at },
    ids: request.ids === true,
    ...(question !== undefined && { passageOf: (text) => passageIn(engine, text, question) }),
  })
  const noted =
    request.reinforce && fitted.shown.length > 0
      ? await noteRecalled(engine, context, fitted.shown, {
          ...{ quality, onlyNear: found.onlyNear, reading },
          ...{ frame: request.frame, suggest: request.suggest, question, asked: asked?.kept },
        })
      : { recallId: undefined, promoted: 0, displaced: [] }
  engine.served.note(fitted.text, blocksOf(gathered))
  const ids = fitted.shown.map(({ block }) => block.id)
  const counterpoints = gathered.counterpoints.filter(({ to }) => ids.includes(to.id))
  return {
    at,
    text: fitted.text,
    blocks: fitted.shown,
    dropped: withoutShown([...gathered.dropped, ...fitted.dropped], fitted.shown, counterpoints),
    quality,
    strength,
    probability,
    wordsOnly,
    otherSource,
    budgetUsed: fitted.used,
    budgetTotal: budget,
    active: engine.index.size,
    unmatched: fitted.shown.some((each) => !each.guaranteed)
      ? undefined
      : unmatchedFilters(engine.index, request, filterOf(frame, {})),
    excludedByFilter: engine.index.counts.countTagged(frame.exclude),
    recallId: noted.recallId,
    ...{ edgesPromoted: noted.promoted, displaced: noted.displaced, counterpoints },
    disputes: gathered.disputes.filter((both) => both.every((id) => ids.includes(id))),
    ...(request.suggest ? { suggestions: await suggest(engine, ids, hours) } : {}),
    ...(asked && engine.index.waiting.lacking > 0
      ? { waitingWithoutVector: engine.index.waiting.lacking }
      : {}),
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
      return source?.status === 'active' && target?.status === 'active'
        ? [{ ...suggestion, blocks: [source, target] as const }]
        : []
    })
  })
}

/** The found and chosen candidates, with the blocks. */
interface Gathered {
  readonly found: Found
  readonly entries: readonly Entry[]
  readonly counterpoints: readonly Counterpoint[]
  /** Ids of entries that contradict each other, since the question names something of each. */
  readonly disputes: readonly (readonly [string, string])[]
  readonly dropped: readonly Dropped[]
  readonly leftWith: Choice['leftWith']
}

/** The match qualities of an answer that bears on the question, or on the frame if nothing is asked. */
const BEARS: ReadonlySet<MatchQuality> = new Set(['match', 'weak', 'unasked'])

/** Finds, chooses and reads the blocks of an answer. */
async function gather(
  engine: Engine,
  tx: StoreReader,
  question: string | undefined,
  request: FindRequest,
): Promise<Gathered> {
  const { graph, recall } = engine.settings
  const inSession = request.frame.sessionOnly && question === undefined
  const found = inSession ? await findInSession(engine, tx, request.filter) : await find(engine, tx, request)
  const ties = await readTies(engine, tx, { ...request, question, found })
  const choice = choose(found.ranked, {
    guaranteed: found.guaranteed,
    ties,
    versionsMost: recall.versionsMost,
    sizeOf: (entries) => answerSize(recall.topK, request, found.quality, entries),
  })
  const guaranteed = new Set(found.guaranteed.map(({ facts }) => facts.id))
  const chosen = choice.chosen.map(({ facts }) => facts.id)
  const bearing = BEARS.has(found.quality) ? chosen.filter((id) => !guaranteed.has(id)) : []
  const past = request.asked?.past
  const under = past === undefined ? choice.versions : choice.under
  const versionsOf = (id: string) => (under.get(id) ?? []).map((each) => each.id)
  const versions = chosen.flatMap(versionsOf)
  const visible = new Set([...chosen, ...versions])
  const links = await withBrought(tx, { ...found, pairs: ties.pairs }, choice.chosen)
  const objections = objectionsTo(bearing, links, {
    isVisible: (id) => visible.has(id),
    most: graph.counterpoints,
  })
  const wanted = [...visible, ...objections.map(({ id }) => id)]
  const blocks = await livingBlocks(tx, wanted, ties.blocks)
  const heads = chosen.flatMap((id) => blocks.get(id) ?? [])
  const chains = heads.map((entry) => ({
    entry,
    versions: versionsOf(entry.id).flatMap((id) => blocks.get(id) ?? []),
  }))
  const replaced = await replacedBy(tx, chains, {
    filter: request.filter,
    isVisible: (id) => visible.has(id),
    isOfPast: past !== undefined,
  })
  const outdated = await readOutdated(tx, chosen, request.at)
  const ranked = new Map(found.ranked.map((each) => [each.facts.id, each]))
  const candidateOf = (id: string) => ranked.get(id)
  return {
    found,
    entries: choice.chosen.flatMap((candidate) =>
      entryOf(engine, candidate, {
        ...{ choice, blocks, guaranteed, replaced, outdated, past },
        ...{ namedIn: ties.namedIn, candidateOf },
      }),
    ),
    counterpoints: objections.flatMap(({ id, to }) => {
      const [block, against] = [blocks.get(id), blocks.get(to)]
      return block && against && mayHoldTogether(block, against) ? [{ block, to: against }] : []
    }),
    disputes: disputesAmong(chosen, links).filter((both) => {
      const [one, other] = both.map((id) => blocks.get(id))
      return !one || !other || mayHoldTogether(one, other)
    }),
    dropped: [...found.dropped, ...choice.dropped],
    leftWith: choice.leftWith,
  }
}

/** The living ones of some blocks by their ids; those that were not read before in one statement. */
async function livingBlocks(
  tx: StoreReader,
  wanted: readonly string[],
  known: ReadonlyMap<string, Block>,
): Promise<ReadonlyMap<string, Block>> {
  const missing = await tx.blocks(wanted.filter((id) => !known.has(id)))
  const all = [...wanted.flatMap((id) => known.get(id) ?? []), ...missing]
  return new Map(all.filter(({ status }) => status !== 'archived').map((block) => [block.id, block]))
}

/** All blocks that may stand in the text of an answer. */
function blocksOf({ entries, counterpoints }: Gathered): Block[] {
  return [
    ...entries.flatMap(({ block, versions, outdated }) => [
      block,
      ...versions.map((each) => each.block),
      ...outdated.map(({ ground }) => ground),
    ]),
    ...counterpoints.map(({ block }) => block),
  ]
}
