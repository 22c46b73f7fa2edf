import type { BlockIndex, ContentVectors } from '../block/block.ts'
import { unreadable } from '../errors.ts'
import { type RowOf, viewOf } from './description.ts'
import { newGeneration, saveMeta } from './log.ts'
import { meta, STATE_META } from './log-tables.ts'
import type { VectorTotals } from './queries.ts'
import { blockIndex, blocks, blockVectors } from './tables.ts'
import { keysOf, type ReadTransaction, type Transaction } from './transaction.ts'

const INDEXED = viewOf(blocks, ['id', 'arrival', 'status', 'sequence', 'content'])

/** Blocks whose vectors are removed at once. */
const SLICE = 1_000

type IndexRow = RowOf<typeof blockIndex>
type VectorRow = RowOf<typeof blockVectors>

/** The vector in a blob of little-endian float32. */
function vectorOf(bytes: Uint8Array): Float32Array {
  if (bytes.byteLength % 4 !== 0) throw unreadable('A vector of the memory is no list of numbers.')
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  return new Float32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4)
}

function rowOf(arrival: number, set: number, { vector, passages }: ContentVectors): VectorRow {
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
  return { arrival, vector: bytes, set, ...(passages && { passages }) }
}

/** The vectors of a block and the content they were made of. */
export interface EmbeddedContent extends ContentVectors {
  readonly id: string
  readonly content: string
}

/** The vectors in the two blobs of a row. */
export function contentVectors(vector: Uint8Array, passages?: Uint8Array): ContentVectors {
  return { vector: vectorOf(vector), ...(passages && { passages: passages.slice() }) }
}

/** Reads the vectors in use of the blocks that have any, by id. */
export async function readVectors(
  tx: ReadTransaction,
  ids: readonly string[],
): Promise<Map<string, ContentVectors>> {
  const at = await tx.lookUp(ids)
  const idOf = new Map(ids.flatMap((id) => [[at(id)?.arrival, id] as const]))
  const known = [...idOf.keys()].filter((arrival) => arrival !== undefined)
  const { vectorSet } = await tx.state()
  const held = await tx.rows.get(blockVectors, inSet(known, vectorSet))
  const vectorsOf = ({ vector, passages }: VectorRow) => contentVectors(vector, passages)
  return new Map(held.map((row) => [idOf.get(row.arrival) as string, vectorsOf(row)]))
}

/** Inserts or replaces the index entries of existing blocks. Only an active block whose index differs counts as changed. */
export async function saveIndex(tx: Transaction, entries: readonly BlockIndex[]): Promise<void> {
  const wanted = new Map(entries.map((entry) => [entry.id, entry]))
  const own = await tx.blocks(INDEXED, wanted.keys())
  if (own.length === 0) return
  const before = await tx.rows.get(blockIndex, keysOf(own.map(({ arrival }) => arrival)))
  const moved = await saveVectors(tx, own, (id) => wanted.get(id)?.vectors)
  const stored = new Map(before.map((row) => [row.arrival, row]))
  const index = own.map(({ id, arrival, sequence = 0 }): IndexRow => {
    const { terms, flags, names } = wanted.get(id) as BlockIndex
    return { arrival, terms, flags, sequence, ...(names === undefined ? {} : { names }) }
  })
  for (const row of index) if (isOther(row, stored.get(row.arrival))) moved.add(row.arrival)
  const counted = own.filter(({ status, arrival }) => status === 'active' && moved.has(arrival))
  const numbered = new Set(counted.map(({ arrival }) => arrival))
  const sequence = await numberBlocks(tx, [...numbered])
  const rows = index.map((row) => (numbered.has(row.arrival) ? { ...row, sequence } : row))
  await tx.rows.put(blockIndex, rows, before)
}

function isOther({ terms, flags, names }: IndexRow, stored: IndexRow | undefined): boolean {
  return stored?.terms !== terms || stored.flags !== flags || stored.names !== names
}

/** Returns the arrivals whose vector came, changed or went. */
async function saveVectors(
  tx: Transaction,
  blocks: readonly { readonly id: string; readonly arrival: number }[],
  vectorsOf: (id: string) => ContentVectors | undefined,
): Promise<Set<number>> {
  const { vectorSet } = await tx.state()
  const kept = blocks.flatMap(({ id, arrival }) => {
    const vectors = vectorsOf(id)
    return vectors === undefined ? [] : [rowOf(arrival, vectorSet, vectors)]
  })
  const without = blocks.filter(({ id }) => vectorsOf(id) === undefined).map(({ arrival }) => arrival)
  const written = await putVectors(tx, kept)
  const removed = await removeVectors(tx, without)
  return new Set([...written, ...removed].map(({ arrival }) => arrival))
}

/** Puts vectors in use; returns those that differ. The shadow vectors of these blocks were made beside others, and go. */
export async function putVectors(tx: Transaction, given: readonly VectorRow[]): Promise<VectorRow[]> {
  const written = await tx.rows.put(blockVectors, given)
  const arrivals = written.map(({ arrival }) => arrival)
  await removeFromShadow(tx, arrivals)
  return written
}

/** Removes vectors in use; returns them. */
export async function removeVectors(tx: Transaction, arrivals: readonly number[]): Promise<VectorRow[]> {
  if (arrivals.length === 0) return []
  const { vectorSet } = await tx.state()
  await removeFromShadow(tx, arrivals)
  return tx.rows.remove(blockVectors, inSet(arrivals, vectorSet))
}

async function removeFromShadow(tx: Transaction, arrivals: readonly number[]): Promise<void> {
  const { hasShadow, vectorSet } = await tx.state()
  if (hasShadow && arrivals.length > 0) await tx.rows.remove(blockVectors, inSet(arrivals, 1 - vectorSet))
}

function inSet(arrivals: readonly number[], set: number): [arrival: number, set: number][] {
  return arrivals.map((arrival) => [arrival, set])
}

/** Gives blocks the number of a change, which it returns; 0 when there are none. */
export async function numberBlocks(tx: Transaction, arrivals: readonly number[]): Promise<number> {
  if (arrivals.length === 0) return 0
  const sequence = await tx.nextSequence()
  await tx.rows.queries.number(arrivals, sequence)
  return sequence
}

/** Saves the vectors whose blocks wait and still have the content, as a change for readers. */
export async function saveWaitingVectors(tx: Transaction, made: readonly EmbeddedContent[]): Promise<void> {
  const wanted = new Map(made.map((each) => [each.id, each]))
  const found = await tx.blocks(INDEXED, wanted.keys())
  const same = found.filter(({ id, content }) => content === wanted.get(id)?.content)
  const waiting = same.filter(({ status }) => status === 'inbox')
  await numberBlocks(tx, [...(await saveVectors(tx, waiting, (id) => wanted.get(id)))])
}

/** Counts the vectors in use, the code points they stand for, and the vectors that the shadow set lacks. Cost: all vectors. */
export async function readVectorTotals({ rows }: ReadTransaction): Promise<VectorTotals> {
  const { settled: _settled, ...totals } = await rows.queries.vectorTotals()
  return totals
}

/** Reads the first `limit` blocks that the shadow set lacks, by arrival; none without a shadow set. */
export const readMissingShadow = ({ rows }: ReadTransaction, limit: number) =>
  rows.queries.missingShadow(limit)

/**
 * Removes the vectors of all blocks that wait, in any scope, and makes a new generation. Returns false, and does nothing, if a block
 * that does not wait has a vector.
 */
export async function dropWaitingVectors({ whole: tx }: Transaction): Promise<boolean> {
  if ((await tx.rows.queries.vectorTotals()).settled > 0) return false
  const { vectorSet } = await tx.state()
  await dropSet(tx, vectorSet)
  await dropSet(tx, 1 - vectorSet)
  await newGeneration(tx)
  return true
}

/** Removes a set of vectors, some at a time. */
async function dropSet({ rows }: Transaction, set: number): Promise<void> {
  for (let after = 0; ; ) {
    const slice = await rows.scan(KEYS, { order: ['arrival'], from: ['arrival', after], limit: SLICE })
    const arrivals = slice.map(({ arrival }) => arrival)
    await rows.remove(blockVectors, inSet(arrivals, set))
    const last = arrivals.at(-1)
    if (last === undefined || slice.length < SLICE) return
    after = last
  }
}

/**
 * Makes an empty shadow set of vectors: a second set for another model, or the one that was in use before. An older shadow set is
 * dropped. Whatever changes or removes a vector in use removes the one that its block has in the shadow set.
 */
export async function beginShadow(tx: Transaction): Promise<void> {
  await dropShadow(tx)
  await saveMeta(tx, STATE_META.shadow, '1')
  tx.forget()
}

/** Saves shadow vectors whose blocks have a vector in use and still have the content; nothing without a shadow set. */
export async function saveShadow(
  { whole: tx }: Transaction,
  vectors: readonly EmbeddedContent[],
): Promise<void> {
  const { hasShadow, vectorSet } = await tx.state()
  if (!hasShadow) return
  const wanted = new Map(vectors.map((each) => [each.id, each]))
  const found = await tx.blocks(INDEXED, wanted.keys())
  const same = found.filter(({ id, content }) => content === wanted.get(id)?.content)
  const places = inSet(
    same.map(({ arrival }) => arrival),
    vectorSet,
  )
  const isInUse = new Set((await tx.rows.get(KEYS, places)).map(({ arrival }) => arrival))
  const kept = same.filter(({ arrival }) => isInUse.has(arrival))
  const shadow = kept.map(({ id, arrival }) =>
    rowOf(arrival, 1 - vectorSet, wanted.get(id) as ContentVectors),
  )
  await tx.rows.put(blockVectors, shadow)
}

/**
 * Brings the shadow set into use, makes the other one the shadow set, and makes a new generation. Returns false, and does nothing, if
 * there is no shadow set or a block is missing in it. Costs the same at any size.
 */
export async function swapVectors(tx: Transaction): Promise<boolean> {
  const { hasShadow, vectorSet } = await tx.state()
  if (!hasShadow || (await tx.rows.queries.missingShadow(1)).length > 0) return false
  await saveMeta(tx, STATE_META.vectorSet, String(1 - vectorSet))
  await newGeneration(tx)
  tx.forget()
  return true
}

/** Removes the shadow set, if any. */
export async function dropShadow(tx: Transaction): Promise<void> {
  const { hasShadow, vectorSet } = await tx.state()
  if (hasShadow) await dropSet(tx.whole, 1 - vectorSet)
  await tx.rows.remove(meta, [[STATE_META.shadow]])
  tx.forget()
}

const KEYS = viewOf(blockVectors, ['arrival', 'set'])
