import { codePointLength, defined } from '../block/text.ts'
import { completed, type Validity, validityIn } from '../block/validity.ts'
import type { Engine, Moment } from '../engine/engine.ts'
import type { Settings } from '../engine/settings.ts'
import { edgeWeightNow, reinforcedWeight } from '../outcome/formulas.ts'
import { type EdgeRow, readDisconnections, readEdgesAround, removeEdges, saveEdges } from '../store/graph.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import {
  type Edge,
  type Ends,
  endsOf,
  GRAPH,
  keyOf,
  newEdge,
  orderedPair,
  relationDefaultWeight,
} from './edge.ts'

/** The result of adding an edge. */
type Admission =
  | { readonly admitted: true; readonly displaced: readonly Edge[] }
  | { readonly admitted: false; readonly because: 'no_room' | 'disconnected' }

/** The options of a linker decide about pairs that an agent has disconnected. */
export interface LinkerOptions {
  /** True for edges that nobody asked for: pairs that an agent disconnected lately stay apart. */
  readonly heedDisconnections: boolean
}

/** The changes of a linker are the edges added and the edges evicted. */
export interface Linked {
  readonly added: readonly Edge[]
  readonly displaced: readonly Edge[]
}

/**
 * A linker is the one way into the graph: it reads the edges among a few blocks once, changes them in memory by the rules of the degree
 * cap, and saves them at once. Both ends of every edge stay within the cap; evicted edges are reported.
 *
 * Only edges among its known blocks can be added, because it knows the degrees of no others. It costs one statement to open, one more to
 * read disconnections, and at most two to save, whatever the number of edges.
 */
export class Linker {
  readonly #settings: Settings
  readonly #hours: number
  readonly #since: number | undefined
  readonly #known = new Set<string>()
  readonly #edges = new Map<string, Edge>()
  readonly #around = new Map<string, Set<string>>()
  readonly #lambdas = new Map<string, number>()
  readonly #apart = new Set<string>()
  readonly #stored = new Map<string, EdgeRow>()
  readonly #changed = new Set<string>()
  readonly #displaced: Edge[] = []

  /** Returns a linker for edges among these blocks. Runs one statement, two if it keeps disconnected pairs apart. */
  static async open(
    { settings }: Pick<Engine, 'settings'>,
    { tx, moment }: { readonly tx: ReadTransaction; readonly moment: Moment },
    ids: readonly string[],
    { heedDisconnections }: LinkerOptions,
  ): Promise<Linker> {
    const since = heedDisconnections ? moment.hours - GRAPH.disconnectHours : undefined
    const linker = new Linker(settings, moment.hours, since)
    await linker.widen(tx, ids)
    return linker
  }

  private constructor(settings: Settings, hours: number, since: number | undefined) {
    this.#settings = settings
    this.#hours = hours
    this.#since = since
  }

  /** Lets edges be added among further blocks. Earlier changes stay. */
  async widen(tx: ReadTransaction, ids: readonly string[]): Promise<void> {
    const fresh = [...new Set(ids)].filter((id) => !this.#known.has(id))
    if (fresh.length === 0) return
    const all = [...this.#known, ...fresh]
    const [apart, around] = await Promise.all([
      this.#since !== undefined && all.length > 1 ? readDisconnections(tx, all, this.#since) : [],
      readEdgesAround(tx, fresh),
    ])
    for (const { from, to } of apart) this.#apart.add(keyOf([from, to]))
    for (const { edge, scope, fromLambda, toLambda } of around) {
      // An edge at a block known before was read with it, and may have changed here.
      if (this.#known.has(edge.from) || this.#known.has(edge.to)) continue
      this.#lambdas.set(edge.from, fromLambda)
      this.#lambdas.set(edge.to, toLambda)
      this.#stored.set(keyOf([edge.from, edge.to]), { ...edge, ...defined({ scope }) })
      this.#put(edge)
    }
    for (const id of fresh) this.#known.add(id)
  }

  /** Returns the present edge of a pair. */
  between(one: string, other: string): Edge | undefined {
    return this.#edges.get(keyOf([one, other]))
  }

  /** Returns ids of the blocks to which an agent joined a block. */
  assertedTo(id: string): string[] {
    const around = [...(this.#around.get(id) ?? [])].flatMap((key) => this.#edges.get(key) ?? [])
    return around.filter(({ origin }) => origin === 'agent').map(({ from, to }) => (from === id ? to : from))
  }

  /** Adds an edge to a pair that has none, if both ends are below the cap or can evict an edge that the new one outranks. */
  add(edge: Edge): Admission {
    const key = keyOf([edge.from, edge.to])
    if (!this.#known.has(edge.from) || !this.#known.has(edge.to) || this.#edges.has(key))
      throw new Error(`The linker cannot add ${key}.`)
    if (this.#apart.has(key)) return { admitted: false, because: 'disconnected' }
    const residents = [...new Set([edge.from, edge.to].flatMap((id) => [...(this.#around.get(id) ?? [])]))]
    const edges = residents.map((each) => this.#edges.get(each) as Edge)
    const weightOf = (each: Edge) => (each === edge ? edge.weight : this.#weightNow(each))
    const victims = evictForCap(edge, edges, { cap: this.#settings.memory.edgeDegreeCap, weightOf })
    if (victims === undefined) return { admitted: false, because: 'no_room' }
    for (const victim of victims) this.#remove(victim)
    this.#put(edge)
    this.#changed.add(key)
    return { admitted: true, displaced: victims }
  }

  /** Replaces the edge of a pair that is joined. */
  replace(edge: Edge): void {
    const key = keyOf([edge.from, edge.to])
    if (!this.#edges.has(key)) throw new Error(`The linker knows no edge ${key}.`)
    this.#edges.set(key, edge)
    this.#changed.add(key)
  }

  /** The stored edges that were evicted. */
  get displaced(): readonly Edge[] {
    return this.#displaced.filter((edge) => this.#stored.has(keyOf(endsOf(edge))))
  }

  /** Writes the changes; returns the edges added and the edges evicted. */
  async save(tx: Transaction): Promise<Linked> {
    const { displaced } = this
    const removed = displaced.map(endsOf).filter((ends) => !this.#edges.has(keyOf(ends)))
    const saved = [...this.#changed].flatMap((key) => this.#edges.get(key) ?? [])
    const stored = [...this.#changed].flatMap((key) => this.#stored.get(key) ?? [])
    await Promise.all([removeEdges(tx, removed), saveEdges(tx, saved, stored)])
    return { added: saved.filter((edge) => !this.#stored.has(keyOf(endsOf(edge)))), displaced }
  }

  /** Returns the decayed weight of an edge, so that of two edges the one in use stays. */
  #weightNow(edge: Edge): number {
    if (!this.#settings.graph.edgeDecay) return edge.weight
    const ends = [this.#lambdas.get(edge.from) ?? 0, this.#lambdas.get(edge.to) ?? 0] as const
    return edgeWeightNow(edge, ends, this.#hours)
  }

  #put(edge: Edge): void {
    const key = keyOf([edge.from, edge.to])
    this.#edges.set(key, edge)
    for (const id of [edge.from, edge.to]) {
      const keys = this.#around.get(id) ?? new Set()
      this.#around.set(id, keys.add(key))
    }
  }

  #remove(edge: Edge): void {
    const key = keyOf([edge.from, edge.to])
    this.#edges.delete(key)
    this.#changed.delete(key)
    for (const id of [edge.from, edge.to]) this.#around.get(id)?.delete(key)
    this.#displaced.push(edge)
  }
}

/** Longest note of an edge, in code points. */
export const NOTE_LENGTH_MAX = 500

/** A claim is an agent's statement about two blocks; an absent field is not claimed. */
export interface Claim extends Validity {
  /** The relation in its normal spelling; `similar` for a new edge unless claimed. */
  readonly relation?: string
  /** Weight, 0..1. */
  readonly weight?: number
  readonly note?: string
}

/** The time of a claim, and the end that makes it. */
interface ClaimContext {
  /** Time in active hours. */
  readonly hours: number
  /** ISO-8601 UTC. */
  readonly at: string
  /** The block from which the claim starts. */
  readonly source: string
}

/** Returns a new edge that an agent asserts: it never fades and is never evicted. */
export function assertedEdge(ends: Ends, claim: Claim, context: ClaimContext): Edge {
  const { relation = 'similar', note } = claim
  const weight = claim.weight ?? relationDefaultWeight(relation)
  return {
    ...newEdge(orderedPair(...ends), { relation, origin: 'agent', weight }, context),
    ...{ declaredBy: context.source, ...defined({ note }), ...validityOf(claim) },
  }
}

/**
 * Returns an edge that an agent asserts once more: a step stronger, or at the claimed weight if that is more, with one more use and both
 * notes, and from now on the agent's own.
 */
export function reinforcedEdge(
  edge: Edge,
  claim: Claim,
  { hours, step }: { readonly hours: number; readonly step: number },
): Edge {
  return {
    ...claimedBy(edge),
    weight: Math.max(reinforcedWeight(edge.weight, step), claim.weight ?? 0),
    reinforcementCount: edge.reinforcementCount + 1,
    lastActiveAt: hours,
    ...defined({ note: mergedNote(edge.note, claim.note) }),
    ...validityOf(claim),
  }
}

/** Returns an edge with only the claimed fields changed, and from now on the agent's own. */
export function updatedEdge(edge: Edge, claim: Claim, { hours, source }: ClaimContext): Edge {
  const { relation, weight, note } = claim
  return {
    ...claimedBy(edge),
    ...defined({ relation, weight, note, declaredBy: relation === undefined ? undefined : source }),
    ...validityOf(claim),
    lastActiveAt: hours,
  }
}

/** Returns the dates of a claim: given ones, else those read from its note. */
function validityOf(claim: Claim): Validity {
  return completed(claim, claim.note === undefined ? {} : validityIn(claim.note))
}

/** Returns two notes as one: a repetition is left out; if both do not fit, the newer stays. */
function mergedNote(before: string | undefined, added: string | undefined): string | undefined {
  if (before === undefined || added === undefined) return added ?? before
  if (before.includes(added)) return before
  const both = `${before}; ${added}`
  return codePointLength(both) <= NOTE_LENGTH_MAX ? both : added
}

function claimedBy(edge: Edge): Edge {
  return edge.origin === 'agent' ? edge : { ...edge, origin: 'agent', previousOrigin: edge.origin }
}

/** Relations that rules make by themselves, in the order of eviction at the degree cap (seed 000, Scenario 7). */
const EVICTION_ORDER = ['similar', 'co_occurs']

type Displaceable = Pick<Edge, 'from' | 'to' | 'relation' | 'origin' | 'weight'>
type WeightOf<E> = (edge: E) => number

/** Returns true if an edge is never evicted: an agent's, or one neither `similar` nor `co_occurs` (Python elfmem). */
export function isProtectedEdge({ relation, origin }: Pick<Edge, 'relation' | 'origin'>): boolean {
  return origin === 'agent' || !EVICTION_ORDER.includes(relation)
}

/** Returns a negative number if the first edge is evicted before the second: by relation, then by the lower weight. */
function evictionOrder<E extends Displaceable>(one: E, other: E, weightOf: WeightOf<E>): number {
  const classes = EVICTION_ORDER.indexOf(one.relation) - EVICTION_ORDER.indexOf(other.relation)
  return classes || weightOf(one) - weightOf(other)
}

/**
 * Returns the edge of a block to evict at the degree cap, undefined if all are protected (Python elfmem): `similar` before `co_occurs`,
 * then the lowest weight, then the lowest ids. Edges of other blocks are ignored. `weightOf` may return decayed weights instead of stored
 * ones.
 */
export function displaceableEdge<E extends Displaceable>(
  blockId: string,
  edges: readonly E[],
  weightOf: WeightOf<E> = (edge) => edge.weight,
): E | undefined {
  const [first] = edges
    .filter((edge) => (edge.from === blockId || edge.to === blockId) && !isProtectedEdge(edge))
    .sort((a, b) => evictionOrder(a, b, weightOf) || (keyOf([a.from, a.to]) < keyOf([b.from, b.to]) ? -1 : 1))
  return first
}

/** Returns true if an edge may evict another: a protected one evicts any other; others evict one of an earlier class or a lighter one. */
function outranks<E extends Displaceable>(
  newcomer: E,
  resident: E,
  weightOf: WeightOf<E> = (edge) => edge.weight,
): boolean {
  if (isProtectedEdge(resident)) return false
  return isProtectedEdge(newcomer) || evictionOrder(newcomer, resident, weightOf) > 0
}

/**
 * Returns the edges to evict so that a new one fits at both of its ends, within `cap` edges each; undefined if an edge in the way is
 * protected or outranks the new one: a worse edge never evicts a better one.
 *
 * @param residents all edges at both ends
 */
function evictForCap<E extends Displaceable>(
  newcomer: E,
  residents: readonly E[],
  { cap, weightOf }: { readonly cap: number; readonly weightOf: WeightOf<E> },
): readonly E[] | undefined {
  const gone = new Set<E>()
  for (const id of [newcomer.from, newcomer.to]) {
    for (;;) {
      const left = residents.filter((edge) => !gone.has(edge) && (edge.from === id || edge.to === id))
      if (left.length < cap) break
      const victim = displaceableEdge(id, left, weightOf)
      if (victim === undefined || !outranks(newcomer, victim, weightOf)) return undefined
      gone.add(victim)
    }
  }
  return [...gone]
}
