import { hash } from 'node:crypto'
import {
  type Block,
  type BlockIndex,
  type BlockStatus,
  type ContentVectors,
  firstId,
  type Ground,
  type Occurrence,
  otherIds,
} from '../block/block.ts'
import { defined, isSameText, undressed } from '../block/text.ts'
import type { Ids } from '../engine/ports.ts'
import { unreadable } from '../errors.ts'
import type { BlockFilter, BlockPage } from './database.ts'
import { codecOf, type RowOf, type View, viewOf } from './description.ts'
import { newGeneration, saveMeta } from './log.ts'
import { BLOCK, blockIndex, blocks, blockVectors, grounds, meta, occurrences, STATE_META } from './tables.ts'
import { keysOf, type ReadTransaction, sharedScope, type Transaction, takenId } from './transaction.ts'

/** A block as it is stored. */
export type BlockRow = RowOf<typeof blocks>

/** A said text is a text with its scope, if any. */
export type SaidText = Pick<Block, 'content' | 'scope'>

/** A new block lacks only its place in the session, which the store sets; a view also sets its own scope. */
export type NewBlock = Omit<Block, 'position'>

const STATUS = viewOf(blocks, ['id', 'status'])

/** Returns the key of a text: 16 hex digits of sha256, equal for texts that count as the same, and hardly ever for others. */
export function textKey(content: string): string {
  return hash('sha256', undressed(content)).slice(0, 16)
}

/** Reads blocks by their ids, in the order of the ids, with their occurrences; those of `saidAgain` are read along with the blocks. */
export async function readBlocks(
  tx: ReadTransaction,
  ids: readonly string[],
  saidAgain: readonly string[] = [],
): Promise<Block[]> {
  const [found, known] = await Promise.all([tx.blocks(BLOCK, ids), tx.rows.touching(occurrences, saidAgain)])
  return withOccurrences(tx, found, known)
}

/** Counts the blocks in the inbox. Cost: an index of them alone, unlike `Queries.counts`. */
export const readWaiting = ({ rows }: ReadTransaction) => rows.count(blocks, { status: 'inbox' })

/** Reads a page of the blocks that a filter lets through. */
export async function readPage(tx: ReadTransaction, filter: BlockFilter): Promise<BlockPage> {
  const page = await tx.rows.queries.page(filter)
  return { ...page, blocks: await withOccurrences(tx, page.blocks) }
}

/** Reads blocks in the inbox or active that say the same as one of the texts in its scope (`isSameText`), by text, then oldest first. */
export async function readSameTexts(tx: ReadTransaction, texts: readonly SaidText[]): Promise<Block[]> {
  const { rows, scope: own } = tx
  const visible = texts.filter(({ scope }) => own === undefined || scope === own)
  if (visible.length === 0) return []
  const wanted = visible.map(({ content, scope = '' }) => [textKey(content), scope] as const)
  const unique = new Map(wanted.map((each) => [each.join(' '), each]))
  const found = await rows.queries.blocksByText([...unique.values()])
  if (found.length === 0) return []
  const said = new Set(visible.map(({ content }) => undressed(content)))
  const same = found.filter(({ content }) => said.has(undressed(content)))
  return withOccurrences(tx, same)
}

/**
 * Inserts blocks at the ends of their sessions, one after the other, unless their ids are taken; together they are one change. Sessions
 * with the same name in two scopes are two. Returns each block as it is stored now, `inserted` false if its id was taken. Throws
 * `INVALID_INPUT` if the id belongs to a block of another scope.
 */
export async function insertBlocks(
  tx: Transaction,
  given: readonly NewBlock[],
): Promise<{ readonly inserted: boolean; readonly block: Block }[]> {
  if (given.length === 0) return []
  const sequence = (await tx.state()).sequence + 1
  const fresh = given.map((block): Partial<BlockRow> => {
    const { scope = block.scope } = tx
    const seen = block.status === 'archived' ? undefined : sequence
    return { ...block, ...defined({ scope, sequence: seen }), textKey: textKey(block.content) }
  })
  const stored = await tx.rows.insert(blocks, fresh)
  const taken = given.filter((_, i) => stored[i] === undefined).map(({ id }) => id)
  const known = await blocksById(tx, taken)
  if (stored.some((row) => row?.sequence !== undefined)) tx.setSequence(sequence)
  return given.map(({ id }, i) => {
    const row = stored[i]
    if (row === undefined) {
      const block = known.get(id)
      if (block === undefined) throw takenId('a block', id)
      return { inserted: false, block }
    }
    tx.noteBlock(row)
    const { arrival: _arrival, sequence: _sequence, textKey: _textKey, ...block } = row
    return { inserted: true, block }
  })
}

/** Reads blocks as they are stored, without their occurrences. No later look-up of them runs a statement. */
export async function readRows(tx: Transaction, ids: Iterable<string>): Promise<BlockRow[]> {
  const rows = await tx.blocks(blocks, ids)
  for (const row of rows) tx.noteBlock(row)
  return rows
}

/**
 * Overwrites all fields and tags of existing blocks, except the scope, which never changes, and removes vectors that were made of
 * other words.
 *
 * @param known the stored rows of the blocks; read if left out
 */
export async function saveBlocks(
  tx: Transaction,
  given: readonly Block[],
  known?: readonly BlockRow[],
): Promise<void> {
  if (given.length === 0) return
  const wanted = new Map(given.map((block) => [block.id, block]))
  const { encode } = codecOf(BLOCK)
  const before = (known ?? (await readRows(tx, wanted.keys()))).filter(({ id }) => wanted.has(id))
  const were = new Map(before.map((row) => [row.arrival, row]))
  const changed = before.flatMap((was): BlockRow[] => {
    const { arrival, sequence, scope } = was
    const { scope: _scope, ...block } = wanted.get(was.id) as Block
    const key = block.content === was.content && was.textKey ? was.textKey : textKey(block.content)
    const row = { ...block, arrival, textKey: key, ...defined({ sequence, scope }) }
    const [values, others] = [encode(row), encode(was)]
    return values.some((value, i) => value !== others[i]) ? [row] : []
  })
  if (changed.length === 0) return
  await dropStaleVectors(tx, were, changed)
  const isSeen = (row: BlockRow) => row.status !== 'archived' || were.get(row.arrival)?.status !== 'archived'
  const sequence = changed.some(isSeen) ? await tx.nextSequence() : 0
  const rows = changed.map((row) => (isSeen(row) ? { ...row, sequence } : row))
  await tx.rows.put(blocks, rows, before)
}

/** Removes the vectors of waiting blocks that were archived or whose content changed. */
export async function dropStaleVectors(
  tx: Transaction,
  were: ReadonlyMap<number, BlockRow>,
  changed: readonly BlockRow[],
): Promise<void> {
  const stale = changed.filter((row) => {
    const was = were.get(row.arrival)
    return was?.status === 'inbox' && (row.status === 'archived' || row.content !== was.content)
  })
  await removeVectors(
    tx,
    stale.map(({ arrival }) => arrival),
  )
}

/** Adds one use at `hours` to the active blocks among the given ones; returns their ids in the order given. */
export async function reinforceBlocks(
  tx: Transaction,
  ids: readonly string[],
  hours: number,
): Promise<string[]> {
  if (ids.length === 0) return []
  const sequence = (await tx.state()).sequence + 1
  const used = new Set(await tx.rows.queries.use(ids, { hours, sequence }))
  if (used.size > 0) tx.setSequence(sequence)
  return [...new Set(ids)].filter((id) => used.has(id))
}

/** Returns blocks with their occurrences, of which some are read. No statement if none of the others was said again. */
async function withOccurrences(
  tx: ReadTransaction,
  blocks: readonly Block[],
  known: readonly RowOf<typeof occurrences>[] = [],
): Promise<Block[]> {
  const byBlock = Map.groupBy(known, ({ blockId }) => blockId)
  const unread = blocks.filter(({ id, lastToldAt }) => lastToldAt !== undefined && !byBlock.has(id))
  if (unread.length + known.length === 0) return [...blocks]
  const ids = unread.map(({ id }) => id)
  for (const [id, own] of Map.groupBy(await tx.rows.touching(occurrences, ids), ({ blockId }) => blockId))
    byBlock.set(id, own)
  return blocks.map((block) => {
    const own = byBlock.get(block.id)?.map(({ arrival: _arrival, ...occurrence }) => occurrence)
    return own === undefined ? block : { ...block, occurrences: own }
  })
}

/** Inserts occurrences of existing blocks. The caller saves the new dates of the blocks (`lastAt`, `lastToldAt`). */
export async function saveOccurrences(tx: Transaction, given: readonly Occurrence[]): Promise<void> {
  const at = await tx.lookUp(given.map(({ blockId }) => blockId))
  const known = given.filter(({ blockId }) => at(blockId) !== undefined)
  await tx.rows.insert(occurrences, known)
}

/** The view of a ground that the engine knows; the scope of a ground stays in the store. */
export const GROUND: View<Ground> = viewOf(grounds, ['blockId', 'ground', 'foundBy', 'createdAt'])

/** Reads the grounds of blocks, or with `ground` the blocks that rest on them, in the order of both ids. Cost: rows that name a block. */
export async function readGroundsOf(
  { rows }: ReadTransaction,
  ids: readonly string[],
  end: 'blockId' | 'ground' = 'blockId',
): Promise<Ground[]> {
  const asked = new Set(ids)
  return (await rows.touching(GROUND, ids)).filter((each) => asked.has(each[end]))
}

/** Inserts the grounds of existing blocks; a known pair stays as it was noted first. */
export async function saveGrounds(tx: Transaction, given: readonly Ground[]): Promise<void> {
  if (given.length === 0) return
  const at = await tx.lookUp(given.flatMap(({ blockId, ground }) => [blockId, ground]))
  const wanted = given.flatMap((each) => {
    const [block, ground] = [at(each.blockId), at(each.ground)]
    return block && ground && block !== ground ? [{ ...each, ...sharedScope(block, ground) }] : []
  })
  const keyOf = (each: Pick<Ground, 'blockId' | 'ground'>) => `${each.blockId} ${each.ground}`
  const fresh = new Map(wanted.toReversed().map((each) => [keyOf(each), each]))
  for (const known of await tx.stored(grounds, wanted)) fresh.delete(keyOf(known))
  await tx.rows.put(grounds, [...fresh.values()].reverse(), [])
}

/**
 * Returns the first free id of a text. An archived block with the same text keeps the first id, so the new block gets the id of a later
 * life; if a different text has the first id, the id of the exact words comes before these.
 */
export function freeId(text: SaidText, blocks: ReadonlyMap<string, Block>, ids: Ids): string {
  const first = firstId(text, ids.sha256)
  const there = blocks.get(first)
  if (there === undefined) return first
  const [exact, ...later] = otherIds(text, ids.sha256)
  const wanted = isSameText(there.content, text.content) ? later : [exact, ...later]
  return wanted.find((id) => id !== undefined && !blocks.has(id)) ?? ids.random()
}

/** Returns blocks by id: the stored blocks with these ids, and the given ones. At most one statement. */
export async function blocksById(
  tx: ReadTransaction,
  ids: readonly string[],
  given: readonly Block[] = [],
): Promise<Map<string, Block>> {
  const found = ids.length === 0 ? [] : await readBlocks(tx, ids)
  return new Map([...given, ...found].map((block) => [block.id, block]))
}

/** Returns the ids of blocks with one of these statuses. One statement. */
export async function idsOfStatus(
  tx: ReadTransaction,
  ids: readonly string[],
  statuses: readonly BlockStatus[],
): Promise<ReadonlySet<string>> {
  const found = await tx.blocks(STATUS, ids)
  return new Set(found.flatMap(({ id, status }) => (statuses.includes(status) ? [id] : [])))
}

const INDEXED = viewOf(blocks, ['id', 'arrival', 'status', 'sequence', 'content'])

/** Number of blocks whose vectors are removed at once. */
const SLICE = 1_000

const KEYS = viewOf(blockVectors, ['arrival', 'set'])

type IndexRow = RowOf<typeof blockIndex>
type VectorRow = RowOf<typeof blockVectors>

function rowOf(arrival: number, set: number, { vector, passages }: ContentVectors): VectorRow {
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
  return { arrival, vector: bytes, set, ...(passages && { passages }) }
}

/** An embedded content has the vectors of a block and the content from which they were made. */
export interface EmbeddedContent extends ContentVectors {
  readonly id: string
  readonly content: string
}

/** Returns the vectors in the two blobs of a row; the first blob is little-endian float32. */
export function contentVectors(bytes: Uint8Array, passages?: Uint8Array): ContentVectors {
  if (bytes.byteLength % 4 !== 0) throw unreadable('A vector of the memory is no list of numbers.')
  const { buffer, byteOffset } = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  const vector = new Float32Array(buffer, byteOffset, bytes.byteLength / 4)
  return { vector, ...(passages && { passages: passages.slice() }) }
}

/** Reads the vectors in use of blocks, by id; blocks without a vector are left out. */
export async function readVectors(
  tx: ReadTransaction,
  ids: readonly string[],
): Promise<Map<string, ContentVectors>> {
  const at = await tx.lookUp(ids)
  const idOf = new Map(ids.flatMap((id) => (at(id) ? [[at(id)?.arrival as number, id] as const] : [])))
  const { vectorSet } = await tx.state()
  const held = await tx.rows.get(blockVectors, inSet([...idOf.keys()], vectorSet))
  return new Map(
    held.map((row) => [idOf.get(row.arrival) as string, contentVectors(row.vector, row.passages)]),
  )
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
  for (const row of index) {
    const was = stored.get(row.arrival)
    if (was?.terms !== row.terms || was.flags !== row.flags || was.names !== row.names) moved.add(row.arrival)
  }
  const counted = own.filter(({ status, arrival }) => status === 'active' && moved.has(arrival))
  const numbered = new Set(counted.map(({ arrival }) => arrival))
  const sequence = await numberBlocks(tx, [...numbered])
  const rows = index.map((row) => (numbered.has(row.arrival) ? { ...row, sequence } : row))
  await tx.rows.put(blockIndex, rows, before)
}

/** Saves or removes the vectors of blocks; returns the arrivals of the blocks whose vectors changed. */
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

/** Puts vectors in use and returns those that differ. Removes the shadow vectors of these blocks, which are outdated. */
export async function putVectors(tx: Transaction, given: readonly VectorRow[]): Promise<VectorRow[]> {
  const written = await tx.rows.put(blockVectors, given)
  const arrivals = written.map(({ arrival }) => arrival)
  await removeFromShadow(tx, arrivals)
  return written
}

/** Removes vectors in use, and the shadow vectors of their blocks; returns the former. */
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

/** Gives blocks the number of a new change and returns the number; 0 without blocks. */
export async function numberBlocks(tx: Transaction, arrivals: readonly number[]): Promise<number> {
  if (arrivals.length === 0) return 0
  const sequence = await tx.nextSequence()
  await tx.rows.queries.number(arrivals, sequence)
  return sequence
}

/** Reads the blocks whose content is still the one from which their vectors were made. */
async function stillSaying(tx: ReadTransaction, made: ReadonlyMap<string, EmbeddedContent>) {
  const found = await tx.blocks(INDEXED, made.keys())
  return found.filter(({ id, content }) => content === made.get(id)?.content)
}

/** Saves the vectors of blocks that wait and still have the embedded content, as a change for readers. */
export async function saveWaitingVectors(tx: Transaction, given: readonly EmbeddedContent[]): Promise<void> {
  const made = new Map(given.map((each) => [each.id, each]))
  const waiting = (await stillSaying(tx, made)).filter(({ status }) => status === 'inbox')
  await numberBlocks(tx, [...(await saveVectors(tx, waiting, (id) => made.get(id)))])
}

/**
 * Removes the vectors of all waiting blocks, in any scope, and begins a new generation. Returns false, and does nothing, if a block that
 * does not wait has a vector.
 */
export async function dropWaitingVectors({ whole: tx }: Transaction): Promise<boolean> {
  if ((await tx.rows.queries.vectorTotals()).settled > 0) return false
  const { vectorSet } = await tx.state()
  await dropSet(tx, vectorSet)
  await dropSet(tx, 1 - vectorSet)
  await newGeneration(tx)
  return true
}

/** Removes a set of vectors, some blocks at a time. */
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
 * Makes an empty shadow set of vectors: a second set for another model, or the one that was in use before. Drops an older shadow set.
 * A change or removal of a vector in use also removes the shadow vector of the same block.
 */
export async function beginShadow(tx: Transaction): Promise<void> {
  await dropShadow(tx)
  await saveMeta(tx, STATE_META.shadow, '1')
  tx.forget()
}

/** Saves shadow vectors of blocks that have a vector in use and still have the embedded content; does nothing without a shadow set. */
export async function saveShadow(
  { whole: tx }: Transaction,
  given: readonly EmbeddedContent[],
): Promise<void> {
  const { hasShadow, vectorSet } = await tx.state()
  if (!hasShadow) return
  const made = new Map(given.map((each) => [each.id, each]))
  const idOf = new Map((await stillSaying(tx, made)).map(({ id, arrival }) => [arrival, id]))
  const inUse = await tx.rows.get(KEYS, inSet([...idOf.keys()], vectorSet))
  const rows = inUse.map(({ arrival }) =>
    rowOf(arrival, 1 - vectorSet, made.get(idOf.get(arrival) as string) as ContentVectors),
  )
  await tx.rows.put(blockVectors, rows)
}

/**
 * Brings the shadow set into use, makes the other set the shadow set, and begins a new generation. Returns false, and does nothing, if
 * there is no shadow set or a block is missing in it. The cost is the same at any size.
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
