import type { Block } from '../../domain/block/block.ts'
import { isLessTrusted } from '../../domain/block/source-class.ts'
import type { RecalledVersion } from '../../domain/versions/told.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { type Filter, passesFilter } from '../../search/index/blocks.ts'

/** So many steps back are read of what replaced each other; `history` has them all. */
const STEPS_MOST = 3
/** The same for a question about the past, which may want the first of them. */
const STEPS_INTO_PAST = 32

/** An entry of an answer, with the living blocks that stand under it as its versions. */
interface Chain {
  readonly entry: Block
  readonly versions?: readonly Block[]
}

/** A block whose place was taken by one of an entry's, or is to be looked up. */
interface Step {
  readonly entry: string
  readonly by: Block
}

/**
 * The blocks that entries and their versions superseded, as far as whoever remembered them said so and somebody agreed:
 * archived since, so that nothing else tells that there was another value. By entry, newest first. What was forgotten of a chain
 * is passed over. One statement for each step back, none where no entry replaced anything.
 *
 * @param filter of the frame and the call, which holds for what is archived, too
 */
export async function replacedBy(
  tx: StoreReader,
  chains: readonly Chain[],
  {
    filter,
    isVisible,
    isOfPast = false,
  }: {
    readonly filter: Filter
    readonly isVisible: (id: string) => boolean
    /** True if the question wants what was before. */
    readonly isOfPast?: boolean
  },
): Promise<ReadonlyMap<string, readonly RecalledVersion[]>> {
  const found = new Map<string, readonly RecalledVersion[]>()
  const seen = new Set(chains.flatMap(({ entry, versions = [] }) => [entry, ...versions].map(({ id }) => id)))
  const classOf = new Map(chains.map(({ entry: { id, sourceClass } }) => [id, sourceClass]))
  let steps = chains.flatMap(({ entry, versions = [] }) =>
    [entry, ...versions].map((by): Step => ({ entry: entry.id, by })),
  )
  for (let step = 0; step < (isOfPast ? STEPS_INTO_PAST : STEPS_MOST); step++) {
    const ids = steps.flatMap(({ by: { supersedes } }) =>
      supersedes === undefined || isVisible(supersedes) || seen.has(supersedes) ? [] : [supersedes],
    )
    if (ids.length === 0) break
    const blocks = new Map((await tx.blocks([...new Set(ids)])).map((block) => [block.id, block]))
    steps = steps.flatMap(({ entry, by }): Step[] => {
      const block = blocks.get(by.supersedes ?? '')
      if (block === undefined || block.status !== 'archived' || seen.has(block.id)) return []
      seen.add(block.id)
      // Trust matters only where nobody decided that the one takes the place of the other.
      const isDecided = block.supersededBy === by.id
      const mayStand = isDecided || !isLessTrusted(classOf.get(entry) ?? by.sourceClass, block.sourceClass)
      const isTold = block.archiveReason === 'superseded' && mayStand
      if (isTold && passesFilter(block, { ...filter, ids: undefined, active: undefined }))
        found.set(entry, [...(found.get(entry) ?? []), { block, why: 'superseded' }])
      return [{ entry, by: block }]
    })
  }
  return found
}
