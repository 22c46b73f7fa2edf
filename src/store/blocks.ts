import { hash } from 'node:crypto'
import type { Block, Ground, Occurrence } from '../block/block.ts'
import { defined, undressed } from '../block/text.ts'
import { codecOf } from './codec.ts'
import { type RowOf, type View, viewOf } from './description.ts'
import type { BlockFilter, BlockPage, IndexedBlock } from './queries.ts'
import { BLOCK, blocks, grounds, occurrences } from './tables.ts'
import { type ReadTransaction, sharedScope, type Transaction, takenId } from './transaction.ts'
import { removeVectors } from './vectors.ts'

/** A block as it is stored. */
type BlockRow = RowOf<typeof blocks>

/** A text and the scope it is said in, if any. */
export type SaidText = Pick<Block, 'content' | 'scope'>

/** Argument of `insertBlock`: the store sets the place in the session, a view of a scope the scope. */
export type NewBlock = Omit<Block, 'position'>

/** The block as it is stored now; one whose id was there already is left as it is, `inserted` false. */
interface InsertedBlock {
  readonly inserted: boolean
  readonly block: Block
}

const DATED = viewOf(blocks, [
  ...(['id', 'status', 'sourceClass', 'createdAt', 'occurredAt', 'validFrom', 'validUntil'] as const),
  ...(['supersededAt', 'archivedAt', 'archiveReason', 'supersededBy', 'supersedes'] as const),
])
const VITALITY = viewOf(blocks, ['arrival', 'id', 'decayLambda', 'lastReinforcedAt'])

/** Returns the first 16 hex digits of sha256 over what a text says; equal for texts that are the same, and hardly otherwise. */
export function textKey(content: string): string {
  return hash('sha256', undressed(content)).slice(0, 16)
}

/** Reads the blocks with these ids, in their order, with their occurrences. */
export async function readBlocks(tx: ReadTransaction, ids: readonly string[]): Promise<Block[]> {
  return withOccurrences(tx, await tx.blocks(BLOCK, ids))
}

/** Returns the newest sequence number, as `changes` gives it. */
export const readSequence = async (tx: ReadTransaction) => (await tx.state()).sequence

/** Reads what was committed after a sequence number and matters to an index in memory. One statement. */
export const readChanges = ({ rows }: ReadTransaction, since: number) => rows.queries.changes(since)

/** Hands over all blocks that wait or are active in batches, in no order. Other work has its turn between two batches. */
export const readLivingBlocks = (
  { rows }: ReadTransaction,
  visit: (batch: readonly IndexedBlock[]) => void,
) => rows.queries.livingBlocks(visit)

/**
 * Reads blocks in the inbox or active that are to take the place (`supersedes`) of one of these, or of one that such blocks join
 * with them in either direction, oldest first. The chains are followed until they have `limit` blocks, the nearest first.
 */
export const readReplacing = ({ rows }: ReadTransaction, ids: readonly string[], limit: number) =>
  rows.queries.replacing(ids, limit)

/** Reads for each prefix at most two ids that begin with it, whatever their status; an exact match alone. */
export const readIdsByPrefix = ({ rows }: ReadTransaction, prefixes: readonly string[]) =>
  rows.queries.idsByPrefix(prefixes)

/** Reads the `limit` scopes with most blocks in the inbox or active, then by name. Cost: an index of all scoped blocks. */
export const readScopes = ({ rows }: ReadTransaction, limit: number) => rows.queries.scopes(limit)

/** Counts the blocks in the inbox. Cost: their index alone, unlike `readCounts`. */
export const readWaiting = ({ rows }: ReadTransaction) => rows.count(blocks, { status: 'inbox' })

/** Counts what there is, by kind. Cost: all blocks. */
export const readCounts = ({ rows }: ReadTransaction) => rows.queries.counts()

/** Reads a page of the blocks that a filter lets through. */
export async function readPage(tx: ReadTransaction, filter: BlockFilter): Promise<BlockPage> {
  const page = await tx.rows.queries.page(filter)
  return { ...page, blocks: await withOccurrences(tx, page.blocks) }
}

/** Reads blocks in the inbox or active that say the same as a text in its scope (`same-text.ts`), by text, then oldest first. */
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

/** When a block came, held and went, and what took its place. */
export type DatedBlock = NonNullable<typeof DATED.row>

/** The fields that decide if `curate` archives a block; `arrival` numbers blocks in the order they came. */
export type BlockVitality = NonNullable<typeof VITALITY.row> & { readonly degree: number }

/** Reads active blocks after one in the order of arrival, 0 for the first. */
export async function readVitalityPage(
  { rows }: ReadTransaction,
  after: number,
  limit: number,
): Promise<BlockVitality[]> {
  const active = { where: { status: 'active' }, order: ['arrival'], after: [after], limit }
  const page = await rows.scan(VITALITY, active)
  const joined = await rows.queries.strengths(page.map(({ id }) => id))
  return page.map((block) => ({ ...block, degree: joined.get(block.id)?.degree ?? 0 }))
}

/** Reads blocks after `afterId` in id order, whatever their status. */
export function readDatedPage(
  { rows }: ReadTransaction,
  afterId: string,
  limit: number,
): Promise<DatedBlock[]> {
  return rows.scan(DATED, { order: ['id'], after: [afterId], limit })
}

/** Inserts one block; see `insertBlocks`. */
export async function insertBlock(tx: Transaction, block: NewBlock): Promise<InsertedBlock> {
  const [answer] = await insertBlocks(tx, [block])
  return answer as InsertedBlock
}

/**
 * Inserts blocks at the ends of their sessions, one after the other, unless their ids are taken; as a change they are one. Sessions
 * of one name in two scopes are two. Throws `INVALID_INPUT` if an id is that of a block of another scope.
 */
export async function insertBlocks(tx: Transaction, given: readonly NewBlock[]): Promise<InsertedBlock[]> {
  if (given.length === 0) return []
  const sequence = (await tx.state()).sequence + 1
  const fresh = given.map((block): Partial<BlockRow> => {
    const { scope = block.scope } = tx
    const seen = block.status === 'archived' ? undefined : sequence
    return { ...block, ...defined({ scope, sequence: seen }), textKey: textKey(block.content) }
  })
  const stored = await tx.rows.insert(blocks, fresh)
  const taken = given.filter((_, i) => stored[i] === undefined).map(({ id }) => id)
  const known = new Map((await readBlocks(tx, taken)).map((block) => [block.id, block]))
  if (stored.some((row) => row?.sequence !== undefined)) tx.setSequence(sequence)
  return given.map(({ id }, i): InsertedBlock => {
    const row = stored[i]
    if (row !== undefined) {
      tx.noteBlock(row)
      return { inserted: true, block: blockOf(row) }
    }
    const there = known.get(id)
    if (there === undefined) throw takenId('a block', id)
    return { inserted: false, block: there }
  })
}

/**
 * Overwrites all fields and tags of existing blocks, except the scope, which a block keeps for life, and lets go of vectors that were
 * made of other words.
 */
export async function saveBlocks(tx: Transaction, given: readonly Block[]): Promise<void> {
  if (given.length === 0) return
  const wanted = new Map(given.map((block) => [block.id, block]))
  const before = await tx.blocks(blocks, wanted.keys())
  const were = new Map(before.map((row) => [row.arrival, row]))
  const changed = before.flatMap((was): BlockRow[] => {
    const { arrival, sequence, scope } = was
    const { scope: _scope, ...block } = wanted.get(was.id) as Block
    const key = block.content === was.content && was.textKey ? was.textKey : textKey(block.content)
    const row = { ...block, arrival, textKey: key, ...defined({ sequence, scope }) }
    return differs(row, was) ? [row] : []
  })
  if (changed.length === 0) return
  await dropStaleVectors(tx, were, changed)
  const isSeen = (row: BlockRow) => row.status !== 'archived' || were.get(row.arrival)?.status !== 'archived'
  const sequence = changed.some(isSeen) ? await tx.nextSequence() : 0
  const rows = changed.map((row) => (isSeen(row) ? { ...row, sequence } : row))
  await tx.rows.put(blocks, rows, before)
}

/** Removes vectors of waiting blocks that were made of other words. */
export async function dropStaleVectors(
  tx: Transaction,
  were: ReadonlyMap<number, BlockRow>,
  changed: readonly BlockRow[],
): Promise<void> {
  const stale = changed.filter((row) => {
    const was = were.get(row.arrival)
    return was?.status === 'inbox' && (row.status === 'archived' || row.content !== was.content)
  })
  const arrivals = stale.map(({ arrival }) => arrival)
  await removeVectors(tx, arrivals)
}

/** Adds one use at `hours` to the active ones among the blocks; returns their ids in the order given. */
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

const { encode } = codecOf(BLOCK)

function differs(one: BlockRow, other: BlockRow): boolean {
  const [values, others] = [encode(one), encode(other)]
  return values.some((value, i) => value !== others[i])
}

function blockOf(row: BlockRow): Block {
  const { arrival: _arrival, sequence: _sequence, textKey: _textKey, ...block } = row
  return block
}

/** Adds to blocks that were said again when that was. No statement where there are none. */
async function withOccurrences(tx: ReadTransaction, blocks: readonly Block[]): Promise<Block[]> {
  const saidAgain = blocks.filter(({ lastToldAt }) => lastToldAt !== undefined)
  if (saidAgain.length === 0) return [...blocks]
  const ids = saidAgain.map(({ id }) => id)
  const found = await tx.rows.touching(occurrences, ids)
  const byBlock = Map.groupBy(found, ({ blockId }) => blockId)
  return blocks.map((block) => {
    const own = byBlock.get(block.id)?.map(({ arrival: _arrival, ...occurrence }) => occurrence)
    return own === undefined ? block : { ...block, occurrences: own }
  })
}

/** Inserts occurrences of existing blocks. The caller saves the block as they date it (`lastAt`, `lastToldAt`). */
export async function saveOccurrences(tx: Transaction, given: readonly Occurrence[]): Promise<void> {
  const at = await tx.lookUp(given.map(({ blockId }) => blockId))
  const known = given.filter(({ blockId }) => at(blockId) !== undefined)
  await tx.rows.insert(occurrences, known)
}

const GROUND: View<Ground> = viewOf(grounds, ['blockId', 'ground', 'foundBy', 'createdAt'])

/** Reads what blocks rest on, in the order of both ids. Cost: the rows that name the blocks, in either place. */
export async function readGroundsOf({ rows }: ReadTransaction, ids: readonly string[]): Promise<Ground[]> {
  const asked = new Set(ids)
  return (await rows.touching(GROUND, ids)).filter(({ blockId }) => asked.has(blockId))
}

/** Reads the blocks that rest on some blocks, in the order of both ids, at the cost of `readGroundsOf`. */
export async function readRestingOn({ rows }: ReadTransaction, ids: readonly string[]): Promise<Ground[]> {
  const asked = new Set(ids)
  return (await rows.touching(GROUND, ids)).filter(({ ground }) => asked.has(ground))
}

/** Reads all grounds behind one, in the order of both ids. */
export function readGroundPage(
  { rows }: ReadTransaction,
  after: readonly [blockId: string, ground: string],
  limit: number,
): Promise<Ground[]> {
  return rows.scan(GROUND, { order: ['blockId', 'ground'], after, limit })
}

/** Inserts what existing blocks rest on; a pair that is known stays as it was noted first. */
export async function saveGrounds(tx: Transaction, given: readonly Ground[]): Promise<void> {
  if (given.length === 0) return
  const at = await tx.lookUp(given.flatMap(({ blockId, ground }) => [blockId, ground]))
  const wanted = given.flatMap((each) => {
    const [block, ground] = [at(each.blockId), at(each.ground)]
    return block && ground && block !== ground ? [{ ...each, ...sharedScope(block, ground) }] : []
  })
  const fresh = new Map(wanted.toReversed().map((each) => [endsOf(each), each]))
  for (const known of await tx.stored(grounds, wanted)) fresh.delete(endsOf(known))
  await tx.rows.put(grounds, [...fresh.values()].reverse(), [])
}

/** Removes what blocks were said to rest on. */
export const removeGrounds = (tx: Transaction, given: readonly Pick<Ground, 'blockId' | 'ground'>[]) =>
  tx.remove(grounds, given)

function endsOf({ blockId, ground }: Pick<Ground, 'blockId' | 'ground'>): string {
  return `${blockId} ${ground}`
}
