import { type Edge, type EdgeOrigin, orderedPair } from '../../domain/graph/edge.ts'
import { normaliseRelation } from '../../domain/graph/relation.ts'
import { count } from '../../domain/text/count.ts'
import type { OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { type Displacement, Linker } from '../graph/linker.ts'
import { checkText } from '../guard/check-input.ts'
import { resolveIds } from '../guard/resolve-ids.ts'
import { mustNotBeOwners } from './assertions.ts'

export interface DisconnectInput {
  readonly source: string
  readonly target: string
  /** Only when this is the edge's relation. */
  readonly guardRelation?: string | undefined
  readonly reason?: string | undefined
}

export interface DisconnectResult {
  readonly sourceId: string
  readonly targetId: string
  readonly action: 'removed' | 'not_found' | 'guarded'
  /** Of the removed edge or, without one, waiting connection; of the edge that is guarded. */
  readonly removedRelation?: string
  readonly removedWeight?: number
  /** Edges the removed one had evicted, now back. */
  readonly restored: readonly Edge[]
  /** True if a connection was removed that waited because of the degree cap. */
  readonly pendingRemoved: boolean
}

/**
 * Takes an edge away, and what only waited to become one. Neither dream nor use joins the two again for
 * `disconnectHours`; an agent may at once. `OWNER_ONLY` for what the owner asserted, unless the owner calls. Edges it evicted come back as far as the degree cap allows.
 * Unknown ids are no error: what is not joined is not joined. At most twelve statements.
 */
export function disconnect(
  engine: Engine,
  context: CallContext,
  input: DisconnectInput,
): Promise<DisconnectResult> {
  if (input.reason !== undefined) checkText('reason', input.reason)
  return mutate(engine, context, async (mutation) => {
    const { byGiven } = await resolveIds(mutation.tx, [input.source, input.target])
    const [sourceId = input.source, targetId = input.target] = [input.source, input.target].map((given) =>
      byGiven.get(given.trim()),
    )
    const nothing = { sourceId, targetId, restored: [], pendingRemoved: false } as const
    if (byGiven.size < 2 || sourceId === targetId) return { ...nothing, action: 'not_found' }
    const linker = await Linker.open(engine, mutation, [sourceId, targetId], { heedDisconnections: false })
    const edge = linker.between(sourceId, targetId)
    const guard = input.guardRelation === undefined ? undefined : normaliseRelation(input.guardRelation)
    if (edge && guard !== undefined && edge.relation !== guard)
      return { ...nothing, action: 'guarded', removedRelation: edge.relation, removedWeight: edge.weight }
    if (edge) await mustNotBeOwners(engine, context, { tx: mutation.tx, edge, done: 'taken back' })
    return takeApart(engine, mutation, { input, sourceId, targetId, edge })
  })
}

interface Apart {
  readonly input: DisconnectInput
  readonly sourceId: string
  readonly targetId: string
  readonly edge: Edge | undefined
}

async function takeApart(
  engine: Engine,
  mutation: Mutation,
  { input, sourceId, targetId, edge }: Apart,
): Promise<DisconnectResult> {
  const { tx, moment, log } = mutation
  const ends = orderedPair(sourceId, targetId)
  const pending = await tx.removePendingConnections([ends])
  const pendingRemoved = pending.length > 0
  if (edge === undefined && !pendingRemoved)
    return { sourceId, targetId, action: 'not_found', restored: [], pendingRemoved }
  const reason = input.reason ? { reason: input.reason } : {}
  await tx.saveDisconnections([{ from: ends[0], to: ends[1], at: moment.hours, ...reason }])
  const restored = edge === undefined ? [] : await removeEdge(engine, mutation, edge)
  const relation = edge?.relation ?? pending[0]?.relation ?? ''
  await log({
    operation: 'disconnect',
    blockIds: [sourceId, targetId],
    summary: `removed ${edge ? '' : 'waiting '}"${relation}"${restored.length > 0 ? `, ${count(restored.length, 'edge')} back` : ''}`,
    ...reason,
    before: { edges: edge ? [edge] : [], pending, restored },
  })
  return {
    sourceId,
    targetId,
    action: 'removed',
    removedRelation: relation,
    removedWeight: edge?.weight ?? pending[0]?.weight ?? 0,
    restored,
    pendingRemoved,
  }
}

async function removeEdge(engine: Engine, { tx, moment }: Mutation, edge: Edge): Promise<readonly Edge[]> {
  await tx.removeEdges([[edge.from, edge.to]])
  if (edge.relation === 'contradicts') await tx.resolvePair(edge.from, edge.to)
  const displaced = await displacedBy(tx, edge)
  if (displaced.length === 0) return []
  const ids = displaced.flatMap(({ from, to }) => [from, to])
  const active = new Set(
    (await tx.blocks(ids)).filter(({ status }) => status === 'active').map(({ id }) => id),
  )
  const linker = await Linker.open(engine, { tx, moment }, ids, { heedDisconnections: true })
  for (const each of displaced) {
    const isFree = linker.between(each.from, each.to) === undefined
    if (isFree && active.has(each.from) && active.has(each.to) && linker.isBelowCap(each)) linker.add(each)
  }
  return (await linker.save(tx)).added
}

/** How many of a block's connections are looked through for the one that evicted others. */
const LOOKED_BACK = 20

/** Under which names what makes an edge is logged. */
const MAKERS: Readonly<Record<EdgeOrigin, readonly string[]>> = {
  agent: ['connect'],
  outcome: ['outcome'],
  co_retrieval: ['recall', 'promote_pairs'],
  similarity: ['promote'],
  llm_inferred: [],
}

/** Returns the edges this very edge evicted, not an earlier one of the pair; as far as the log goes back. */
async function displacedBy(tx: StoreReader, edge: Edge): Promise<readonly Edge[]> {
  const { from, to, createdAt, origin, previousOrigin = origin } = edge
  const found: Edge[] = []
  // A promotion is logged under the new block alone, which may be either end.
  for (const operation of MAKERS[previousOrigin])
    for (const blockId of operation === 'promote' ? [from, to] : [from]) {
      const log = await tx.operations({ operation, blockId, limit: LOOKED_BACK })
      const made = log.filter(({ at }) => at === createdAt).flatMap(displacementsOf)
      found.push(...made.filter(({ by }) => by[0] === from && by[1] === to).map(({ edge }) => edge))
    }
  return found
}

/** As every maker of edges logs them. */
function displacementsOf({ before }: OperationRecord): readonly Displacement[] {
  return ((before ?? {}) as { readonly displacements?: readonly Displacement[] }).displacements ?? []
}
