import type { Block } from '../block/block.ts'
import { earlier, endBy, endBySuccessors, endOf, saidAt, takesPlaceOf } from '../block/validity.ts'
import { ElfmemError } from '../errors.ts'
import { readBlocks, readReplacing, saveBlocks } from '../store/blocks.ts'
import { readSettledPairs } from '../store/pairs.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import { endedBy } from './archive.ts'

/**
 * Ends the living blocks whose places others take, each when the other begins; what is trusted less, or dated before, only
 * proposes to, and ends nothing. Returns those that end. Two statements, none where nothing takes a place.
 */
export async function endReplaced(tx: Transaction, taking: readonly Block[]): Promise<readonly Block[]> {
  const newer = taking.filter(({ supersedes, status }) => supersedes !== undefined && status !== 'archived')
  if (newer.length === 0) return []
  const found = await readBlocks(tx, [...new Set(newer.map(({ supersedes }) => supersedes as string))])
  const older = new Map(found.map((block) => [block.id, block]))
  const ended = new Map<string, Block>()
  for (const block of newer) {
    const known = ended.get(block.supersedes as string) ?? older.get(block.supersedes as string)
    if (known === undefined || known.status === 'archived') continue
    if (takesPlaceOf(block, known)) ended.set(known.id, { ...known, ...endedBy(known, block) })
  }
  await saveBlocks(tx, [...ended.values()])
  return [...ended.values()]
}

/** Lets two blocks go on of which one had, or was to have, the place of the other: it has not any more. Three statements at most. */
export async function keepApart(tx: Transaction, [a, b]: readonly [Block, Block]): Promise<void> {
  const newer = [a, b].find(({ supersedes }) => supersedes === a.id || supersedes === b.id)
  if (newer === undefined) return
  await letGoOn(tx, newer)
  const { supersedes: _older, ...alone } = newer
  await saveBlocks(tx, [alone])
}

/** Lets the living block go on that another, which leaves it its place, had ended. Two statements at most. */
export async function letGoOn(tx: Transaction, { supersedes }: Pick<Block, 'supersedes'>): Promise<void> {
  if (supersedes !== undefined) await goOn(tx, supersedes)
}

/** Lets a living block go on, whatever had taken its place. Two statements at most. */
export async function goOn(tx: Transaction, id: string): Promise<void> {
  const [older] = await readBlocks(tx, [id])
  if (older?.supersededAt === undefined || older.status === 'archived') return
  const { supersededAt: _end, ...going } = older
  await saveBlocks(tx, [going])
}

/** The block whose place one had taken that is away now, and how it stands without that one. */
export interface Left {
  readonly block: Block
  /** `goesOn`: it holds again; `archived`: it was archived for it and stays away until somebody restores it. */
  readonly how: 'goesOn' | 'archived'
}

/**
 * Lets the block go on whose place one had taken that was wrong, until another takes it. Returns how it stands; undefined if none
 * had lost its place to that one alone. Four statements at most.
 */
export async function leavePlace(tx: Transaction, gone: Block): Promise<Left | undefined> {
  if (gone.supersedes === undefined) return undefined
  const [older] = await readBlocks(tx, [gone.supersedes])
  if (older === undefined) return undefined
  if (older.status !== 'archived') {
    if (older.supersededAt === undefined) return undefined
    const going = withEnd(older, await endByOthers(tx, older, gone.id))
    await saveBlocks(tx, [going])
    return going.supersededAt === undefined ? { block: going, how: 'goesOn' } : undefined
  }
  const isReplaced = older.archiveReason === 'superseded' && older.supersededBy === gone.id
  if (!isReplaced || (await takingPlaceOf(tx, gone)).length > 0) return undefined
  return { block: older, how: 'archived' }
}

/**
 * Moves the end that a block had from the beginning of another, which begins at another time now. An end that comes from elsewhere
 * stays: from a third block, or from whoever said so. Returns the block if it ends at another time now. Throws `INVALID_INPUT` if
 * that would be before it began or was said. Three statements at most.
 */
export async function moveEnd(tx: Transaction, before: Block, after: Block): Promise<Block | undefined> {
  if (after.supersedes === undefined) return undefined
  const [older] = await readBlocks(tx, [after.supersedes])
  const end = older && endBy(older, before)
  if (older === undefined || older.supersededAt !== end) return undefined
  mustEndAfterBeginning(older, { before, after })
  const moved = withEnd(older, earlier(endBy(older, after), await endByOthers(tx, older, after.id)))
  if (moved.supersededAt === older.supersededAt) return undefined
  await saveBlocks(tx, [moved])
  return endOf(moved) === endOf(older) ? undefined : moved
}

/** Refuses a beginning before that of the older; one that had ended before it was said may end then at another time, too. */
function mustEndAfterBeginning(
  older: Block,
  { before, after }: Readonly<Record<'before' | 'after', Block>>,
): void {
  const [begins, said] = [older.validFrom ?? saidAt(older), saidAt(older)]
  const { validFrom } = after
  const wasBefore = older.validFrom === undefined && endBy(older, before) < said
  if (validFrom === undefined || validFrom >= begins || wasBefore) return
  throw new ElfmemError(
    'INVALID_INPUT',
    `Block ${after.id} takes the place of ${older.id}, which holds only from ${begins} on: from ${validFrom} it cannot.`,
    {
      recovery: `Give a validFrom that is not before ${begins}, or say from when the other held: edit({ blockId: '${older.id}', validFrom }).`,
      details: { blockId: after.id },
    },
  )
}

/** The end of a block for all living ones that take its place but one, as it was left to them. */
export async function endByOthers(
  tx: ReadTransaction,
  older: Block,
  but?: string,
): Promise<string | undefined> {
  const taking = (await takingPlaceOf(tx, older)).filter(({ id }) => id !== but)
  if (taking.length === 0) return undefined
  const settled = await readSettledPairs(
    tx,
    taking.map(({ id }) => [id, older.id]),
  )
  const isSettled = ({ id }: Block) => settled.some(({ a, b }) => a === id || b === id)
  return endBySuccessors(
    older,
    taking.filter((each) => !isSettled(each)),
  )
}

/** Living blocks that are said to take the place of one. */
async function takingPlaceOf(tx: ReadTransaction, { id }: Block): Promise<Block[]> {
  return (await readReplacing(tx, [id], REPLACING_MOST)).filter(({ supersedes }) => supersedes === id)
}

/**
 * A block as it is said to take the place of another just where it does or may: not where it lost its own place to that one, nor
 * where somebody decided and that one goes on. Two statements, none where it takes no place.
 */
export async function asReplacing(tx: ReadTransaction, block: Block): Promise<Block> {
  const { supersedes, ...alone } = block
  if (supersedes === undefined) return block
  if (block.supersededBy === supersedes) return alone
  const [older] = await readBlocks(tx, [supersedes])
  const goesOn = older !== undefined && older.status !== 'archived' && older.supersededAt === undefined
  if (!goesOn) return block
  return (await readSettledPairs(tx, [[block.id, supersedes]])).length > 0 ? alone : block
}

/** So many blocks around one are looked at for who takes its place. */
const REPLACING_MOST = 64

function withEnd({ supersededAt: _end, ...block }: Block, supersededAt: string | undefined): Block {
  return supersededAt === undefined ? block : { ...block, supersededAt }
}
