import { ElfmemError } from '../errors.ts'
import type { OperationRecord, StoreReader } from '../ports/store.ts'
import { undoneBy } from './undone.ts'

/** Blocks asked about, and entries of the log of each. */
const LOOKED_AT = 20

/** The refusal to undo an operation, naming the newest later one that is in the way as far as the log tells. */
export async function laterDoing(
  tx: StoreReader,
  asked: OperationRecord,
  cause: ElfmemError,
): Promise<ElfmemError> {
  const { id, operation } = asked
  const later = await newestLater(tx, asked, idsIn(cause))
  const what = `Operation ${id} (${operation}) cannot be undone`
  if (later === undefined)
    return new ElfmemError('CONFLICT', `${what}: what it changed was changed again since.`, {
      recovery: 'history({ blockId }) shows what came later; undo the newest of that first.',
      details: { ...cause.details, operationId: id },
      cause,
    })
  return new ElfmemError(
    'CONFLICT',
    `${what}: operation ${later.id} (${later.operation}) changed the same since.`,
    {
      recovery: `Call undo({ operationId: ${later.id} }) first.`,
      details: { ...cause.details, operationId: id, laterOperationId: later.id },
      cause,
    },
  )
}

async function newestLater(
  tx: StoreReader,
  { id, run }: Pick<OperationRecord, 'id' | 'run'>,
  blockIds: readonly string[],
): Promise<OperationRecord | undefined> {
  const undone = await undoneBy(tx)
  const found: OperationRecord[] = []
  for (const blockId of blockIds.slice(0, LOOKED_AT))
    found.push(...(await tx.operations({ blockId, limit: LOOKED_AT })))
  const [newest] = found
    .filter((entry) => entry.id > id && entry.kept !== undefined && !undone.has(entry.kept))
    .filter((entry) => run === undefined || entry.run !== run)
    .sort((one, other) => other.id - one.id)
  if (newest?.run === undefined) return newest
  // The last entry of a run stands for all of it.
  const [end] = await tx.operations({ run: newest.run, limit: 1 })
  return end ?? newest
}

function idsIn({ details }: ElfmemError): string[] {
  const { blockIds } = details
  return Array.isArray(blockIds) ? blockIds.map(String) : []
}
