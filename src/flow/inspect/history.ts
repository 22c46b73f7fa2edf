import type { OperationFilter } from '../../ports/store/transaction.ts'
import type { Engine } from '../engine/engine.ts'
import { instantOf } from '../guard/check-input.ts'
import { requireIds } from '../guard/resolve-ids.ts'
import { type ToldOperation, told, undoneBy } from '../undo/undone.ts'

export interface HistoryInput {
  readonly lastN: number
  readonly blockId?: string | undefined
  readonly operation?: string | undefined
  readonly actor?: string | undefined
  /** ISO date or date-time. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  /** Only what is older than this entry. */
  readonly cursor?: number | undefined
}

export interface HistoryResult {
  /** Oldest first. */
  readonly records: readonly ToldOperation[]
  /** Present when there may be older ones. */
  readonly cursor?: number
}

/** The last logged operations, oldest of them first. Changes nothing. */
export function history(engine: Engine, input: HistoryInput): Promise<HistoryResult> {
  return engine.store.read(async (tx) => {
    const [blockId] = input.blockId === undefined ? [] : await requireIds(tx, [input.blockId])
    const newestFirst = await tx.operations(filterOf(input, blockId))
    const undone = await undoneBy(tx)
    const last = newestFirst.at(-1)
    return {
      records: newestFirst.reverse().map((record) => told(record, undone)),
      ...(last === undefined || newestFirst.length < input.lastN ? {} : { cursor: last.id }),
    }
  })
}

function filterOf(
  { lastN, operation, actor, since, until, cursor }: HistoryInput,
  blockId: string | undefined,
): OperationFilter {
  const given = {
    blockId,
    operation: operation === undefined ? undefined : snake(operation),
    actor,
    since: since === undefined ? undefined : instantOf(since),
    until: until === undefined ? undefined : instantOf(until),
    before: cursor,
  }
  const asked = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(asked), limit: lastN }
}

/** Operations are logged under their wire names. */
function snake(name: string): string {
  return name.trim().replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
