import type { SourceClass } from '../block/block.ts'
import { codePointLength, defined, questionKey, splitWhitespace } from '../block/text.ts'
import { ElfmemError } from '../errors.ts'

/** Who made an edge: the rules at dream, use together, a reported outcome, an agent, or a model. */
export type EdgeOrigin = 'similarity' | 'co_retrieval' | 'outcome' | 'agent' | 'llm_inferred'

/** One undirected edge a pair of blocks; `from` < `to` by string order. */
export interface Edge {
  readonly from: string
  readonly to: string
  /** `similar`, `co_occurs`, `elaborates`, `supports`, `contradicts`, `outcome` or a custom lower-case word. */
  readonly relation: string
  readonly origin: EdgeOrigin
  /** 0..1 as stored; decay is applied when it is read, never written back. */
  readonly weight: number
  readonly reinforcementCount: number
  /** Hours of the last use; the anchor of its decay. Without one it never fades. */
  readonly lastActiveAt?: number
  /** ISO-8601 UTC. */
  readonly createdAt: string
  readonly note?: string
  /** The end that declared a directed link, when one did. */
  readonly declaredBy?: string
  /** Who made it before an agent made it its own. */
  readonly previousOrigin?: EdgeOrigin
  /** When what it says begins to hold, ISO-8601 UTC; absent: not said. */
  readonly validFrom?: string
  /** The first time at which it holds no more, ISO-8601 UTC; absent: not said. */
  readonly validUntil?: string
}

/** The relation of an objection, which is never support. */
export const CONTRADICTS = 'contradicts'

/** The two ends of an edge or pair. */
export type Ends = readonly [from: string, to: string]

/** Two blocks that appeared together in answers and are not joined; `from` < `to`. */
export interface StagedPair {
  readonly from: string
  readonly to: string
  /** The number of questions whose answers had both, and of sessions that reported on such an answer as a whole. */
  readonly count: number
}

/** A connection an agent asked for that waits, because a full block could evict no edge for it. */
export interface PendingConnection {
  readonly source: string
  readonly target: string
  readonly relation: string
  readonly weight: number
  readonly note?: string
  /** Active hours. */
  readonly requestedAt: number
  /** Number of curations that could not make it. */
  readonly attempts: number
  /** Those of the edge. */
  readonly validFrom?: string
  readonly validUntil?: string
}

/** Returns the connection that waits in the place of an edge for which a full block has no room. */
export function deferred(edge: Edge, requestedAt: number): PendingConnection {
  const { relation, weight, note, validFrom, validUntil } = edge
  const [source, target] = saidEnds(edge)
  const claim = { relation, weight, ...defined({ note, validFrom, validUntil }) }
  return { source, target, ...claim, requestedAt, attempts: 0 }
}

/** Constants of the graph, each with its reason. */
export const GRAPH = {
  /** Weight that one more outcome adds to an edge. */
  edgeStep: 0.1,
  /** Weight below which curate drops an edge that nobody asserted. */
  pruneBelow: 0.1,
  /** Weight of a first outcome edge, times the signal; leaves room to grow. */
  outcomeWeight: 0.8,
  /** Pairs that one report joins, as all pairs of k blocks would be quadratic. */
  outcomePairs: 10,
  /** Active hours in which nothing but an agent joins again what an agent has disconnected. */
  disconnectHours: 200,
  /** Curations after which a connection that found no room is dropped, and said to be. */
  pendingAttempts: 10,
  /** More waiting connections than this mean that hubs are full of protected edges. */
  pendingAlert: 20,
  /** Weight of an edge of blocks that were returned together; weaker than anything said or reported. */
  togetherWeight: 0.55,
  /** Weight of such an edge if the two are far apart in meaning (lifecycle bench). */
  togetherApartWeight: 0.8,
  /** Best blocks of an answer that are paired; what stands fifth says less (lifecycle bench). */
  togetherBlocks: 4,
  /** Pairs that wait to be joined by use, at most. */
  togetherPairs: 1_000,
  /** Active minutes in which the same question asked again is counted once. */
  togetherMinutes: 10,
  /** Suggested connections of an answer; more flood it. */
  suggestions: 3,
  /** Share of the active blocks, the best joined, that count as wholly central. */
  centralShare: 0.05,
}

/** An agent's word that two blocks do not belong together; `from` < `to`. */
export interface Disconnection {
  readonly from: string
  readonly to: string
  /** Active hours. */
  readonly at: number
  readonly reason?: string
}

/** The kinds of proposals: new words of who the agent is, other words of a block, or more trust in its words. */
export const PROPOSAL_KINDS = ['identity', 'value', 'goal', 'principle', 'rewording', 'class'] as const
/** The change that a proposal asks for. */
export type ProposalKind = (typeof PROPOSAL_KINDS)[number]

/** The states of a proposal; only the owner moves it on. */
export const PROPOSAL_STATES = ['open', 'accepted', 'refused'] as const
export type ProposalState = (typeof PROPOSAL_STATES)[number]

/** A change that somebody asks the owner for. All of its words are data, whoever proposed them, until the owner accepts. */
export interface Proposal {
  /** Made of what it asks for, so that the same is asked once. */
  readonly id: string
  readonly kind: ProposalKind
  readonly target?: string
  readonly content?: string
  readonly sourceClass?: SourceClass
  /** Why, in the words of whoever proposed it. */
  readonly reason?: string
  readonly proposer: string
  /** The scope it was proposed in, or that of the block it is about: what it adds is added there. */
  readonly scope?: string
  readonly state: ProposalState
  readonly createdAt: string
  readonly decidedAt?: string
  readonly decidedBy?: string
  /** Why it was refused, for whoever proposed it. */
  readonly answer?: string
  /** The block that came of it, or that it changed. */
  readonly result?: string
}

/** Kind of an open pair. */
type PairKind = 'near_duplicate' | 'perhaps_newer' | 'supersession' | 'contradiction'

/** The kinds of pairs that say something about the order of two blocks; the others say that they are alike. */
export const TOLD_KINDS: readonly PairKind[] = ['supersession', 'contradiction']

/** Two blocks about the same thing: nearly equal texts, one that takes the other's place, or texts that contradict each other. */
export interface BlockPair {
  readonly a: string
  readonly b: string
  /** A pair of the kind `perhaps_newer` is a guess: it moves and hides nothing. */
  readonly kind: PairKind
  /** Cosine of the contents for near duplicates, confidence or probability for the others; 0..1. */
  readonly score: number
  /** Who found it: `similarity`, `score`, `model`, `host`, `agent`, `owner`, `hint`, or a rule such as `rule:number`. */
  readonly foundBy?: string
  readonly resolved: boolean
  /** ISO-8601 UTC. */
  readonly createdAt: string
}

/** Returns the ends of an edge or pair. */
export function endsOf({ from, to }: { readonly from: string; readonly to: string }): Ends {
  return [from, to]
}

/** The canonical order of a pair's ends. */
export function orderedPair(one: string, other: string): Ends {
  return one < other ? [one, other] : [other, one]
}

/** The first pairs among the ids, at most `limit`, in canonical order; earlier ids are joined first. */
export function pairsAmong(ids: readonly string[], limit = Number.POSITIVE_INFINITY): Ends[] {
  const pairs: Ends[] = []
  for (const [at, id] of ids.entries())
    for (const earlier of ids.slice(0, at)) {
      if (pairs.length >= limit) return pairs
      pairs.push(orderedPair(earlier, id))
    }
  return pairs
}

/** Returns the open pair for an edge that contradicts; `resolve` settles it. */
export function contradictionOf({ from, to, weight, createdAt }: Edge, foundBy: string): BlockPair {
  return { a: from, b: to, kind: 'contradiction', score: weight, foundBy, resolved: false, createdAt }
}

/** Returns the open pair of a block and the one whose place it takes, as was said of it. */
export function replacingPair(newer: WithId, older: WithId, createdAt: string): BlockPair {
  const [a, b] = orderedPair(newer.id, older.id)
  return { a, b, kind: 'supersession', score: 1, foundBy: 'hint', resolved: false, createdAt }
}

type WithId = { readonly id: string }

/** Returns an edge that nobody has used yet. */
export function newEdge(
  [from, to]: Ends,
  made: Pick<Edge, 'relation' | 'origin' | 'weight'>,
  { hours, at }: { readonly hours: number; readonly at: string },
): Edge {
  return { from, to, ...made, reinforcementCount: 0, lastActiveAt: hours, createdAt: at }
}

/** Returns the ends of an edge in the order in which its relation was said; as they are stored if nobody said it. */
export function saidEnds({ from, to, declaredBy }: Pick<Edge, 'from' | 'to' | 'declaredBy'>): Ends {
  return declaredBy === to ? [to, from] : [from, to]
}

/** Relations that say the same from both ends. */
const MUTUAL: ReadonlySet<string> = new Set(['similar', 'co_occurs', 'outcome', 'contradicts'])

/** Returns the relation of an edge as it reads from one of its ends: an arrow stands before what was said of the other end. */
export function relationFrom(
  end: string,
  { relation, declaredBy }: Pick<Edge, 'relation' | 'declaredBy'>,
): string {
  const isOfOther = declaredBy !== undefined && declaredBy !== end && !MUTUAL.has(relation)
  return isOfOther ? `← ${relation}` : relation
}

/** Longest relation, in code points. */
const RELATION_LENGTH_MAX = 64

/** Default weight of an edge by relation, 0..1 (seed 000, "Default Weights by Relation Type"). */
const RELATION_WEIGHTS: ReadonlyMap<string, number> = new Map([
  ['similar', 0.65],
  ['co_occurs', 0.55],
  ['elaborates', 0.7],
  ['supports', 0.75],
  ['contradicts', 0.6],
  ['outcome', 0.8],
  ['predicts', 0.7],
  ['validates', 0.75],
])

/**
 * Returns the one spelling of a relation: trimmed, lower case, white space inside collapsed to `_`.
 * Throws `INVALID_INPUT` when nothing is left or more than 64 code points are.
 */
export function normaliseRelation(relation: string): string {
  const normalised = splitWhitespace(relation).join('_').toLowerCase()
  if (normalised !== '' && codePointLength(normalised) <= RELATION_LENGTH_MAX) return normalised
  throw new ElfmemError('INVALID_INPUT', `A relation is a word of 1 to ${RELATION_LENGTH_MAX} characters.`, {
    recovery: 'Name the relation in a word, such as "supports", and put the reason into the note.',
  })
}

/** Returns the weight of a new edge whose maker gave none, whatever its spelling (Python elfmem). */
export function relationDefaultWeight(relation: string): number {
  return RELATION_WEIGHTS.get(normaliseRelation(relation)) ?? 0.65
}

/**
 * Returns the mark of a question: a digest of its words, whatever their case and signs, and the active minute it was asked.
 * `sameAs` has its marks of the `GRAPH.togetherMinutes` before, within which a question asked again is one question.
 */
export function markOfQuestion(question: string, hours: number, sha256Hex: (text: string) => string) {
  const words = questionKey(question.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' '))
  // Enough to tell questions of minutes apart, too little to say more.
  const digest = sha256Hex(words).slice(0, 8)
  const minute = Math.round(hours * 60)
  const at = (ago: number) => `${digest}@${minute - ago}`
  return { mark: at(0), sameAs: Array.from({ length: GRAPH.togetherMinutes }, (_, ago) => at(ago)) }
}

/** The labels that a model or host may give a pair. */
export const LABELS = ['supports', 'contradicts', 'elaborates', 'supersedes', 'unrelated'] as const
/** A word for how one block of a pair relates to the other. */
export type Label = (typeof LABELS)[number]

/** A judgement of how two blocks relate. */
export interface PairLabel {
  /** `similar` stands for a word that is not a label. */
  readonly relation: Label | 'similar'
  /** 0..1 */
  readonly confidence: number
}
