import { hash } from 'node:crypto'
import type { Block, Ground, Occurrence } from '../../domain/block/block.ts'
import { undressed } from '../../domain/text/same-text.ts'
import { ElfmemError } from '../../errors.ts'
import { type RowOf, type View, viewOf } from '../../ports/store/description.ts'
import type { BlockFilter, BlockPage } from '../../ports/store/pages.ts'
import type {
  BlockVitality,
  DatedBlock,
  InsertedBlock,
  NewBlock,
  SaidText,
} from '../../ports/store/transaction.ts'
import { codecOf } from '../codec.ts'
import { blocks, grounds, occurrences } from '../tables.ts'
import { sharedScope, type Transaction } from '../transaction.ts'
import { BLOCK } from '../views.ts'
import { removeVectors } from './vectors.ts'

/** A block as it is stored. */
type BlockRow = RowOf<typeof blocks>

const DATED: View<DatedBlock> = viewOf(blocks, [
  ...(['id', 'status', 'sourceClass', 'createdAt', 'occurredAt', 'validFrom', 'validUntil'] as const),
  ...(['supersededAt', 'archivedAt', 'archiveReason', 'supersededBy', 'supersedes'] as const),
])
const VITALITY = viewOf(blocks, ['arrival', 'id', 'decayLambda', 'lastReinforcedAt'])

/** Keys of the texts of a transaction: what is looked for is what is then inserted. */
const keys = new WeakMap<Transaction, Map<string, string>>()

/** The first 16 hex digits of sha256 over what a text says; equal for texts that are the same, and hardly otherwise. */
export function textKey(content: string): string {
  return keyOf(undressed(content))
}

/** The same, reckoned once a transaction. */
function keyIn(tx: Transaction, content: string): string {
  const known = keys.get(tx) ?? new Map<string, string>()
  keys.set(tx, known)
  const key = known.get(content) ?? textKey(content)
  known.set(content, key)
  return key
}

function keyOf(said: string): string {
  return hash('sha256', said).slice(0, 16)
}

/** The blocks with these ids, in their order. */
export async function readBlocks(tx: Transaction, ids: readonly string[]): Promise<Block[]> {
  return withOccurrences(tx, await tx.blocks(BLOCK, ids))
}

/** A page of the blocks that a filter lets through. */
export async function readPage(tx: Transaction, filter: BlockFilter): Promise<BlockPage> {
  const page = await tx.rows.queries.page(filter)
  return { ...page, blocks: await withOccurrences(tx, page.blocks) }
}

/** Blocks in the inbox or active that say the same as a text in its scope. */
export async function readSameTexts(tx: Transaction, texts: readonly SaidText[]): Promise<Block[]> {
  const { rows, scope: own } = tx
  const visible = texts.filter(({ scope }) => own === undefined || scope === own)
  if (visible.length === 0) return []
  const wanted = visible.map(({ content, scope = '' }) => [keyIn(tx, content), scope] as const)
  const unique = new Map(wanted.map((each) => [each.join(' '), each]))
  const found = await rows.queries.blocksByText([...unique.values()])
  if (found.length === 0) return []
  const said = new Set(visible.map(({ content }) => undressed(content)))
  return withOccurrences(
    tx,
    found.filter(({ content }) => said.has(undressed(content))),
  )
}

/** Active blocks after an arrival, with what decides whether they fade. */
export async function readVitalityPage(
  { rows }: Transaction,
  after: number,
  limit: number,
): Promise<BlockVitality[]> {
  const active = { where: { status: 'active' }, order: ['arrival'], after: [after], limit }
  const page = await rows.scan(VITALITY, active)
  const joined = await rows.queries.strengths(page.map(({ id }) => id))
  return page.map((block) => ({ ...block, degree: joined.get(block.id)?.degree ?? 0 }))
}

/** Blocks after an id, with their times. */
export function readDatedPage({ rows }: Transaction, afterId: string, limit: number): Promise<DatedBlock[]> {
  return rows.scan(DATED, { order: ['id'], after: [afterId], limit })
}

/** Inserts a block at the end of its session unless its id is taken. */
export async function insertBlock(tx: Transaction, block: NewBlock): Promise<InsertedBlock> {
  const [answer] = await insertBlocks(tx, [block])
  return answer as InsertedBlock
}

/** Inserts blocks at the ends of their sessions, one after the other, unless their ids are taken. */
export async function insertBlocks(tx: Transaction, given: readonly NewBlock[]): Promise<InsertedBlock[]> {
  if (given.length === 0) return []
  if (tx.scope !== undefined && given.length > 1) await mustBeOwn(tx, given)
  const sequence = (await tx.state()).sequence + 1
  const fresh = given.map((block): Partial<BlockRow> => {
    const { scope = block.scope } = tx
    const isSeen = block.status !== 'archived'
    return {
      ...block,
      ...(scope === undefined ? {} : { scope }),
      ...(isSeen ? { sequence } : {}),
      textKey: keyIn(tx, block.content),
    }
  })
  const stored = await tx.rows.insert(blocks, fresh)
  const taken = given.filter((_, i) => stored[i] === undefined).map(({ id }) => id)
  const known = new Map((await readBlocks(tx, taken)).map((block) => [block.id, block]))
  if (stored.some((row) => row?.sequence !== undefined)) tx.setSequence(sequence)
  return given.map(({ id }, i): InsertedBlock => {
    const row = stored[i]
    if (row !== undefined) {
      tx.noteBlock(row)
      tx.done.push({ scope: row.scope, counts: { takenIn: 1 } })
      return { inserted: true, block: blockOf(row) }
    }
    const there = known.get(id)
    if (there === undefined) throw takenId(id)
    return { inserted: false, block: there }
  })
}

/** Fails before anything is written. */
async function mustBeOwn(tx: Transaction, given: readonly NewBlock[]): Promise<void> {
  const there = await tx.whole.lookUp(given.map(({ id }) => id))
  const foreign = given.find(({ id }) => there(id) !== undefined && there(id)?.scope !== tx.scope)
  if (foreign !== undefined) throw takenId(foreign.id)
}

/** Overwrites all fields of the blocks that exist, but for the scope. What matters to readers of changes gets a number. */
export async function saveBlocks(tx: Transaction, given: readonly Block[]): Promise<void> {
  if (given.length === 0) return
  const wanted = new Map(given.map((block) => [block.id, block]))
  const before = await tx.blocks(blocks, wanted.keys())
  await writeBlocks(
    tx,
    before,
    before.map((row): BlockRow => {
      const { arrival, sequence, scope } = row
      const { scope: _scope, ...block } = wanted.get(row.id) as Block
      return {
        ...block,
        arrival,
        textKey:
          block.content === row.content && row.textKey !== undefined ? row.textKey : keyIn(tx, block.content),
        ...(sequence === undefined ? {} : { sequence }),
        ...(scope === undefined ? {} : { scope }),
      }
    }),
  )
}

/** Writes rows that were read before, in the same order, and lets go of vectors that were made of other words. */
async function writeBlocks(
  tx: Transaction,
  before: readonly BlockRow[],
  after: readonly BlockRow[],
): Promise<void> {
  const changed = after.filter((row, i) => differs(row, before[i] as BlockRow))
  if (changed.length === 0) return
  const were = new Map(before.map((row) => [row.arrival, row]))
  await dropStaleVectors(tx, were, changed)
  const isSeen = (row: BlockRow) => row.status !== 'archived' || were.get(row.arrival)?.status !== 'archived'
  const sequence = changed.some(isSeen) ? await tx.nextSequence() : 0
  await tx.rows.put(
    blocks,
    changed.map((row) => (isSeen(row) ? { ...row, sequence } : row)),
    before,
  )
}

/** The vector of a block that waits is made of its content and goes with it. */
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

/** Counts a use of the active ones among the blocks; returns their ids in the order given. */
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

/** Ids are hashes over the scope or random: whoever meets this made the id by hand. */
function takenId(id: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `A block of another scope has the id ${id}.`, {
    recovery: 'Give the block another id.',
    details: { blockId: id },
  })
}

/** Reads the times at which the texts of blocks were said again, in the order of their arrival. */
export async function readOccurrencesOf(
  { rows }: Transaction,
  ids: readonly string[],
): Promise<Occurrence[]> {
  const found = await rows.touching(occurrences, ids)
  return found.map(({ arrival: _arrival, ...occurrence }) => occurrence)
}

/** Adds to blocks that were said again when that was. No statement where there are none. */
async function withOccurrences(tx: Transaction, blocks: readonly Block[]): Promise<Block[]> {
  const saidAgain = blocks.filter(({ lastToldAt }) => lastToldAt !== undefined)
  if (saidAgain.length === 0) return [...blocks]
  const found = await readOccurrencesOf(
    tx,
    saidAgain.map(({ id }) => id),
  )
  const byBlock = Map.groupBy(found, ({ blockId }) => blockId)
  return blocks.map((block) => {
    const own = byBlock.get(block.id)
    return own === undefined ? block : { ...block, occurrences: own }
  })
}

/** Adds occurrences of existing blocks behind those that are there. */
export async function saveOccurrences(tx: Transaction, given: readonly Occurrence[]): Promise<void> {
  const at = await tx.lookUp(given.map(({ blockId }) => blockId))
  await tx.rows.insert(
    occurrences,
    given.filter(({ blockId }) => at(blockId) !== undefined),
  )
}

const GROUND: View<Ground> = viewOf(grounds, ['blockId', 'ground', 'foundBy', 'createdAt'])

/** Reads the grounds of blocks. */
export async function readGroundsOf({ rows }: Transaction, ids: readonly string[]): Promise<Ground[]> {
  const asked = new Set(ids)
  return (await rows.touching(GROUND, ids)).filter(({ blockId }) => asked.has(blockId))
}

/** Reads the blocks that rest on others. */
export async function readRestingOn({ rows }: Transaction, ids: readonly string[]): Promise<Ground[]> {
  const asked = new Set(ids)
  return (await rows.touching(GROUND, ids)).filter(({ ground }) => asked.has(ground))
}

/** A page of all. */
export function readGroundPage(
  { rows }: Transaction,
  after: readonly [blockId: string, ground: string],
  limit: number,
): Promise<Ground[]> {
  return rows.scan(GROUND, { order: ['blockId', 'ground'], after, limit })
}

/** Notes what existing blocks rest on; a pair that is known stays as it was noted first. */
export async function saveGrounds(tx: Transaction, given: readonly Ground[]): Promise<void> {
  if (given.length === 0) return
  const at = await tx.lookUp(given.flatMap(({ blockId, ground }) => [blockId, ground]))
  const wanted = given.filter(
    ({ blockId, ground }) => blockId !== ground && at(blockId) !== undefined && at(ground) !== undefined,
  )
  const stored = await tx.rows.get(
    grounds,
    wanted.map(({ blockId, ground }) => [blockId, ground]),
  )
  const known = new Set(stored.map(endsOf))
  const written = wanted.filter((each) => {
    const isNew = !known.has(endsOf(each))
    known.add(endsOf(each))
    return isNew
  })
  await tx.rows.put(
    grounds,
    written.map((each) => ({ ...each, ...sharedScope(at(each.blockId), at(each.ground)) })),
    [],
  )
}

/** Takes away what blocks were said to rest on. */
export async function removeGrounds(
  tx: Transaction,
  given: readonly Pick<Ground, 'blockId' | 'ground'>[],
): Promise<void> {
  const stored = await tx.rows.get(
    grounds,
    given.map(({ blockId, ground }) => [blockId, ground]),
  )
  await tx.remove(grounds, stored)
}

function endsOf({ blockId, ground }: Pick<Ground, 'blockId' | 'ground'>): string {
  return `${blockId} ${ground}`
}
