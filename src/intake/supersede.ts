import type { ArchiveReason, Block } from '../block/block.ts'
import { isConstitutional } from '../block/tags.ts'
import { earlier, endBy, endBySuccessors, endOf, saidAt, takesPlaceOf } from '../block/validity.ts'
import type { Engine } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { readBlocks, saveBlocks } from '../store/blocks.ts'
import { archiveEdgesOf, readSettledPairs } from '../store/graph.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import { notFound, resolveIds } from './check-input.ts'

/** So many blocks around one are looked at for who takes its place. */
const REPLACING_MOST = 64

/**
 * Looks up blocks whose place new ones are to take. Two statements, however many there are. The function returned gives the block
 * of an id or prefix; it throws `NOT_FOUND`, `AMBIGUOUS_ID`, `WRONG_STATUS` for an archived block, `PROTECTED` for a principle, and
 * `INVALID_INPUT` for a block of another scope.
 */
export async function readReplaceable(
  { scope }: Pick<Engine, 'scope'>,
  tx: ReadTransaction,
  given: readonly string[],
): Promise<(given: string) => Block> {
  const { ids, byGiven, ambiguous } = await resolveIds(tx, given, { ambiguous: 'report' })
  const blocks = new Map((await readBlocks(tx, ids)).map((block) => [block.id, block]))
  return (one) => {
    const unclear = ambiguous.get(one.trim())
    if (unclear) throw unclear
    const block = blocks.get(byGiven.get(one.trim()) ?? '')
    if (block === undefined) throw notFound([one])
    const { id, status, tags, scope: other } = block
    const details = { blockId: id }
    if (isConstitutional(tags))
      throw new ElfmemError('PROTECTED', 'A principle is not replaced by remembering something.', {
        recovery: 'The owner changes it with edit() and allowConstitutional.',
        details,
      })
    if (other !== scope)
      throw new ElfmemError(
        'INVALID_INPUT',
        `Block ${id} belongs to the scope ${other}, the new one does not.`,
        {
          recovery: `Remember it there: remember({ …, scope: '${other}' }).`,
          details,
        },
      )
    if (status === 'archived')
      throw new ElfmemError('WRONG_STATUS', `Block ${id} is archived: recall shows it no more.`, {
        recovery: 'Leave supersedes out; nothing is left to replace.',
        details,
      })
    return block
  }
}

/** Refuses that a text takes the place of the very block that says it. */
export function refuseItself(replaced: Block, by: Block): void {
  if (replaced.id === by.id)
    throw new ElfmemError('INVALID_INPUT', 'A block cannot supersede itself: the contents are the same.', {
      recovery:
        'Leave supersedes out, or use edit() to change the block that is there. Of a secret only its mark is kept: say in words what changed.',
      details: { blockId: by.id },
    })
}

/**
 * Archives inbox and active blocks, keeping tags; edges and open pairs go to where `restore` finds them. Blocks whose place another
 * takes end when it begins. Returns the archived blocks; those that were archived already are left alone.
 */
export async function archive(
  tx: Transaction,
  blocks: readonly Block[],
  { reason, at, by }: { readonly reason: ArchiveReason; readonly at: string; readonly by?: Block },
): Promise<Block[]> {
  const leaving = blocks.filter(({ status }) => status !== 'archived')
  if (leaving.length === 0) return []
  const ends = leaving.map(({ id, status }) => ({ id, previousStatus: status }))
  await archiveEdgesOf(tx, ends)
  const why = { status: 'archived', archiveReason: reason, archivedAt: at } as const
  const archived = leaving.map(
    (block): Block => ({ ...block, ...why, ...(by && { supersededBy: by.id, ...endedBy(block, by) }) }),
  )
  await saveBlocks(tx, archived)
  return archived
}

/** The end of a block whose place another takes; an earlier one stays. */
export function endedBy(older: Block, newer: Block): Pick<Block, 'supersededAt'> {
  const supersededAt = earlier(older.supersededAt, endBy(older, newer))
  return supersededAt === undefined ? {} : { supersededAt }
}

function withEnd({ supersededAt: _end, ...block }: Block, supersededAt?: string): Block {
  return supersededAt === undefined ? block : { ...block, supersededAt }
}

/**
 * Ends the living blocks whose places others take, each when the other begins; what is trusted less, or dated before, only
 * proposes to, and ends nothing. Returns those that end. Two statements, none where nothing takes a place.
 */
export async function endReplaced(tx: Transaction, taking: readonly Block[]): Promise<readonly Block[]> {
  const newer = taking.filter(({ supersedes, status }) => supersedes !== undefined && status !== 'archived')
  if (newer.length === 0) return []
  const found = await readBlocks(tx, [...new Set(newer.map(({ supersedes }) => supersedes as string))])
  const ended = found.flatMap((older) => {
    const successors = newer.filter((each) => takesPlaceOf(each, older))
    if (older.status === 'archived' || successors.length === 0) return []
    return [withEnd(older, earlier(older.supersededAt, endBySuccessors(older, successors)))]
  })
  await saveBlocks(tx, ended)
  return ended
}

/** Lets a living block go on, whatever had taken its place. Two statements at most. */
export async function goOn(tx: Transaction, id: string): Promise<void> {
  const [older] = await readBlocks(tx, [id])
  if (older?.supersededAt !== undefined && older.status !== 'archived') await saveBlocks(tx, [withEnd(older)])
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
  const older = await replacedBy(tx, gone)
  if (older === undefined) return undefined
  if (older.status !== 'archived') {
    if (older.supersededAt === undefined) return undefined
    const block = withEnd(older, await endByOthers(tx, older, gone.id))
    await saveBlocks(tx, [block])
    return block.supersededAt === undefined ? { block, how: 'goesOn' } : undefined
  }
  const isReplaced = older.archiveReason === 'superseded' && older.supersededBy === gone.id
  if (!isReplaced || (await successorsOf(tx, gone)).length > 0) return undefined
  return { block: older, how: 'archived' }
}

/**
 * Moves the end that a block had from the beginning of another, which begins at another time now. An end that comes from elsewhere
 * stays: from a third block, or from whoever said so. Returns the block if it ends at another time now. Throws `INVALID_INPUT` if
 * that would be before it began or was said. Three statements at most.
 */
export async function moveEnd(tx: Transaction, before: Block, after: Block): Promise<Block | undefined> {
  const older = await replacedBy(tx, after)
  if (older === undefined || older.supersededAt !== endBy(older, before)) return undefined
  const said = saidAt(older)
  const begins = older.validFrom ?? said
  // One that had ended before it was said may end then at another time, too.
  const wasBefore = older.validFrom === undefined && endBy(older, before) < said
  const { validFrom } = after
  if (validFrom !== undefined && validFrom < begins && !wasBefore)
    throw new ElfmemError(
      'INVALID_INPUT',
      `Block ${after.id} takes the place of ${older.id}, which holds only from ${begins} on: from ${validFrom} it cannot.`,
      {
        recovery: `Give a validFrom that is not before ${begins}, or say from when the other held: edit({ blockId: '${older.id}', validFrom }).`,
        details: { blockId: after.id },
      },
    )
  const moved = withEnd(older, earlier(endBy(older, after), await endByOthers(tx, older, after.id)))
  if (moved.supersededAt === older.supersededAt) return undefined
  await saveBlocks(tx, [moved])
  return endOf(moved) === endOf(older) ? undefined : moved
}

async function replacedBy(tx: ReadTransaction, { supersedes }: Block): Promise<Block | undefined> {
  return supersedes === undefined ? undefined : (await readBlocks(tx, [supersedes]))[0]
}

/** The end of a block for all living ones that take its place but one, unless somebody settled their pair. */
export async function endByOthers(
  tx: ReadTransaction,
  older: Block,
  but?: string,
): Promise<string | undefined> {
  const taking = (await successorsOf(tx, older)).filter(({ id }) => id !== but)
  if (taking.length === 0) return undefined
  const pairs = taking.map(({ id }) => [id, older.id] as const)
  const settled = (await readSettledPairs(tx, pairs)).flatMap(({ a, b }) => [a, b])
  return endBySuccessors(
    older,
    taking.filter(({ id }) => !settled.includes(id)),
  )
}

/** Living blocks that are said to take the place of one. */
async function successorsOf(tx: ReadTransaction, { id }: Block): Promise<Block[]> {
  return (await tx.queries.replacing([id], REPLACING_MOST)).filter(({ supersedes }) => supersedes === id)
}

/**
 * Returns a block without `supersedes` where that says nothing any more: it lost its own place to that one, or somebody decided and
 * that one goes on. Two statements, none where it takes no place.
 */
export async function asReplacing(tx: ReadTransaction, block: Block): Promise<Block> {
  const { supersedes, ...alone } = block
  if (supersedes === undefined) return block
  if (block.supersededBy === supersedes) return alone
  const older = await replacedBy(tx, block)
  const goesOn = older !== undefined && older.status !== 'archived' && older.supersededAt === undefined
  if (!goesOn) return block
  return (await readSettledPairs(tx, [[block.id, supersedes]])).length > 0 ? alone : block
}
