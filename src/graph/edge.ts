import type { SourceClass } from '../block/block.ts'
import { codePointLength, defined, questionKey, splitWhitespace } from '../block/text.ts'
import { ElfmemError } from '../errors.ts'

/** The origin of an edge is its maker: the rules at dream, use together, a reported outcome, an agent, or a model. */
export type EdgeOrigin = 'similarity' | 'co_retrieval' | 'outcome' | 'agent' | 'llm_inferred'

/** An edge joins two blocks, without a direction; `from` < `to` by string order. */
export interface Edge {
  readonly from: string
  readonly to: string
  /** `similar`, `co_occurs`, `elaborates`, `supports`, `contradicts`, `outcome` or a custom lower-case word. */
  readonly relation: string
  readonly origin: EdgeOrigin
  /** Stored weight, 0..1; decay is applied when it is read, never written back. */
  readonly weight: number
  readonly reinforcementCount: number
  /** Active hours of the last use, from which decay counts. An edge without them never fades. */
  readonly lastActiveAt?: number
  /** ISO-8601 UTC. */
  readonly createdAt: string
  readonly note?: string
  /** The end that declared a directed link, if one did. */
  readonly declaredBy?: string
  /** The origin before an agent asserted the edge. */
  readonly previousOrigin?: EdgeOrigin
  /** Time from which the statement of the edge holds, ISO-8601 UTC; absent if not stated. */
  readonly validFrom?: string
  /** First time at which the statement of the edge holds no more, ISO-8601 UTC; absent if not stated. */
  readonly validUntil?: string
}

/** Objections have this relation, which never counts as support. */
export const CONTRADICTS = 'contradicts'

/** Ends are the two blocks of an edge or pair. */
export type Ends = readonly [from: string, to: string]

/** A staged pair is two blocks that appeared together in answers and are not joined; `from` < `to`. */
export interface StagedPair {
  readonly from: string
  readonly to: string
  /** Number of questions whose answers had both, and of sessions that reported on such an answer as a whole. */
  readonly count: number
}

/** A pending connection was asked for by an agent and waits, because a full block could evict no edge for it. */
export interface PendingConnection {
  readonly source: string
  readonly target: string
  readonly relation: string
  readonly weight: number
  readonly note?: string
  /** Time of the request in active hours. */
  readonly requestedAt: number
  /** Number of curations that could not make the connection. */
  readonly attempts: number
  /** Dates of the edge. */
  readonly validFrom?: string
  readonly validUntil?: string
}

/** Returns the pending connection for an edge for which a full block has no room. */
export function deferred(edge: Edge, requestedAt: number): PendingConnection {
  const { relation, weight, note, validFrom, validUntil } = edge
  const [source, target] = saidEnds(edge)
  const claim = { relation, weight, ...defined({ note, validFrom, validUntil }) }
  return { source, target, ...claim, requestedAt, attempts: 0 }
}

/** The constants of the graph have their reasons beside them. */
export const GRAPH = {
  /** Weight that one more outcome adds to an edge. */
  edgeStep: 0.1,
  /** Weight below which curate drops an edge that nobody asserted. */
  pruneBelow: 0.1,
  /** Weight of a first outcome edge, times the signal; it leaves room to grow. */
  outcomeWeight: 0.8,
  /** Largest number of pairs that one report joins, as all pairs of k blocks would be quadratic. */
  outcomePairs: 10,
  /** Active hours in which only an agent may join a pair again that an agent has disconnected. */
  disconnectHours: 200,
  /** Number of curations after which a connection without room is dropped and reported as dropped. */
  pendingAttempts: 10,
  /** Number of waiting connections above which hubs are full of protected edges. */
  pendingAlert: 20,
  /** Weight of an edge of blocks that were returned together; weaker than any stated or reported edge. */
  togetherWeight: 0.55,
  /** Weight of such an edge if the two blocks are far apart in meaning (lifecycle bench). */
  togetherApartWeight: 0.8,
  /** Number of best blocks of an answer that are paired; the fifth says less (lifecycle bench). */
  togetherBlocks: 4,
  /** Largest number of pairs that wait to be joined by use. */
  togetherPairs: 1_000,
  /** Active minutes in which a repeated question is counted once. */
  togetherMinutes: 10,
  /** Largest number of suggested connections in an answer; more would flood it. */
  suggestions: 3,
  /** Share of the active blocks, those with the strongest edges, that count as wholly central. */
  centralShare: 0.05,
}

/** A disconnection is an agent's statement that two blocks do not belong together; `from` < `to`. */
export interface Disconnection {
  readonly from: string
  readonly to: string
  /** Time of the disconnection in active hours. */
  readonly at: number
  readonly reason?: string
}

/** The kinds of proposals ask for new words of identity, other words of a block, or more trust in its words. */
export const PROPOSAL_KINDS = ['identity', 'value', 'goal', 'principle', 'rewording', 'class'] as const
/** A proposal kind is the change that a proposal asks for. */
export type ProposalKind = (typeof PROPOSAL_KINDS)[number]

/** A proposal begins in the state `open`; only the owner moves it on. */
export const PROPOSAL_STATES = ['open', 'accepted', 'refused'] as const
export type ProposalState = (typeof PROPOSAL_STATES)[number]

/** A proposal is a change that a caller asks the owner for. All of its words are data until the owner accepts them. */
export interface Proposal {
  /** Id made of the proposed change, so that the same change is asked for once. */
  readonly id: string
  readonly kind: ProposalKind
  readonly target?: string
  readonly content?: string
  readonly sourceClass?: SourceClass
  /** Reason in the words of the proposer. */
  readonly reason?: string
  readonly proposer: string
  /** The scope in which it was proposed, or that of its target: a new block is added there. */
  readonly scope?: string
  readonly state: ProposalState
  readonly createdAt: string
  readonly decidedAt?: string
  readonly decidedBy?: string
  /** Reason of a refusal, for the proposer. */
  readonly answer?: string
  /** Id of the block that it made or changed. */
  readonly result?: string
}

type PairKind = 'near_duplicate' | 'perhaps_newer' | 'supersession' | 'contradiction'

/** These kinds of pairs tell the order of two blocks; the others tell that they are alike. */
export const TOLD_KINDS: readonly PairKind[] = ['supersession', 'contradiction']

/** A block pair is about the same thing: nearly equal texts, one that replaces the other, or two that contradict each other. */
export interface BlockPair {
  readonly a: string
  readonly b: string
  /** The kind of the pair; `perhaps_newer` is a guess that moves and hides nothing. */
  readonly kind: PairKind
  /** Cosine of the contents for near duplicates, confidence or probability for the others; 0..1. */
  readonly score: number
  /** The finder: `similarity`, `score`, `model`, `host`, `agent`, `owner`, `hint`, or a rule such as `rule:number`. */
  readonly foundBy?: string
  readonly resolved: boolean
  /** ISO-8601 UTC. */
  readonly createdAt: string
}

/** Returns the ends of an edge or pair. */
export function endsOf({ from, to }: { readonly from: string; readonly to: string }): Ends {
  return [from, to]
}

/** Returns the key of a pair, whichever end is given first. */
export function keyOf([one, other]: Ends): string {
  return orderedPair(one, other).join(' ')
}

export function orderedPair(one: string, other: string): Ends {
  return one < other ? [one, other] : [other, one]
}

/** Returns the first pairs among the ids, at most `limit`, in canonical order; earlier ids are paired first. */
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

/** Returns the open pair of a block and the older one that it says it replaces. */
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

/** Returns the ends of an edge in the order in which its relation was stated; in stored order if nobody stated it. */
export function saidEnds({ from, to, declaredBy }: Pick<Edge, 'from' | 'to' | 'declaredBy'>): Ends {
  return declaredBy === to ? [to, from] : [from, to]
}

/** Relations that read the same from both ends. */
const MUTUAL: ReadonlySet<string> = new Set(['similar', 'co_occurs', 'outcome', 'contradicts'])

/** Returns the relation of an edge as it reads from one of its ends, with an arrow if the other end declared it. */
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
 * Returns the normal spelling of a relation: trimmed, lower case, white space inside collapsed to `_`. Throws `INVALID_INPUT` if it is
 * empty or has more than 64 code points.
 */
export function normaliseRelation(relation: string): string {
  const normalised = splitWhitespace(relation).join('_').toLowerCase()
  if (normalised !== '' && codePointLength(normalised) <= RELATION_LENGTH_MAX) return normalised
  throw new ElfmemError('INVALID_INPUT', `A relation is a word of 1 to ${RELATION_LENGTH_MAX} characters.`, {
    recovery: 'Name the relation in a word, such as "supports", and put the reason into the note.',
  })
}

/** Returns the default weight of a new edge by its relation in any spelling (Python elfmem). */
export function relationDefaultWeight(relation: string): number {
  return RELATION_WEIGHTS.get(normaliseRelation(relation)) ?? 0.65
}

/**
 * Returns the mark of a question: a digest of its words, without case and signs, and the active minute in which it was asked. `sameAs` has
 * its marks of the last `GRAPH.togetherMinutes`, in which a repeated question is one question.
 */
export function markOfQuestion(question: string, hours: number, sha256Hex: (text: string) => string) {
  const words = questionKey(question.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' '))
  // The digest is long enough to tell questions of minutes apart, and too short to reveal more.
  const digest = sha256Hex(words).slice(0, 8)
  const minute = Math.round(hours * 60)
  const at = (ago: number) => `${digest}@${minute - ago}`
  return { mark: at(0), sameAs: Array.from({ length: GRAPH.togetherMinutes }, (_, ago) => at(ago)) }
}

/** The labels are the words that a model or host may give a pair. */
export const LABELS = ['supports', 'contradicts', 'elaborates', 'supersedes', 'unrelated'] as const
export type Label = (typeof LABELS)[number]

/** A pair label is a judgement of how two blocks relate. */
export interface PairLabel {
  /** The label; `similar` stands for a word that is no label. */
  readonly relation: Label | 'similar'
  /** Confidence of the label, 0..1. */
  readonly confidence: number
}
