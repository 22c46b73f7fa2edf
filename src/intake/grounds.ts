import type { Block, Ground, OutdatedGround } from '../block/block.ts'
import { everHeld, hasEnded } from '../block/validity.ts'
import { readGroundPage, readGroundsOf, readRestingOn } from '../store/blocks.ts'
import { blocksById } from '../store/look-up.ts'
import type { ReadTransaction } from '../store/transaction.ts'

/** Grounds by the block that rests on them. */
type OutdatedByBlock = ReadonlyMap<string, readonly OutdatedGround[]>

/**
 * The grounds of blocks that hold no more at a time, by block, the nearest first; of a block with none nothing. Two
 * statements for each step from ground to ground, one where nothing rests on anything.
 *
 * @param at ISO-8601 UTC
 */
export async function readOutdated(
  tx: ReadTransaction,
  ids: readonly string[],
  at: string,
): Promise<Map<string, readonly OutdatedGround[]>> {
  const grounds = new Map<string, readonly Ground[]>()
  const blocks = new Map<string, Block>()
  let next = [...new Set(ids)]
  for (let step = 0; step < GROUND_STEPS_MOST && next.length > 0; step++) {
    const rows = await readGroundsOf(tx, next)
    if (rows.length === 0) break
    for (const [id, each] of Map.groupBy(rows, ({ blockId }) => blockId)) grounds.set(id, each)
    const reached = await blocksById(tx, [...new Set(rows.map(({ ground }) => ground))])
    for (const block of reached.values()) blocks.set(block.id, block)
    next = [...reached.values()].flatMap((block) =>
      grounds.has(block.id) || isOutdated(block, at) ? [] : [block.id],
    )
    for (const id of next) grounds.set(id, [])
  }
  if (grounds.size === 0) return new Map()
  const known = { groundsOf: (id: string) => grounds.get(id) ?? [], block: (id: string) => blocks.get(id) }
  return new Map(
    ids.flatMap((id) => {
      const outdated = outdatedGrounds(id, known, at)
      return outdated.length === 0 ? [] : [[id, outdated] as const]
    }),
  )
}

/** Living blocks that rest on what holds no more, in the order of their ids. */
export interface Outdated {
  readonly blocks: readonly Block[]
  readonly grounds: OutdatedByBlock
  /** There are more, or not all grounds were looked at. */
  readonly more: boolean
}

const PAGE = 500
/** Of more grounds than these only the first are looked at. */
const PAGES_MOST = 20

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
  let after: readonly [string, string] = ['', '']
  for (let page = 0; page < PAGES_MOST; page++) {
    const rows = await readGroundPage(tx, after, PAGE)
    const ids = [...new Set(rows.map(({ blockId }) => blockId))]
    const outdated = await readOutdated(tx, ids, at)
    for (const [id, block] of await blocksById(tx, [...outdated.keys()]))
      if (block.status !== 'archived' && !hasEnded(block, at)) {
        blocks.set(id, block)
        grounds.set(id, outdated.get(id) ?? [])
      }
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE || blocks.size > most)
      return { blocks: [...blocks.values()].slice(0, most), grounds, more: blocks.size > most }
    after = [last.blockId, last.ground]
  }
  return { blocks: [...blocks.values()].slice(0, most), grounds, more: true }
}

/** So many blocks that rest on one that ended are named. */
const RESTING_MOST = 20

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
  const reached: Block[] = []
  let next = ids
  for (let step = 0; step < GROUND_STEPS_MOST && next.length > 0; step++) {
    const fresh = (await readRestingOn(tx, next)).filter(({ blockId }) => !rootsOf.has(blockId))
    for (const { blockId, ground } of fresh)
      rootsOf.set(blockId, new Set([...(rootsOf.get(blockId) ?? []), ...(rootsOf.get(ground) ?? [])]))
    const blocks = await blocksById(tx, [...new Set(fresh.map(({ blockId }) => blockId))])
    reached.push(...blocks.values())
    next = [...blocks.keys()]
  }
  const living = reached.filter((block) => block.status !== 'archived' && !hasEnded(block, at))
  return new Map(
    ids.map((root) => {
      const resting = living.filter(({ id }) => rootsOf.get(id)?.has(root))
      return [root, resting.slice(0, RESTING_MOST).map(({ id }) => id)]
    }),
  )
}

/** The known grounds and blocks. */
interface KnownGrounds {
  readonly groundsOf: (id: string) => readonly Ground[]
  readonly block: (id: string) => Block | undefined
}

/** Longer chains of what rests on what are not followed. */
const GROUND_STEPS_MOST = 8

/**
 * Returns the grounds of a block that hold no more at a time, the nearest first, each once. The search goes from ground to
 * ground and ends at one that holds no more: it is what is wrong.
 *
 * @param at ISO-8601 UTC
 */
function outdatedGrounds(id: string, known: KnownGrounds, at: string): OutdatedGround[] {
  const found: OutdatedGround[] = []
  const seen = new Set([id])
  let steps: readonly Step[] = [{ id, path: [] }]
  for (let step = 0; step < GROUND_STEPS_MOST && steps.length > 0; step++) {
    const reached = steps
      .flatMap((from) => stepsFrom(from, known))
      .filter(({ id: ground }) => {
        const isNew = !seen.has(ground)
        seen.add(ground)
        return isNew
      })
    const ended = reached.filter(({ block }) => isOutdated(block, at))
    found.push(...ended.map(({ block, path, foundBy }) => ({ ground: block, path, foundBy })))
    steps = reached.filter(({ block }) => !isOutdated(block, at))
  }
  return found
}

/** A place on a way from ground to ground. */
interface Step {
  readonly id: string
  readonly path: readonly string[]
}

function stepsFrom({ id, path }: Step, known: KnownGrounds) {
  return known.groundsOf(id).flatMap(({ ground, foundBy }) => {
    const block = known.block(ground)
    return block === undefined ? [] : [{ id: block.id, path: [...path, block.id], foundBy, block }]
  })
}

/** True if a block held once and holds no more: it ended, or another took its place. A forgotten block is no ground any more. */
function isOutdated(block: Block, at: string): boolean {
  if (block.status === 'archived' && block.archiveReason !== 'superseded') return false
  return (block.status === 'archived' || hasEnded(block, at)) && everHeld(block)
}
