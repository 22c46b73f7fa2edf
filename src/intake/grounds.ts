import type { Block, Ground, OutdatedGround } from '../block/block.ts'
import { everHeld, hasEnded } from '../block/validity.ts'
import type { Mutation } from '../engine/mutate.ts'
import { ElfmemError } from '../errors.ts'
import { blocksById, GROUND, readGroundsOf, saveGrounds } from '../store/blocks.ts'
import { grounds } from '../store/tables.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { notFound, resolveIds } from './check-input.ts'

/** Longer chains of what rests on what are not followed. */
const GROUND_STEPS_MOST = 8
/** Size of a page of grounds, and the most pages that are looked at. */
const PAGE = 500
const PAGES_MOST = 20
/** Most blocks that are named as resting on one that ended. */
const RESTING_MOST = 20

/**
 * Looks up what new blocks are said to rest on, archived or not. One statement, none when nothing is said. The function returned
 * gives the whole ids of some of them; it throws `NOT_FOUND` and `AMBIGUOUS_ID`.
 */
export async function readGrounds(
  tx: ReadTransaction,
  given: readonly string[],
): Promise<(given: readonly string[]) => string[]> {
  const { byGiven, ambiguous } = await resolveIds(tx, given, { ambiguous: 'report' })
  return (some) => {
    const unclear = some.flatMap((each) => ambiguous.get(each.trim()) ?? [])
    if (unclear[0] !== undefined) throw unclear[0]
    const unknown = some.filter((each) => !byGiven.has(each.trim()))
    if (unknown.length > 0) throw notFound(unknown)
    return [...new Set(some.map((each) => byGiven.get(each.trim()) as string))]
  }
}

/** Refuses that a block rests on itself. */
export function refuseOnItself({ id }: Block, grounds: readonly string[]): void {
  if (!grounds.includes(id)) return
  throw new ElfmemError('INVALID_INPUT', 'A block cannot rest on itself: the contents are the same.', {
    recovery: 'Leave it out of derivedFrom.',
    details: { blockId: id },
  })
}

/** Notes what a block rests on in place of what was noted; returns what it did before, nothing if that is the same. */
export async function restOn(
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  { id }: Block,
  given: readonly string[],
): Promise<readonly string[] | undefined> {
  const wanted = (await readGrounds(tx, given))(given)
  refuseOnItself({ id } as Block, wanted)
  const noted = await readGroundsOf(tx, [id])
  const gone = noted.filter(({ ground }) => !wanted.includes(ground))
  if (noted.length === wanted.length && gone.length === 0) return undefined
  await tx.remove(grounds, gone)
  await saveGrounds(
    tx,
    wanted.map((ground) => ({ blockId: id, ground, foundBy: 'given', createdAt: moment.at })),
  )
  return noted.map(({ ground }) => ground)
}

/**
 * The grounds of blocks that hold no more at a time, by block, the nearest first, each once; of a block with none nothing. The search
 * goes from ground to ground and ends at one that holds no more: it is what is wrong. Two statements for each step, one where nothing
 * rests on anything.
 *
 * @param at ISO-8601 UTC
 */
export async function readOutdated(
  tx: ReadTransaction,
  ids: readonly string[],
  at: string,
): Promise<Map<string, readonly OutdatedGround[]>> {
  const found = new Map<string, OutdatedGround[]>()
  const seen = new Map([...new Set(ids)].map((id) => [id, new Set([id])]))
  let ways = [...seen.keys()].map((root) => ({ root, id: root, path: [] as readonly string[] }))
  for (let step = 0; step < GROUND_STEPS_MOST && ways.length > 0; step++) {
    const rows = await readGroundsOf(tx, [...new Set(ways.map(({ id }) => id))])
    if (rows.length === 0) break
    const groundsOf = Map.groupBy(rows, ({ blockId }) => blockId)
    const blocks = await blocksById(tx, [...new Set(rows.map(({ ground }) => ground))])
    const reached = ways.flatMap(({ root, id, path }) =>
      (groundsOf.get(id) ?? []).flatMap(({ ground: next, foundBy }) => {
        const ground = blocks.get(next)
        if (ground === undefined || seen.get(root)?.has(next)) return []
        seen.get(root)?.add(next)
        return [{ root, id: next, path: [...path, next], ground, foundBy }]
      }),
    )
    for (const { root, ground, path, foundBy } of reached)
      if (isOutdated(ground, at)) found.set(root, [...(found.get(root) ?? []), { ground, path, foundBy }])
    ways = reached.filter(({ ground }) => !isOutdated(ground, at))
  }
  return new Map([...seen.keys()].flatMap((id) => (found.has(id) ? [[id, found.get(id) ?? []]] : [])))
}

/** True if a block held once and holds no more: it ended, or another took its place. A forgotten block is no ground any more. */
function isOutdated(block: Block, at: string): boolean {
  if (block.status === 'archived' && block.archiveReason !== 'superseded') return false
  return (block.status === 'archived' || hasEnded(block, at)) && everHeld(block)
}

/** Living blocks that rest on what holds no more, in the order of their ids. */
export interface Outdated {
  readonly blocks: readonly Block[]
  readonly grounds: ReadonlyMap<string, readonly OutdatedGround[]>
  /** There are more, or not all grounds were looked at. */
  readonly more: boolean
}

/**
 * Finds at most `most` living blocks that rest on what holds no more, and hold themselves. A few statements for 500 grounds, of which
 * 10,000 are looked at.
 *
 * @param at ISO-8601 UTC
 */
export async function findOutdated(
  tx: ReadTransaction,
  { at, most }: { readonly at: string; readonly most: number },
): Promise<Outdated> {
  const grounds = new Map<string, readonly OutdatedGround[]>()
  const blocks = new Map<string, Block>()
  let after: readonly [string, string] | undefined = ['', '']
  for (let page = 0; page < PAGES_MOST && after !== undefined && blocks.size <= most; page++) {
    const rows: Ground[] = await tx.rows.scan(GROUND, {
      order: ['blockId', 'ground'],
      after: after,
      limit: PAGE,
    })
    const outdated = await readOutdated(
      tx,
      rows.map(({ blockId }) => blockId),
      at,
    )
    for (const [id, block] of await blocksById(tx, [...outdated.keys()]))
      if (isLiving(block, at)) {
        blocks.set(id, block)
        grounds.set(id, outdated.get(id) ?? [])
      }
    const last = rows.at(-1)
    after = last === undefined || rows.length < PAGE ? undefined : [last.blockId, last.ground]
  }
  const more = blocks.size > most || after !== undefined
  return { blocks: [...blocks.values()].slice(0, most), grounds, more }
}

function isLiving(block: Block, at: string): boolean {
  return block.status !== 'archived' && !hasEnded(block, at)
}

/**
 * Returns the living blocks that rest on each of these, by its id, and those that rest on them in turn. Two statements for
 * each step, one where nothing rests on them.
 *
 * @param at ISO-8601 UTC; what has ended by then is left out
 */
export async function readResting(
  tx: ReadTransaction,
  ids: readonly string[],
  at: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rootsOf = new Map(ids.map((id) => [id, new Set([id])]))
  const living: string[] = []
  let next = ids
  for (let step = 0; step < GROUND_STEPS_MOST && next.length > 0; step++) {
    const fresh = (await readGroundsOf(tx, next, 'ground')).filter(({ blockId }) => !rootsOf.has(blockId))
    for (const { blockId, ground } of fresh)
      rootsOf.set(blockId, new Set([...(rootsOf.get(blockId) ?? []), ...(rootsOf.get(ground) ?? [])]))
    const blocks = await blocksById(tx, [...new Set(fresh.map(({ blockId }) => blockId))])
    for (const block of blocks.values()) if (isLiving(block, at)) living.push(block.id)
    next = [...blocks.keys()]
  }
  const restingOn = (root: string) => living.filter((id) => rootsOf.get(id)?.has(root)).slice(0, RESTING_MOST)
  return new Map(ids.map((root) => [root, restingOn(root)]))
}
