import type { Block, SourceClass } from '../block/block.ts'
import { codePointLength, defined } from '../block/text.ts'
import { type CallContext, callerOf, type Engine, type Mutation, mutate } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import {
  checkText,
  highestFor,
  isAbove,
  mustHold,
  ownerOnly,
  type ResolvedIds,
  resolveIds,
  validityGiven,
} from '../intake/check-input.ts'
import { readBlocks } from '../store/blocks.ts'
import type { OperationRecord } from '../store/database.ts'
import {
  orderedPairs,
  removePendingConnections,
  removeUnlabelled,
  resolvePairs,
  savePairs,
  savePendingConnections,
} from '../store/graph.ts'
import { disconnections, PENDING } from '../store/tables.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import {
  type BlockPair,
  CONTRADICTS,
  contradictionOf,
  deferred,
  type Edge,
  type Ends,
  GRAPH,
  normaliseRelation,
  orderedPair,
  type PendingConnection,
  keyOf as pairKey,
  relationDefaultWeight,
} from './edge.ts'
import { assertedEdge, type Claim, Linker, NOTE_LENGTH_MAX, reinforcedEdge, updatedEdge } from './linker.ts'

/** Two blocks and the claim of an agent about them. */
interface ConnectSpec {
  readonly source: string
  readonly target: string
  readonly relation?: string | undefined
  readonly weight?: number | undefined
  readonly note?: string | undefined
  readonly validFrom?: string | undefined
  readonly validUntil?: string | undefined
  /** The action if the two blocks are joined already. */
  readonly ifExists: 'reinforce' | 'update' | 'skip' | 'error'
}

/** A connect result is the outcome of one claim; `deferred` means that it waits until a full block has room. */
export interface ConnectResult {
  readonly sourceId: string
  readonly targetId: string
  /** The relation as stored now; for a skipped claim as it was. */
  readonly relation: string
  readonly weight: number
  readonly note?: string
  readonly validFrom?: string
  readonly validUntil?: string
  readonly action: 'created' | 'reinforced' | 'updated' | 'skipped' | 'deferred'
  /** Edges evicted by the degree cap. */
  readonly displaced: readonly Edge[]
  readonly warning?: string
}

/** Joins two blocks as an agent claims. Runs one transaction of at most twenty statements, and asks no model. */
export async function connect(
  engine: Engine,
  context: CallContext,
  spec: ConnectSpec,
): Promise<ConnectResult> {
  return mutate(engine, context, async (mutation) => {
    const [made] = await connectAll(engine, { mutation, context, specs: [spec] }, (error) => {
      throw error
    })
    return made as ConnectResult
  })
}

/**
 * Joins many pairs in one transaction. A refused claim changes nothing and is reported by its place; the others are made. All claims are
 * decided before anything is written, so that a refusal has nothing to undo.
 */
export function connects(engine: Engine, context: CallContext, specs: readonly ConnectSpec[]) {
  return mutate(engine, context, async (mutation) => {
    const failed: { readonly index: number; readonly error: ElfmemError }[] = []
    const made = await connectAll(engine, { mutation, context, specs }, (error, index) => {
      failed.push({ index, error })
    })
    return { made, failed }
  })
}

/** The claims of one call while they are decided; they are written at the end. */
interface Claims {
  readonly linker: Linker
  readonly made: ConnectResult[]
  readonly pending: PendingConnection[]
  /** The last claim about each pair: a contradiction that `resolve` is to settle, or without `pair` the end of open questions. */
  readonly pairs: Map<string, { readonly ends: Ends; readonly pair?: BlockPair }>
  /** Edges before the claims, for the log. */
  readonly before: Edge[]
  /** The most trusted class that the caller may claim. */
  readonly by: SourceClass
}

async function connectAll(
  engine: Engine,
  given: {
    readonly mutation: Mutation
    readonly context: CallContext
    readonly specs: readonly ConnectSpec[]
  },
  refuse: (error: ElfmemError, index: number) => void,
): Promise<ConnectResult[]> {
  const { mutation, context, specs } = given
  const { tx, moment } = mutation
  const named = specs.flatMap(({ source, target }) => [source, target])
  const resolved = await resolveIds(tx, named, { ambiguous: 'report' })
  const blocks = new Map((await readBlocks(tx, resolved.ids)).map((block) => [block.id, block]))
  const linker = await Linker.open(engine, { tx, moment }, resolved.ids, { heedDisconnections: false })
  const by = highestFor(engine, context)
  const claims: Claims = { linker, made: [], pending: [], pairs: new Map(), before: [], by }
  for (const [index, spec] of specs.entries())
    try {
      const ends = endsOf(spec, resolved, blocks)
      const edge = spec.ifExists === 'update' ? linker.between(...ends) : undefined
      if (edge) await mustNotBeOwners(engine, context, { tx, edge, done: 'changed' })
      const above = ends.find((id) => isAbove(engine, context, blocks.get(id) as Block))
      claims.made.push(decide(claims, { spec, ends, above, moment }))
    } catch (error) {
      if (!ElfmemError.is(error)) throw error
      refuse(error, index)
    }
  await write(mutation, claims, engine.settings.graph.pendingMax)
  engine.session.noteTouched(claims.made.flatMap(({ sourceId, targetId }) => [sourceId, targetId]))
  return claims.made
}

/** Returns the two blocks by whole id; throws one error for each reason why they cannot be joined. */
function endsOf(
  { source, target }: ConnectSpec,
  resolved: ResolvedIds,
  blocks: ReadonlyMap<string, Block>,
): Ends {
  const [one, other] = [source, target].map((given) => {
    const candidates = resolved.ambiguous.get(given.trim())
    if (candidates) throw candidates
    const id = resolved.byGiven.get(given.trim())
    if (id !== undefined) return id
    throw new ElfmemError('NOT_FOUND', `"${given}" is no block.`, {
      recovery: 'Take ids from recall() or ls(), or describe both blocks with connectByQuery().',
      details: { status: 'block_not_found', blockId: given },
    })
  }) as [string, string]
  if (one === other)
    throw new ElfmemError('SELF_LOOP', `Both ends are the block ${one}.`, {
      recovery: 'Name two different blocks; recall() also finds the one that was just remembered.',
      details: { blockId: one },
    })
  const archived = [one, other].find((id) => blocks.get(id)?.status === 'archived')
  if (archived === undefined) return [one, other]
  throw new ElfmemError('WRONG_STATUS', `"${archived}" is archived.`, {
    recovery: 'Bring it back with restore() first, or connect the block that took its place.',
    details: { status: 'block_not_active', blockId: archived },
  })
}

interface Asserted {
  readonly spec: ConnectSpec
  readonly ends: Ends
  /** The end that is trusted more than the caller, if any: the caller may not settle open questions between the two. */
  readonly above: string | undefined
  readonly moment: Mutation['moment']
}

const WAYS =
  "ifExists: 'update' changes the relation, ifExists: 'skip' leaves the edge as it is, and ifExists: 'reinforce' without a relation strengthens it."

/** Decides how an agent's claim changes the edge between two blocks; nothing is written yet. */
function decide(claims: Claims, asserted: Asserted): ConnectResult {
  const { spec, ends, moment } = asserted
  const said = claimOf(spec)
  const context = { ...moment, source: ends[0] }
  const before = claims.linker.between(...ends)
  if (before === undefined) return create(claims, assertedEdge(ends, said, context), asserted)
  const { from: fromId, to: toId, relation, weight, origin } = before
  if (spec.ifExists === 'skip') return resultOf(ends, before, 'skipped')
  if (spec.ifExists === 'error')
    throw new ElfmemError('EDGE_EXISTS', `${fromId} and ${toId} are joined already ("${relation}").`, {
      recovery: WAYS,
      details: { fromId, toId, relation, weight },
    })
  if (spec.ifExists === 'update')
    return change(claims, [before, updatedEdge(before, said, context)], asserted)
  if (origin !== 'agent' && (said.relation ?? said.weight) !== undefined) {
    // An edge that use or a rule made gives way to an agent's claim.
    const usual = relationDefaultWeight(said.relation ?? relation)
    return change(claims, [before, updatedEdge(before, { weight: usual, ...said }, context)], asserted)
  }
  if (said.relation !== undefined && said.relation !== relation)
    throw new ElfmemError(
      'RELATION_CONFLICT',
      `${fromId} and ${toId} are joined by "${relation}", as an agent said; reinforcing does not make it "${said.relation}".`,
      { recovery: WAYS, details: { fromId, toId, relation, origin, claimed: said.relation } },
    )
  const options = { hours: moment.hours, step: GRAPH.edgeStep }
  return change(claims, [before, reinforcedEdge(before, said, options)], asserted, 'reinforced')
}

function claimOf({ relation, weight, note, ...given }: ConnectSpec): Claim {
  const text = note?.trim()
  if (text !== undefined) checkText('note', text)
  if (relation !== undefined) checkText('relation', relation)
  if (text !== undefined && codePointLength(text) > NOTE_LENGTH_MAX)
    throw new ElfmemError('INVALID_INPUT', `A note has at most ${NOTE_LENGTH_MAX} characters.`, {
      recovery: 'Shorten the note, or remember the explanation as a block of its own and connect that.',
    })
  return {
    ...defined({ weight, relation: relation === undefined ? undefined : normaliseRelation(relation) }),
    ...(text ? { note: text } : {}),
    ...validityGiven(given),
  }
}

function create(claims: Claims, edge: Edge, asserted: Asserted): ConnectResult {
  const { ends, moment } = asserted
  const admission = claims.linker.add(edge)
  const warning = warningOf(edge, asserted)
  if (admission.admitted) {
    notePair(claims, [undefined, edge], asserted)
    return resultOf(ends, edge, 'created', { displaced: admission.displaced, warning })
  }
  claims.pending.push(deferred(edge, moment.hours))
  return resultOf(ends, edge, 'deferred', { warning })
}

function change(
  claims: Claims,
  [before, after]: readonly [before: Edge, after: Edge],
  asserted: Asserted,
  action: 'reinforced' | 'updated' = 'updated',
): ConnectResult {
  claims.linker.replace(mustHold(after))
  claims.before.push(before)
  notePair(claims, [before, after], asserted)
  return resultOf(asserted.ends, after, action, { warning: warningOf(after, asserted) })
}

/**
 * Notes the effect of a claim on the open pair of two blocks. A contradiction is open until `resolve` settles it or the edge says something
 * else; any other relation settles the pairs that rules found between them.
 */
function notePair(
  { pairs, by }: Claims,
  [before, after]: readonly [before: Edge | undefined, after: Edge],
  { above }: Asserted,
): void {
  const was = before?.relation === CONTRADICTS
  const is = after.relation === CONTRADICTS
  if (is ? was : !was && above !== undefined) return
  const ends: Ends = [after.from, after.to]
  const pair = is ? contradictionOf(after, by === 'user' ? 'owner' : 'agent') : undefined
  pairs.set(ends.join(' '), { ends, ...defined({ pair }) })
}

/** Returns the warning that a contradiction with the owner's words is open, for the owner alone. */
function warningOf({ relation }: Edge, { above }: Asserted): string | undefined {
  if (relation !== CONTRADICTS || above === undefined) return undefined
  return `${above} holds the owner's words: the pair is open for the owner to resolve.`
}

function resultOf(
  [sourceId, targetId]: Ends,
  { relation, weight, note, validFrom, validUntil }: Edge,
  action: ConnectResult['action'],
  more: { readonly displaced?: readonly Edge[]; readonly warning?: string | undefined } = {},
): ConnectResult {
  const { displaced = [], warning } = more
  const stated = defined({ note, validFrom, validUntil, warning })
  return { sourceId, targetId, relation, weight, action, displaced, ...stated }
}

async function write(
  { tx, log }: Mutation,
  { linker, made, pending, pairs, before, by }: Claims,
  pendingMax: number,
): Promise<void> {
  const changed = made.filter(({ action }) => action !== 'skipped')
  const [first] = changed
  if (first === undefined) return
  const ends = endsOfAll(changed)
  const { displaced } = await linker.save(tx)
  await tx.rows.remove(disconnections, orderedPairs(ends))
  // Connections that are made now need not wait any more.
  await removePendingConnections(tx, endsOfAll(changed.filter(({ action }) => action !== 'deferred')))
  if (pending.length > 0) await defer(tx, pending, pendingMax)
  const words = [...pairs.values()]
  const contradictions = words.flatMap(({ pair }) => pair ?? [])
  if (contradictions.length > 0) await savePairs(tx, contradictions)
  const settled = words.flatMap((word) => (word.pair === undefined ? [word.ends] : []))
  // A stated supersession stays open.
  await resolvePairs(tx, settled, ['near_duplicate', 'perhaps_newer', 'contradiction'])
  // The relation is stated now: no model, host or owner is asked about it any more.
  await removeUnlabelled(tx, ends)
  await log({
    operation: 'connect',
    blockIds: [...new Set(ends.flat())],
    summary:
      // The relation is left out: its name is the caller's, and an erasure takes it from rows, not from sentences.
      changed.length === 1 ? `${first.action}: two blocks` : `${changed.length} connections`,
    ...(first.note === undefined || changed.length > 1 ? {} : { reason: first.note }),
    before: { edges: before, displaced, by, ends },
  })
}

async function defer(tx: Transaction, pending: readonly PendingConnection[], most: number): Promise<void> {
  const waiting = await tx.rows.scan(PENDING, { order: ['id'], limit: most })
  const keyOf = ({ source, target }: PendingConnection) => pairKey([source, target])
  const known = new Set(waiting.map(keyOf))
  // The last claim about a pair counts, and counts once.
  const latest = new Map(pending.map((each) => [keyOf(each), each]))
  const fresh = [...latest.keys()].filter((key) => !known.has(key))
  if (waiting.length + fresh.length > most)
    throw new ElfmemError('INVALID_INPUT', `${most} connections wait for room already.`, {
      recovery:
        'curate() admits what has room; disconnect() edges of the full blocks, or raise memory.edge_degree_cap.',
      details: { pendingConnections: waiting.length },
    })
  await savePendingConnections(tx, [...latest.values()])
}

function endsOfAll(made: readonly ConnectResult[]): Ends[] {
  return made.map(({ sourceId, targetId }) => orderedPair(sourceId, targetId))
}

/** The part of a log entry about connections: the highest class that the caller could claim, and the pairs. */
type Assertion = { readonly by: SourceClass; readonly ends: readonly Ends[] }

/**
 * Throws `OWNER_ONLY` if an edge was asserted by a caller trusted more than this one. If the log no longer names the asserter, the edge is
 * the owner's if both blocks are. Runs no statement for the owner, nor for an edge that nobody asserted.
 *
 * @param claimed.done the act on the edge, as a participle
 */
export async function mustNotBeOwners(
  engine: Engine,
  context: CallContext,
  claimed: {
    readonly tx: ReadTransaction
    readonly edge: Edge
    readonly done: string
  },
): Promise<void> {
  const { tx, edge, done } = claimed
  if (edge.origin !== 'agent' || highestFor(engine, context) === 'user') return
  const { from, to, relation } = edge
  const sourceClass = await asserterOf(tx, edge)
  const holders = sourceClass === undefined ? await readBlocks(tx, [from, to]) : [{ sourceClass }]
  if (!holders.every((each) => isAbove(engine, context, each))) return
  throw ownerOnly(callerOf(engine, context), {
    what: `That ${from} and ${to} are joined by "${relation}" is the owner's word and is ${done} by the owner alone`,
    details: { fromId: from, toId: to, relation },
  })
}

/** Returns the class of the caller who last asserted an edge; undefined if the log goes back no further. */
async function asserterOf(
  tx: ReadTransaction,
  { from, to, createdAt }: Edge,
): Promise<SourceClass | undefined> {
  for (let before: number | undefined; ; ) {
    const filter = { operation: 'connect', blockId: from, since: createdAt, limit: 200 }
    const page: readonly OperationRecord[] = await tx.queries.operations({
      ...filter,
      ...defined({ before }),
    })
    for (const entry of page) {
      const said = entry.before as Partial<Assertion> | undefined
      const names = said?.ends?.some(([one, other]) => one === from && other === to)
      if (names && said?.by !== undefined) return said.by
    }
    if (page.length < filter.limit) return undefined
    before = page.at(-1)?.id
  }
}
