import type { OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import { isErased, UNDO } from '../undo/undone.ts'

/** Entries of a kind that are looked through, the oldest first: more were not made since what a page of the journal shows. */
const LOOKED_THROUGH = 2_000
/** Undos of which it is read what they changed. Each costs a few statements. */
const UNDOS_READ = 50
/** Transactions of an undo that are asked for by their names; one that took back more is read at once. */
const UNDONE_ASKED = 8

/** A place in the log: an entry, or a time, ISO-8601 UTC. */
type Then = Pick<OperationRecord, 'id' | 'kept'> | string

/**
 * The words of a block at some time: as an entry left them, and where it took the block away as they were before. Undefined where
 * there were none, or where what is kept does not tell.
 */
type Wordings = (blockId: string, then: Then) => string | undefined

/** A change of a block's words. */
interface Rewording {
  readonly entry: Pick<OperationRecord, 'id' | 'kept' | 'at'>
  /** Undefined if there were none, or if they are not kept. */
  readonly before: string | undefined
}

/**
 * Reads the words of blocks as they were from some entry or time on. Words of now are set back by each edit, whose entry has what
 * they were, and by each undo of one. Three statements, and some more for each undo of an edit.
 *
 * @param since no time asked about is before it
 */
export async function readWordings(
  tx: StoreReader,
  ids: readonly string[],
  since: { readonly after: number } | { readonly since: string },
): Promise<Wordings> {
  const wanted = new Set(ids)
  const now = new Map((await tx.blocks([...wanted])).map(({ id, content }) => [id, content]))
  const from = { after: 0, ...since, limit: LOOKED_THROUGH }
  const rewordings = new Map<string, Rewording[]>()
  const note = (id: string, rewording: Rewording) => {
    if (wanted.has(id)) rewordings.set(id, [...(rewordings.get(id) ?? []), rewording])
  }
  for (const entry of await tx.operations({ ...from, operation: 'edit' })) {
    const before = entry.before as { readonly content?: string } | undefined
    if (before?.content !== undefined || isErased(entry))
      note(entry.blockIds[0] ?? '', { entry, before: before?.content })
  }
  const undos = await tx.operations({ ...from, operation: UNDO })
  for (const { entry, changed } of await changedByUndos(tx, undos, { wanted, now }))
    for (const [id, before] of changed) note(id, { entry, before })
  const inOrder = new Map(
    [...rewordings].map(([id, all]) => [id, all.sort((one, other) => one.entry.id - other.entry.id)]),
  )
  return (id, then) => wordingAt(inOrder.get(id) ?? [], then, now.get(id))
}

function wordingAt(
  rewordings: readonly Rewording[],
  then: Then,
  now: string | undefined,
): string | undefined {
  const later = rewordings.find(({ entry }) =>
    typeof then === 'string' ? entry.at > then : entry.id > then.id && entry.kept !== then.kept,
  )
  if (later !== undefined) return later.before
  const last = rewordings.at(-1)
  const isTakenAway = now === undefined && typeof then !== 'string' && last?.entry.id === then.id
  return isTakenAway ? last?.before : now
}

interface Known {
  readonly wanted: ReadonlySet<string>
  readonly now: ReadonlyMap<string, string>
}

/** Those of the undos that changed words of wanted blocks, and what these were before. */
async function changedByUndos(
  tx: StoreReader,
  undos: readonly OperationRecord[],
  { wanted, now }: Known,
): Promise<readonly { entry: OperationRecord; changed: ReadonlyMap<string, string | undefined> }[]> {
  const found: { entry: OperationRecord; changed: ReadonlyMap<string, string | undefined> }[] = []
  for (const entry of undos) {
    const theirs = entry.blockIds.filter((id) => wanted.has(id))
    if (theirs.length === 0) continue
    if (theirs.every((id) => now.has(id)) && !(await tookBackWords(tx, entry))) continue
    const changes =
      entry.kept === undefined || found.length >= UNDOS_READ ? undefined : await tx.keptChanges(entry.kept)
    const words = changes?.flatMap(({ of, names: [id = ''], field, before }) =>
      of === 'block' && field === 'words' ? [[id, before as string | undefined] as const] : [],
    )
    found.push({ entry, changed: new Map(words ?? theirs.map((id) => [id, undefined])) })
  }
  return found
}

/** True if an undo may have changed words of blocks that are there: it took back an edit, or another undo. */
async function tookBackWords(tx: StoreReader, { before }: OperationRecord): Promise<boolean> {
  const { undoes = [] } = (before ?? {}) as { readonly undoes?: readonly number[] }
  if (undoes.length > UNDONE_ASKED) return true
  for (const kept of undoes) {
    const [entry] = await tx.operations({ before: kept + 1, limit: 1 })
    if (entry !== undefined && ['edit', 'decide', UNDO].includes(entry.operation)) return true
  }
  return false
}
