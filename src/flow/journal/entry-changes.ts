import { labelsIn } from '../../domain/block/item-place.ts'
import { preview, shortened } from '../../domain/text/text.ts'
import type { OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import type { KeptChange } from '../../ports/store/undo.ts'
import { RUNS } from '../undo/undone.ts'
import { readWordings } from './wording-then.ts'

/** More changes of one entry are left out: a list of them is for reading. */
const CHANGES_MOST = 200
/** Characters of a value; no block that recall shows is longer. */
const VALUE_MOST = 10_000
/** Entries of a run that are looked at, of which each may have a transaction of its own. */
const ENTRIES_MOST = 1_000
/** Characters of the words that say which block it is. */
const NAMED_LENGTH = 80

/** One value that an operation changed; what it is of stands in one of the first four. */
export interface EntryChange extends Pick<KeptChange, 'field' | 'before' | 'after'> {
  readonly block?: string
  readonly edge?: readonly string[]
  readonly pair?: readonly string[]
  readonly item?: { readonly space: string; readonly namespace: readonly string[]; readonly key: string }
  /** The beginning of each block that is named, as it was then; empty where that is not known. */
  readonly words?: readonly string[]
}

/** The changes of an entry of the log. */
export interface EntryChanges {
  readonly changes: readonly EntryChange[]
  /** True if there are more. */
  readonly isCut: boolean
}

/**
 * The changes of an entry as far as they are kept: all of its transaction, and of the entry that stands for a run all of that, the
 * oldest first. Undefined if nothing is kept.
 */
export async function readEntryChanges(
  tx: StoreReader,
  entry: OperationRecord,
): Promise<EntryChanges | undefined> {
  const found: KeptChange[] = []
  let isKept = false
  for (const kept of await transactionsOf(tx, entry)) {
    const changes = await tx.keptChanges(kept)
    if (changes === undefined) continue
    isKept = true
    found.push(...changes)
    if (found.length > CHANGES_MOST) break
  }
  if (!isKept) return undefined
  const shown = found.slice(0, CHANGES_MOST)
  const ids = [...new Set(shown.flatMap(({ of, names }) => (of === 'item' ? [] : names)))]
  const wordsThen = await readWordings(tx, ids, { after: entry.id })
  const words = new Map(ids.map((id) => [id, preview(wordsThen(id, entry) ?? '', NAMED_LENGTH)]))
  return { changes: shown.map((each) => toldAs(each, words)), isCut: found.length > CHANGES_MOST }
}

/** Under which numbers the changes of an entry are kept, ascending. */
async function transactionsOf(tx: StoreReader, { kept, run, operation }: OperationRecord): Promise<number[]> {
  if (run === undefined || !RUNS.includes(operation)) return kept === undefined ? [] : [kept]
  const entries = await tx.operations({ run, after: 0, isKept: true, limit: ENTRIES_MOST })
  return [...new Set(entries.flatMap((entry) => entry.kept ?? []))].sort((one, other) => one - other)
}

function toldAs(
  { of, names, field, ...values }: KeptChange,
  words: ReadonlyMap<string, string>,
): EntryChange {
  const told = Object.fromEntries(Object.entries(values).map(([side, value]) => [side, bounded(value)]))
  const [first = '', second = '', third = ''] = names
  if (of === 'item')
    return { item: { space: first, namespace: labelsIn(second), key: third }, field, ...told }
  const which = of === 'block' ? { block: first } : { [of]: names }
  return { ...which, words: names.map((id) => words.get(id) ?? ''), field, ...told }
}

/** A value in full, unless it is very long. */
function bounded(value: unknown): unknown {
  if (typeof value === 'string') return shortened(value, VALUE_MOST)
  if (typeof value !== 'object' || value === null) return value
  const text = JSON.stringify(value)
  return text.length > VALUE_MOST ? shortened(text, VALUE_MOST) : value
}
