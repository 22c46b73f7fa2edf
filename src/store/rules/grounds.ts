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
  const known = new Set(stored.map(keyOf))
  const written = wanted.filter((each) => {
    const isNew = !known.has(keyOf(each))
    known.add(keyOf(each))
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

function keyOf({ blockId, ground }: Pick<Ground, 'blockId' | 'ground'>): string {
  return `${blockId} ${ground}`
}
