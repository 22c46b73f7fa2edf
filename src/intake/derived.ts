import type { Block } from '../block/block.ts'
import type { Mutation } from '../engine/mutate.ts'
import { ElfmemError } from '../errors.ts'
import { readGroundsOf, removeGrounds, saveGrounds } from '../store/blocks.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { notFound, resolveIds } from './check-input.ts'

/** The whole ids that blocks are said to rest on, as they were given; throws for one that is none. */
type Grounds = (given: readonly string[]) => string[]

/**
 * Looks up what new blocks are said to rest on, archived or not. One statement, none when nothing is said. What is returned
 * throws `NOT_FOUND` and `AMBIGUOUS_ID`.
 */
export async function readGrounds(tx: ReadTransaction, given: readonly string[]): Promise<Grounds> {
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
  block: Block,
  given: readonly string[],
): Promise<readonly string[] | undefined> {
  const wanted = (await readGrounds(tx, given))(given)
  refuseOnItself(block, wanted)
  const noted = await readGroundsOf(tx, [block.id])
  const before = noted.map(({ ground }) => ground)
  const isSame = before.length === wanted.length && noted.every(({ ground }) => wanted.includes(ground))
  if (isSame) return undefined
  await removeGrounds(
    tx,
    noted.filter(({ ground }) => !wanted.includes(ground)),
  )
  await saveGrounds(
    tx,
    wanted.map((ground) => ({ blockId: block.id, ground, foundBy: 'given', createdAt: moment.at })),
  )
  return before
}
