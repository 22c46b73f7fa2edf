import type { Block } from '../block/block.ts'
import { count, defined } from '../block/text.ts'
import { reindex } from '../engine/embedding.ts'
import type { Engine, Mutation } from '../engine/engine.ts'
import { endByOthers, endReplaced } from '../intake/supersede.ts'
import { idsOfStatus, readSameTexts, readVectors, saveBlocks } from '../store/blocks.ts'
import {
  addArchivedEdges,
  readLinks,
  savePairs,
  savePendingConnections,
  takeArchivedEdges,
} from '../store/graph.ts'
import { PENDING } from '../store/tables.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import {
  type BlockPair,
  deferred,
  type Edge,
  endsOf,
  orderedPair,
  type PendingConnection,
  replacingPair,
} from './edge.ts'
import { isProtectedEdge, type Linked, Linker } from './linker.ts'

type Joined = Awaited<ReturnType<typeof readJoined>>

/** Reads the edges, contradictions and waiting connections of the block `goes` with others than `stays`. Runs three statements. */
export async function readJoined(
  { settings }: Engine,
  tx: ReadTransaction,
  { goes, stays }: { readonly goes: Block; readonly stays: Block },
) {
  const { edges, pairs } = await readLinks(tx, [goes.id])
  const pending = await tx.rows.scan(PENDING, { order: ['id'], limit: settings.graph.pendingMax })
  const isOther = (...ends: readonly string[]) => ends.includes(goes.id) && !ends.includes(stays.id)
  return {
    edges: edges.filter(({ from, to }) => isOther(from, to)),
    pairs: pairs.filter(({ a, b, kind }) => kind === 'contradiction' && isOther(a, b)),
    pending: pending.filter(({ source, target }) => isOther(source, target)),
  }
}

/**
 * Hands the edges of the block `goes` over to the block `stays`, within the degree cap. If both were joined to a third block, the edge of
 * `stays` is kept, unless an agent asserted only the other. Returns the evicted edges. Runs at most six statements.
 */
export async function handOver(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  { goes, stays, joined }: { readonly goes: Block; readonly stays: Block; readonly joined: Joined },
): Promise<readonly Edge[]> {
  const named = (id: string) => (id === goes.id ? stays.id : id)
  const edges = joined.edges.map((edge): Edge => {
    const [from, to] = orderedPair(named(edge.from), named(edge.to))
    const declaredBy = edge.declaredBy === undefined ? undefined : named(edge.declaredBy)
    return { ...edge, from, to, ...defined({ declaredBy }) }
  })
  const linker = await Linker.open(engine, { tx, moment }, edges.flatMap(endsOf), {
    heedDisconnections: false,
  })
  const waiting = joined.pending.map(
    (each): PendingConnection => ({ ...each, source: named(each.source), target: named(each.target) }),
  )
  // Edges that an agent asserted find room first.
  const isAsserted = ({ origin }: Edge) => Number(origin === 'agent')
  for (const edge of edges.sort((one, other) => isAsserted(other) - isAsserted(one))) {
    const before = linker.between(edge.from, edge.to)
    if (before === undefined) {
      if (!linker.add(edge).admitted && isAsserted(edge)) waiting.push(deferred(edge, moment.hours))
    } else if (isAsserted(edge) > isAsserted(before))
      linker.replace({ ...edge, previousOrigin: before.origin })
  }
  const { displaced } = await linker.save(tx)
  const pairs = joined.pairs.map((pair): BlockPair => {
    const [a, b] = orderedPair(named(pair.a), named(pair.b))
    return { ...pair, a, b }
  })
  if (pairs.length > 0) await savePairs(tx, pairs)
  if (waiting.length > 0) await savePendingConnections(tx, waiting)
  return displaced
}

/** A restored block with its edges; the output of `restore` says what each field means. */
export type Restored = Awaited<ReturnType<typeof bringBack>>

/**
 * Brings an archived block back to the state from which it was archived, with its tags, its evidence, and the edges and pairs whose other
 * end is still there. Its clock starts anew, so that it does not fade again at once.
 */
export async function bringBack(engine: Engine, { tx, moment, log }: Mutation, archived: Block) {
  const archivedEdges = await takeArchivedEdges(tx, archived.id)
  const isActive = (await readVectors(tx, [archived.id])).has(archived.id)
  const { previousStatus = isActive ? 'active' : 'inbox' } = archivedEdges ?? {}
  const status = previousStatus === 'archived' ? 'active' : previousStatus
  const { archiveReason, supersededBy, supersededAt: _end, archivedAt: _at, ...kept } = archived
  // To restore a replaced block says that it goes on; a forgotten or faded block keeps the end that others give it.
  const supersededAt = archiveReason === 'superseded' ? undefined : await endByOthers(tx, archived)
  const block: Block = { ...kept, status, lastReinforcedAt: moment.hours, ...defined({ supersededAt }) }
  await saveBlocks(tx, [block])
  const ended = await endReplaced(tx, [block])
  await reindex(tx, [block], engine.analysis)
  // If two blocks were archived together, both keep the edge between them.
  const byEnds = new Map((archivedEdges?.edges ?? []).map((edge) => [`${edge.from} ${edge.to}`, edge]))
  const { added, displaced } = await joinAgain(engine, { tx, moment }, [...byEnds.values()])
  const pairs = archivedEdges?.pairs ?? []
  const living = await idsOfStatus(tx, [...new Set(pairs.flatMap(({ a, b }) => [a, b]))], LIVING)
  const back = pairs.filter(({ a, b }) => living.has(a) && living.has(b))
  if (back.length > 0) await savePairs(tx, back)
  // The block has its place again, whatever was decided before it went.
  const replacing = ended.map((older) => replacingPair(block, older, moment.at))
  if (replacing.length > 0) await savePairs(tx, replacing, { reopens: true })
  const same = (await readSameTexts(tx, [block])).find(({ id }) => id !== block.id)
  await log({
    operation: 'restore',
    blockIds: [block.id],
    summary: `is ${status} again with ${added.length} of ${count(byEnds.size, 'edge')}`,
    before: { status: 'archived', archiveReason, supersededBy, displaced },
  })
  return {
    ...{ blockId: block.id, status },
    edgesRestored: added.length,
    edgesLost: byEnds.size - added.length,
    displaced,
    ...defined({ sameAs: same?.id }),
  }
}

const LIVING = ['active', 'inbox'] as const

/** Joins living blocks again within the degree cap: first the edges that an agent asserted, then the heavier ones. */
async function joinAgain(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  edges: readonly Edge[],
): Promise<Linked> {
  if (edges.length === 0) return { added: [], displaced: [] }
  const back = await idsOfStatus(tx, [...new Set(edges.flatMap(endsOf))], LIVING)
  const areLiving = (edge: Edge) => endsOf(edge).every((id) => back.has(id))
  // An edge to a block that is still archived comes back with that block.
  const others = edges.filter((edge) => !areLiving(edge))
  await addArchivedEdges(tx, others)
  const living = edges
    .filter(areLiving)
    .sort((a, b) => Number(isProtectedEdge(b)) - Number(isProtectedEdge(a)) || b.weight - a.weight)
  const linker = await Linker.open(engine, { tx, moment }, [...back], { heedDisconnections: false })
  for (const edge of living) if (!linker.between(edge.from, edge.to)) linker.add(edge)
  return linker.save(tx)
}
