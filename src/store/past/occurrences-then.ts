import { datedBy } from '../../domain/block/occurrence.ts'
import type { RowOf } from '../../ports/store/description.ts'
import { blocks, occurrences } from '../tables.ts'
import type { RowsThen } from './rows-then.ts'

/**
 * Lets go of occurrences that a time does not know, and dates their blocks by the others. A block that an occurrence of
 * these had brought back has its end again.
 */
export function leaveOccurrences(
  then: RowsThen,
  isKnown: (occurrence: RowOf<typeof occurrences>) => boolean,
): void {
  const rows = then.of(occurrences)
  const gone = [...rows].filter(([, row]) => !isKnown(row))
  if (gone.length === 0) return
  for (const [key] of gone) rows.delete(key)
  const left = Map.groupBy(rows.values(), ({ blockId }) => blockId)
  const lost = Map.groupBy(
    gone.map(([, row]) => row),
    ({ blockId }) => blockId,
  )
  for (const [key, block] of then.of(blocks)) {
    const ended = lost.get(block.id)
    if (ended === undefined) continue
    const supersededAt = ended.find(({ endedAt }) => endedAt !== undefined)?.endedAt
    const dated = { ...block, ...datedBy(block, left.get(block.id) ?? []) }
    then.of(blocks).set(key, { ...dated, ...(supersededAt === undefined ? {} : { supersededAt }) })
  }
}
