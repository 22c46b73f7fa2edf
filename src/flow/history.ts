import type { OperationRecord } from '../ports/store.ts'
import type { Engine } from './engine.ts'
import { requireIds } from './resolve-ids.ts'

export interface HistoryInput {
  readonly lastN: number
  readonly blockId?: string | undefined
  readonly operation?: string | undefined
}

/** The last logged operations, oldest of them first. Changes nothing. */
export function history(
  engine: Engine,
  { lastN, blockId, operation }: HistoryInput,
): Promise<readonly OperationRecord[]> {
  return engine.store.read(async (tx) => {
    const [id] = blockId === undefined ? [] : await requireIds(tx, [blockId])
    const newestFirst = await tx.operations({
      limit: lastN,
      ...(id === undefined ? {} : { blockId: id }),
      ...(operation === undefined ? {} : { operation: snake(operation) }),
    })
    return newestFirst.reverse()
  })
}

/** Operations are logged under their wire names. */
function snake(name: string): string {
  return name.trim().replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
