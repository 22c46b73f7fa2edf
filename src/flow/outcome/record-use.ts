import { count } from '../../domain/text/text.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { mutate } from '../engine/mutate.ts'
import { resolveIds } from '../guard/check-input.ts'
import type { Skipped } from './result.ts'

/** The number of blocks whose clocks were set, and the blocks left out with the reasons. */
export interface RecordUseResult {
  readonly blocksReinforced: number
  readonly skipped: readonly (Omit<Skipped, 'reason'> & {
    readonly reason: 'inbox' | 'archived' | 'unknown'
  })[]
}

/** Says that active blocks informed an answer: their clocks start anew. Never touches belief. Four statements. */
export function recordUse(
  engine: Engine,
  context: CallContext,
  { blockIds, source }: { readonly blockIds: readonly string[]; readonly source: string },
): Promise<RecordUseResult> {
  return mutate(engine, context, async ({ tx, moment, log }) => {
    const { ids, unknown } = await resolveIds(tx, blockIds)
    const used = new Set(await tx.reinforceBlocks(ids, moment.hours))
    const others = await tx.blocks(ids.filter((id) => !used.has(id)))
    await log({
      operation: 'record_use',
      blockIds: [...used],
      summary: `use of ${count(used.size, 'block')}`,
      ...(source === '' ? {} : { reason: source }),
    })
    return {
      blocksReinforced: used.size,
      skipped: [
        ...unknown.map((id) => ({ id, reason: 'unknown' as const })),
        ...others.map(({ id, status }) => ({
          id,
          reason: status === 'inbox' ? status : ('archived' as const),
        })),
      ],
    }
  })
}
