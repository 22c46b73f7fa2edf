import type { Block } from '../../domain/block/block.ts'
import {
  type BlockPair,
  deferred,
  type Edge,
  orderedPair,
  type PendingConnection,
} from '../../domain/graph/edge.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { type Displacement, Linker } from './linker.ts'

/** The connections of a block that is about to go, all but those with the block that stays. */
export interface Joined {
  readonly edges: readonly Edge[]
  readonly pairs: readonly BlockPair[]
  readonly pending: readonly PendingConnection[]
}

/** Reads what joins a block to others, before it is archived. Three statements. */
export async function readJoined(
  { settings }: Engine,
  tx: StoreReader,
  { goes, stays }: { readonly goes: Block; readonly stays: Block },
): Promise<Joined> {
  const { edges, pairs } = await tx.links([goes.id])
  const pending = await tx.pendingConnections(settings.graph.pendingMax)
  const isBetween = (one: string, other: string) => [one, other].includes(stays.id)
  return {
    edges: edges.filter(({ from, to }) => !isBetween(from, to)),
    pairs: pairs.filter(({ a, b, kind }) => kind === 'contradiction' && !isBetween(a, b)),
    pending: pending.filter(
      ({ source, target }) => [source, target].includes(goes.id) && !isBetween(source, target),
    ),
  }
}

/**
 * Joins the block that stays as the one was that has gone, within the degree cap. Where both were joined to a third, the edge of
 * the one that stays is kept, unless an agent asserted only the other. Returns the edges evicted. At most six statements.
 */
export async function handOver(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  { goes, stays, joined }: { readonly goes: Block; readonly stays: Block; readonly joined: Joined },
): Promise<readonly Displacement[]> {
  const named = (id: string) => (id === goes.id ? stays.id : id)
  const edges = joined.edges.map((edge): Edge => {
    const [from, to] = orderedPair(named(edge.from), named(edge.to))
    return {
      ...{ ...edge, from, to },
      ...(edge.declaredBy === undefined ? {} : { declaredBy: named(edge.declaredBy) }),
    }
  })
  const ids = edges.flatMap(({ from, to }) => [from, to])
  const linker = await Linker.open(engine, { tx, moment }, ids, { heedDisconnections: false })
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
  const { displacements } = await linker.save(tx)
  const pairs = joined.pairs.map((pair): BlockPair => {
    const [a, b] = orderedPair(named(pair.a), named(pair.b))
    return { ...pair, a, b }
  })
  if (pairs.length > 0) await tx.savePairs(pairs)
  if (waiting.length > 0) await tx.savePendingConnections(waiting)
  return displacements
}
