import type { Block } from '../../domain/block/block.ts'
import { isLessTrusted } from '../../domain/block/source-class.ts'
import { saidAt } from '../../domain/block/standing.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { type Filter, passesFilter } from '../../search/index/filter.ts'
import type { RecalledVersion } from './entry.ts'

/** So many steps back are read of what replaced each other; `history` has them all. */
const STEPS_MOST = 3

/**
 * The blocks that entries superseded, as far as whoever remembered them said so and somebody agreed: archived since, so that
 * nothing else tells that there was another value. By entry, newest first. One statement for each step back, none where
 * no entry replaced anything.
 *
 * @param filter of the frame and the call, which holds for what is archived, too
 */
export async function replacedBy(
  tx: StoreReader,
  entries: readonly Block[],
  { filter, isVisible }: { readonly filter: Filter; readonly isVisible: (id: string) => boolean },
): Promise<ReadonlyMap<string, readonly RecalledVersion[]>> {
  const found = new Map<string, readonly RecalledVersion[]>()
  const seen = new Set(entries.map(({ id }) => id))
  const classOf = new Map(entries.map(({ id, sourceClass }) => [id, sourceClass]))
  let steps = entries.map((block) => ({ entry: block.id, block }))
  for (let step = 0; step < STEPS_MOST; step++) {
    const ids = steps.flatMap(({ block: { supersedes } }) =>
      supersedes === undefined || isVisible(supersedes) || seen.has(supersedes) ? [] : [supersedes],
    )
    if (ids.length === 0) break
    const blocks = new Map((await tx.blocks([...new Set(ids)])).map((block) => [block.id, block]))
    steps = steps.flatMap(({ entry, block: by }) => {
      const block = blocks.get(by.supersedes ?? '')
      if (block === undefined || block.archiveReason !== 'superseded' || seen.has(block.id)) return []
      seen.add(block.id)
      // Nothing stands under what is trusted less, whoever agreed to it.
      const mayStand = !isLessTrusted(classOf.get(entry) ?? by.sourceClass, block.sourceClass)
      if (mayStand && passesFilter(block, { ...filter, ids: undefined, active: undefined }))
        found.set(entry, [...(found.get(entry) ?? []), { block, why: 'superseded', until: saidAt(by) }])
      return [{ entry, block }]
    })
  }
  return found
}
