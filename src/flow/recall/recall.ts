import type { FrameName } from '../../config/frames.ts'
import type { Block } from '../../domain/block/block.ts'
import type { Edge } from '../../domain/graph/edge.ts'
import type { Links, StoreReader } from '../../ports/store/transaction.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Suggestion, suggestConnections } from '../graph/suggest.ts'
import { type Choice, choose, objectionsTo } from './choose.ts'
import { noteRecalled } from './effects.ts'
import { type FindRequest, type Found, find, type MatchQuality } from './find.ts'
import { filterOf, match, type OtherSource } from './match.ts'
import type { Candidate, Dropped } from './rank.ts'
import { type RenderedBlock, renderedBlock, renderFrame, withVersions } from './render.ts'
import { toldApart, type Version } from './versions.ts'

export interface RecallRequest {
  readonly query?: string
  readonly frame: FrameName
  readonly topK?: number
  readonly reinforce: boolean
  readonly tags?: readonly string[]
  readonly category?: string
  readonly session?: string
  readonly minStrength?: number
  readonly tokenBudget?: number
  /** Also name connections that suggest themselves. */
  readonly suggest: boolean
}

export interface RecalledBlock {
  readonly block: Block
  readonly candidate: Candidate
  readonly guaranteed: boolean
  /** Its text was cut to fit the budget. */
  readonly cut: boolean
  /** Other versions that stand under it, newest first; they count for no limit and are not used. */
  readonly versions: readonly RecalledVersion[]
}

/** A block that stands under an entry of the answer. */
interface RecalledVersion {
  readonly block: Block
  readonly why: Version['why']
}

/** A block that contradicts one of the answer; never counted as support. */
export interface Counterpoint {
  readonly block: Block
  /** The block of the answer it contradicts. */
  readonly to: Block
}

/** A suggested connection with both blocks. */
export interface SuggestedConnection extends Suggestion {
  readonly blocks: readonly [source: Block, target: Block]
}

export interface RecallAnswer {
  readonly text: string
  readonly blocks: readonly RecalledBlock[]
  readonly dropped: readonly Dropped[]
  readonly quality: MatchQuality
  /** Of the best match, 0..1; absent without a question. */
  readonly strength?: number
  readonly budgetUsed: number
  readonly budgetTotal: number
  /** Active blocks the frame leaves out by their tags. */
  readonly excludedByFilter: number
  readonly edgesPromoted: number
  /** Edges they evicted. */
  readonly displaced: readonly Edge[]
  readonly counterpoints: readonly Counterpoint[]
  /** Only when asked for. */
  readonly suggestions?: readonly SuggestedConnection[]
  /** Why words alone were used, when they were. */
  readonly wordsOnly?: string
  readonly otherSource?: OtherSource
}

/**
 * Active → what to say now: gather, learn, choose, render, and remember that it was used. At most 8 statements whatever
 * the corpus, one more when an edge brought a block, and at most three more in the recall in which use joins a pair; with
 * `reinforce` false nothing is written.
 */
export async function recall(
  engine: Engine,
  request: RecallRequest,
  context: CallContext,
): Promise<RecallAnswer> {
  const frame = engine.settings.frames[request.frame]
  const topK = request.topK ?? engine.settings.recall.topK
  const question = frame.queryless ? undefined : request.query?.trim() || undefined
  const filter = filterOf(frame, request)

  const reading = await engine.store.read((tx) => engine.index.refresh(tx))
  const { hours } = engine.session.moment(reading)
  const asked = question === undefined ? undefined : await match(engine, question, { topK, filter, context })
  const gathered = await engine.store.read((tx) =>
    gather(engine, tx, question, {
      frame,
      filter,
      hours,
      asked,
      topK,
      minStrength: request.minStrength ?? engine.settings.recall.nothingBelow,
    }),
  )
  const { found, choice } = gathered
  const fitted = fitAnswer(engine, request, choice.chosen, gathered)
  const shown = fitted.shown.map(({ candidate }) => candidate)
  // What a question alone would have dropped, an edge may have brought back.
  const shownIds = new Set(shown.map(({ facts }) => facts.id))
  const guaranteed = new Set(found.guaranteed.map(({ facts }) => facts.id))
  const joined =
    request.reinforce && shown.length > 0
      ? await noteRecalled(engine, context, shown, { guaranteed, reading, frame: request.frame })
      : { promoted: 0, displaced: [] }
  engine.served.note(
    fitted.shown.flatMap(({ block }) => [
      ...versionsUnder(gathered, block.id).map((each) => each.block),
      block,
    ]),
  )
  const suggestions = request.suggest ? { suggestions: await suggest(engine, [...shownIds], hours) } : {}
  return {
    text: fitted.text,
    blocks: fitted.shown.map(({ block, candidate, cut }) => ({
      block,
      candidate,
      cut,
      versions: versionsUnder(gathered, block.id),
      guaranteed: guaranteed.has(block.id),
    })),
    dropped: [...found.dropped, ...choice.dropped, ...fitted.dropped].filter(({ id }) => !shownIds.has(id)),
    quality: found.quality,
    ...(found.strength === undefined ? {} : { strength: found.strength }),
    budgetUsed: fitted.used,
    budgetTotal: fitted.budget,
    excludedByFilter: engine.index.countTagged(frame.exclude),
    edgesPromoted: joined.promoted,
    displaced: joined.displaced,
    counterpoints: gathered.counterpoints.filter(({ to }) => shownIds.has(to.id)),
    ...suggestions,
    ...(found.wordsOnly === undefined ? {} : { wordsOnly: found.wordsOnly }),
    ...(found.otherSource === undefined ? {} : { otherSource: found.otherSource }),
  }
}

/** Input of rendering: what was found and chosen, the blocks, and those that contradict them. */
interface Gathered {
  readonly found: Found
  readonly choice: Choice
  readonly blocks: ReadonlyMap<string, Block>
  readonly counterpoints: readonly Counterpoint[]
}

async function gather(
  engine: Engine,
  tx: StoreReader,
  question: string | undefined,
  request: FindRequest,
): Promise<Gathered> {
  const { graph } = engine.settings
  const found = await find(engine, tx, request)
  const { guaranteed, pairs } = found
  const isTold = await toldApart(engine, tx, question, found)
  const choice = choose(found.ranked, { guaranteed, pairs, isTold, topK: request.topK })
  const chosen = choice.chosen.map(({ facts }) => facts.id)
  const links = await withBrought(tx, found, choice.chosen)
  const objections = objectionsTo(chosen, { ...links, most: graph.counterpoints })
  const versions = [...choice.versions.values()].flatMap((each) => each.map(({ id }) => id))
  const all = await tx.blocks([...chosen, ...versions, ...objections.map(({ id }) => id)])
  const blocks = new Map(all.map((block) => [block.id, block]))
  const counterpoints = objections.flatMap(({ id, to }) => {
    const [block, against] = [blocks.get(id), blocks.get(to)]
    return block?.status === 'active' && against ? [{ block, to: against }] : []
  })
  return { found, choice, blocks, counterpoints }
}

/** Other versions under a block of the answer, as far as they still are active. */
function versionsUnder(
  { choice, blocks }: Pick<Gathered, 'choice' | 'blocks'>,
  id: string,
): RecalledVersion[] {
  return (choice.versions.get(id) ?? []).flatMap(({ id: other, why }) => {
    const block = blocks.get(other)
    return block?.status === 'active' ? [{ block, why }] : []
  })
}

/** Edges and pairs around all that is chosen: what an edge brought was not looked up yet. */
async function withBrought(tx: StoreReader, found: Found, chosen: readonly Candidate[]): Promise<Links> {
  const brought = chosen.filter(({ path, match }) => path && !match).map(({ facts }) => facts.id)
  if (brought.length === 0) return found
  const more = await tx.links(brought)
  return { edges: [...found.edges, ...more.edges], pairs: [...found.pairs, ...more.pairs] }
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

interface Fit {
  readonly text: string
  readonly shown: readonly { readonly block: Block; readonly candidate: Candidate; readonly cut: boolean }[]
  readonly dropped: readonly Dropped[]
  readonly used: number
  readonly budget: number
}

function fitAnswer(
  engine: Engine,
  request: RecallRequest,
  chosen: readonly Candidate[],
  { choice, blocks, counterpoints }: Pick<Gathered, 'choice' | 'blocks' | 'counterpoints'>,
): Fit {
  const budget = request.tokenBudget ?? engine.settings.frames[request.frame].tokenBudget
  const candidates = new Map(
    chosen.filter(({ facts }) => blocks.has(facts.id)).map((candidate) => [candidate.facts.id, candidate]),
  )
  const { agentName } = engine.settings.project
  const fitted = renderFrame(
    [
      ...[...candidates.keys()].map((id) => {
        const block = blocks.get(id) as Block
        return withVersions(renderedBlock(block, agentName), block, versionsUnder({ choice, blocks }, id))
      }),
      ...counterpoints.map(({ block }) => ({
        ...renderedBlock(block, agentName),
        counterpoint: true as const,
      })),
    ],
    { frame: request.frame, agentName, budget },
  )
  const isAnswer = ({ counterpoint }: RenderedBlock) => counterpoint === undefined
  return {
    text: fitted.text,
    shown: fitted.shown.filter(isAnswer).map(({ id }, i) => ({
      block: blocks.get(id) as Block,
      candidate: candidates.get(id) as Candidate,
      cut: fitted.cutFirst && i === 0,
    })),
    dropped: fitted.dropped.filter(isAnswer).map(({ id }) => ({
      id,
      reason: 'token_budget',
      score: (candidates.get(id) as Candidate).score,
    })),
    used: fitted.used,
    budget,
  }
}
