import type { Edge, Ends } from '../../domain/graph/edge.ts'
import { edgesOverCap } from '../../domain/graph/rules.ts'
import { defined } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import type { StoreWriter } from '../../ports/store/transaction.ts'
import type { Later } from '../../ports/store/undo.ts'
import type { Engine } from '../engine/engine.ts'

interface Returned {
  readonly blockIds: readonly string[]
  /** Edges that came back. */
  readonly back: readonly Ends[]
  readonly later: Later
}

/**
 * Evicts edges that use made, at archived blocks or above the degree cap, for edges that are back.
 * Returns them. Anything else in the way throws `CONFLICT`. At most seven statements.
 */
export async function evictForReturned(engine: Engine, tx: StoreWriter, returned: Returned): Promise<Ends[]> {
  return [...(await dropStrays(tx, returned)), ...(await dropOverCap(engine, tx, returned))]
}

/** Archived blocks are not joined. */
async function dropStrays(tx: StoreWriter, { blockIds, back, later }: Returned): Promise<Ends[]> {
  const away = (await tx.blocks(blockIds)).filter(({ status }) => status === 'archived').map(({ id }) => id)
  if (away.length === 0) return []
  const { edges } = await tx.links(away)
  const strays = await ofUse(tx, edges, back, later)
  if (strays.edges.length < edges.length)
    throw inTheWay(
      edges.filter((edge) => !strays.edges.includes(edge)).flatMap(({ from, to }) => [from, to]),
      strays,
    )
  return drop(tx, strays.edges)
}

/** Edges come back only where the degree cap allows all of them. */
async function dropOverCap(
  { settings }: Engine,
  tx: StoreWriter,
  { back, later }: Returned,
): Promise<Ends[]> {
  if (back.length === 0) return []
  const { edgeDegreeCap: cap } = settings.memory
  const degrees = await tx.degrees([...new Set(back.flat())])
  const full = [...degrees].filter(([, degree]) => degree > cap).map(([id]) => id)
  if (full.length === 0) return []
  const { edges } = await tx.links(full)
  const evictable = await ofUse(tx, edges, back, later)
  const overCap = edgesOverCap(
    full.map((id) => ({ id, many: (degrees.get(id) ?? 0) - cap })),
    evictable.edges,
  )
  if (overCap === undefined) throw inTheWay(full, { ...evictable, isFull: true })
  return drop(tx, overCap)
}

interface OfUse {
  readonly edges: readonly Edge[]
  /** The last operation that changed one of the other edges that use made. */
  readonly changedBy?: number
}

/** Of some edges those that are there by use alone. */
async function ofUse(
  tx: StoreWriter,
  edges: readonly Edge[],
  back: readonly Ends[],
  later: Later,
): Promise<OfUse> {
  const returned = new Set(back.map((ends) => ends.join(' ')))
  const made = edges.filter(
    ({ origin, from, to }) => origin === 'co_retrieval' && !returned.has(`${from} ${to}`),
  )
  if (made.length === 0) return { edges: [] }
  const touched = await tx.touchedEdges(
    made.map(({ from, to }): Ends => [from, to]),
    later,
  )
  const others = new Set(touched.map(({ from, to }) => `${from} ${to}`))
  return {
    edges: made.filter(({ from, to }) => !others.has(`${from} ${to}`)),
    ...(touched.length === 0 ? {} : { changedBy: Math.max(...touched.map(({ by }) => by)) }),
  }
}

async function drop(tx: StoreWriter, edges: readonly Edge[]): Promise<Ends[]> {
  const ends = edges.map(({ from, to }): Ends => [from, to])
  if (ends.length > 0) await tx.removeEdges(ends)
  return ends
}

function inTheWay(
  blockIds: readonly string[],
  { changedBy, isFull }: Pick<OfUse, 'changedBy'> & { readonly isFull?: true },
): ElfmemError {
  return new ElfmemError('CONFLICT', 'What joins these blocks was changed since.', {
    recovery: 'Undo what came later first; history() shows it.',
    details: {
      blockIds: [...new Set(blockIds)],
      ...defined({ changedBy, isFull }),
    },
  })
}
