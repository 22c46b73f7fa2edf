import { ANSWER_SIZE } from '../../../config/match-calibration.ts'
import type { Block, BlockFacts } from '../../../domain/block/block.ts'
import { commonWords, namedWords } from '../../../domain/conflict/slot/named-words.ts'
import { type BlockPair, orderedPair } from '../../../domain/graph/edge.ts'
import { countsAt, tieOf } from '../../../domain/versions/tie.ts'
import type { Tie, Ties } from '../../../domain/versions/versions.ts'
import type { Links, StoreReader } from '../../../ports/store/transaction.ts'
import { type Filter, passesFilter } from '../../../search/index/filter.ts'
import { isBeforeNamed } from '../../../search/language/changes.ts'
import { stemOf } from '../../../search/language/choose.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Found } from '../find.ts'
import type { Asked } from '../match.ts'
import type { Candidate } from '../rank.ts'
import { apartIn, type InOrder } from './apart.ts'
import { orderedByAge } from './by-age.ts'
import { laterOf, nearVersions, readerOf, type SlotContext, slotTies, type Versioned } from './slots.ts'

/** The ties of the blocks found to each other and to blocks that were not found. */
export interface FoundTies extends Ties {
  /** Blocks that pass the filter, were not found, and are tied to some that were. */
  readonly beyond: readonly BlockFacts[]
  /** Those that were read for it. */
  readonly blocks: ReadonlyMap<string, Block>
  /** Open pairs around all of them. */
  readonly pairs: readonly BlockPair[]
  /**
   * Of two that say one thing with another value the newer and the older; then of two about one thing the one that held at the time
   * that is asked about, and the one that did not. The later of these pairs count more.
   */
  readonly inOrder: readonly InOrder[]
}

interface TiesRequest {
  readonly question: string | undefined
  readonly asked: Pick<Asked, 'asksForList' | 'past' | 'ahead'> | undefined
  readonly filter: Filter
  readonly found: Found
  /** ISO-8601 UTC. */
  readonly at: string
}

/** Without a question all are wanted, as they are now. */
const QUERYLESS = { asksForList: true, past: undefined, ahead: undefined } as const

/**
 * Reads what ties the blocks found, beyond the candidates too, so that the newest is known whichever was found. One
 * statement when any of them is flagged, one more when a pair leads to a block that was not found; see `proposedPairs`.
 */
export async function readTies(
  engine: Engine,
  tx: StoreReader,
  { question, asked: { asksForList, past, ahead } = QUERYLESS, filter, found, at: now }: TiesRequest,
): Promise<FoundTies> {
  const { groupVersions, versionsReach } = engine.settings.recall
  // Of a date to come it counts what will hold then, as far as it is known.
  const at = ahead ?? now
  const known = new Set([...found.ranked, ...found.guaranteed].map(({ facts }) => facts.id))
  const leadsOn = ({ a, b, kind }: BlockPair) => kind !== 'contradiction' && known.has(a) !== known.has(b)
  const proposed = await proposedPairs(
    engine,
    tx,
    found.ranked.map(({ facts }) => facts),
  )
  const from = new Set([...known, ...proposed.flatMap(({ a, b }) => [a, b])])
  const isWalk = found.pairs.some(leadsOn) || from.size > known.size
  const noted = isWalk ? await tx.groupedPairs([...from], from.size + versionsReach) : found.pairs
  const pairs = [...noted, ...proposed]
  const beyond = new Map(
    pairs
      .filter(({ kind }) => kind !== 'contradiction' || isWalk)
      .flatMap(({ a, b }) => [a, b])
      .filter((id) => !known.has(id))
      .flatMap((id) => engine.index.get(id) ?? [])
      .filter((facts) => passesFilter(facts, filter))
      .map((facts) => [facts.id, facts]),
  )
  const isHere = (id: string) => known.has(id) || beyond.has(id)
  const among = pairs.filter(({ a, b }) => isHere(a) && isHere(b))
  const versioned = groupVersions ? nearVersions(engine, found.ranked, past) : []
  const near = versioned.filter(({ isFaint }) => !isFaint)
  const ends = [
    ...among.flatMap(({ a, b }) => [a, b]),
    ...versioned.flatMap(({ one, other }) => [one, other]),
  ]
  const blocks = await readEnds(tx, ends, found)
  const asked = isBeforeNamed(past) ? past.lead : question
  const namedIn = namedAmong(engine, blocks, asked)
  const { slots, recent } = await readSlots(engine, tx, versioned, {
    ...{ blocks, namedIn, question: asked, past },
    asksForList,
  })
  const all = [
    ...among.map((pair) => tieOf(pair, blocks)).filter((tie, i) => !isOfSlot(tie, among[i], slots)),
    ...slots,
  ]
  const ties = all.filter((tie) => countsAt(at, tie, blocks) && !readOnlyAlike(engine, tie, blocks))
  return {
    ties: ties.filter(({ kind }) => groupVersions || kind !== 'near_duplicate'),
    inOrder: [
      ...recent,
      ...apartIn(engine, [...near, ...all.map(({ one, other }) => ({ one, other }))], {
        ...{ at, past, blocks, namedIn },
      }),
    ],
    namedIn,
    blocks,
    beyond: [...beyond.values()],
    pairs: isWalk ? [...found.pairs, ...pairs] : pairs,
  }
}

/** Tells of each block which words of the question it has, sorted; none without a question. */
function namedAmong(
  { analysis }: Engine,
  blocks: ReadonlyMap<string, Block>,
  question: string | undefined,
): Ties['namedIn'] {
  const reader = readerOf(analysis)
  // A question can be a page long: it is read when the first block asks.
  let words: ReadonlySet<string> | undefined
  const named = new Map<string, readonly string[]>()
  return (id) => {
    const block = blocks.get(id)
    if (question === undefined || block === undefined) return []
    words ??= namedWords(question, stemOf)
    const known = named.get(id) ?? commonWords(reader.namedWordsOf(block), words)
    named.set(id, known)
    return known
  }
}

/** The ties of near pairs by rule, and which of two comes first. */
async function readSlots(
  engine: Engine,
  tx: StoreReader,
  versioned: readonly Versioned[],
  {
    asksForList,
    past,
    ...context
  }: SlotContext & { readonly asksForList: boolean; readonly past: Asked['past'] },
): Promise<{ readonly slots: readonly Tie[]; readonly recent: readonly InOrder[] }> {
  // A list wants each of them, the earlier as well.
  const near = versioned.filter(({ isFaint }) => !isFaint)
  const slots = asksForList ? [] : slotTies(engine, near, context)
  const recent = orderedByAge(engine, versioned, { ...context, past })
  const isOpen = await openAmong(tx, [
    ...slots.map(({ one, other }) => [one, other] as const),
    ...recent.map(({ first, behind }) => [first, behind] as const),
  ])
  return {
    slots: slots.filter(({ one, other }) => isOpen(one, other)),
    recent: recent.filter(({ first, behind }) => isOpen(first, behind)),
  }
}

/** Reads the blocks of ties, and those of the answer with them, in one statement; none where nothing is tied. */
async function readEnds(
  tx: StoreReader,
  ends: readonly string[],
  { ranked, guaranteed }: Found,
): Promise<ReadonlyMap<string, Block>> {
  if (ends.length === 0) return new Map()
  const best = [...ranked.slice(0, ANSWER_SIZE.most), ...guaranteed].map(({ facts }) => facts.id)
  const blocks = await tx.blocks([...new Set([...ends, ...best])])
  return new Map(blocks.map((block) => [block.id, block]))
}

/** True of two that a dream found to read alike though they may both hold: neither is the other in other words. */
function readOnlyAlike({ analysis }: Engine, tie: Tie, blocks: ReadonlyMap<string, Block>): boolean {
  const [one, other] = [blocks.get(tie.one), blocks.get(tie.other)]
  if (tie.kind !== 'near_duplicate' || one === undefined || other === undefined) return false
  const [newer, older] = laterOf(one, other) === other ? [other, one] : [one, other]
  return readerOf(analysis).mayBothHold(newer, older)
}

/** True of what a dream found, by rule or similarity, between two versions of what is asked: these have an order, by their dates. */
function isOfSlot({ kind }: Tie, pair: BlockPair | undefined, slots: readonly Tie[]): boolean {
  if (pair === undefined || kind === 'supersession') return false
  const isByDream = pair.foundBy === 'similarity' || pair.foundBy?.startsWith('rule:') === true
  return (
    isByDream && slots.some(({ one, other }) => [pair.a, pair.b].every((id) => id === one || id === other))
  )
}

/** True of pairs of which nobody has said that both hold, so that a rule may tell. A statement when there is any. */
async function openAmong(
  tx: StoreReader,
  pairs: readonly (readonly [string, string])[],
): Promise<(one: string, other: string) => boolean> {
  const settled = pairs.length === 0 ? [] : await tx.settledPairs(pairs)
  const keys = new Set(settled.map(({ a, b }) => `${a} ${b}`))
  return (one, other) => !keys.has(orderedPair(one, other).join(' '))
}

/**
 * Pairs of what waits and the block whose place it is to take, through whole chains of these around the blocks found:
 * their dream will note them. One statement, none where nothing waits.
 */
async function proposedPairs(
  { index, settings }: Engine,
  tx: StoreReader,
  found: readonly BlockFacts[],
): Promise<readonly BlockPair[]> {
  if (index.size === index.active || found.length === 0) return []
  const ids = found.map(({ id }) => id)
  const replacing = await tx.replacing(ids, ids.length + settings.recall.versionsReach)
  return replacing.flatMap(({ id, status, supersedes, createdAt }): BlockPair[] => {
    if (status !== 'inbox' || supersedes === undefined) return []
    const [a, b] = orderedPair(id, supersedes)
    return [{ a, b, kind: 'supersession', score: 1, resolved: false, createdAt }]
  })
}

/** Edges and pairs around all that is chosen: what an edge brought was not looked up yet. */
export async function withBrought(
  tx: StoreReader,
  found: Links,
  chosen: readonly Candidate[],
): Promise<Links> {
  const brought = chosen.filter(({ path, match }) => path && !match).map(({ facts }) => facts.id)
  if (brought.length === 0) return found
  const more = await tx.links(brought)
  return { edges: [...found.edges, ...more.edges], pairs: [...found.pairs, ...more.pairs] }
}
