import type { Ground } from '../../domain/block/grounds.ts'
import { type View, viewOf } from '../../ports/store/description.ts'
import { grounds } from '../tables.ts'
import { sharedScope, type Transaction } from '../transaction.ts'

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

/** Notes what existing blocks rest on, each pair once; what somebody said outlasts what a rule read. */
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
  const known = new Map(stored.map((row) => [keyOf(row), row.foundBy]))
  const written = new Map<string, Ground>()
  for (const each of wanted) {
    const key = keyOf(each)
    const was = known.get(key)
    if (was !== undefined && (was !== 'rule' || each.foundBy === 'rule')) continue
    known.set(key, each.foundBy)
    written.set(key, each)
  }
  await tx.rows.put(
    grounds,
    [...written.values()].map((each) => ({ ...each, ...sharedScope(at(each.blockId), at(each.ground)) })),
    stored,
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

function keyOf({ blockId, ground }: Pick<Ground, 'blockId' | 'ground'>): string {
  return `${blockId} ${ground}`
}
