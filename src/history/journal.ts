import { mayCover } from '../block/block.ts'
import { labelsIn } from '../block/item-place.ts'
import { defined, preview, shortened } from '../block/text.ts'
import { endOf } from '../block/validity.ts'
import type { DreamRecord, TokenUsage } from '../engine/counts.ts'
import { AUTO, CURATE, nextTurn } from '../engine/engine.ts'
import { type Ends, orderedPair, saidEnds } from '../graph/edge.ts'
import { blocksById, readBlocks } from '../store/blocks.ts'
import type { OperationRecord } from '../store/database.ts'
import { type Column, columnName, readCell, type Told, viewOf } from '../store/description.ts'
import { readLinks } from '../store/graph.ts'
import { logBegins } from '../store/log.ts'
import { blocks as blocksTable, operationChanges } from '../store/tables.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { type Change, type Image, type ImageRow, storedCell, UNDO_TABLES, type UndoTable } from './images.ts'
import { isAllOwn } from './revert.ts'
import { RUNS, told as toldOf, undoneBy } from './undo.ts'

/** Number of blocks that are read at a time. */
const PAGE = 2_000

/** A block and the time at which something happened to it, ISO-8601 UTC. */
interface Dated {
  readonly id: string
  readonly at: string
  readonly by?: string
  readonly reason?: 'forgotten' | 'decayed'
}

const DATED = viewOf(blocksTable, [
  ...(['id', 'status', 'sourceClass', 'createdAt', 'occurredAt', 'validFrom', 'validUntil'] as const),
  ...(['supersededAt', 'archivedAt', 'archiveReason', 'supersededBy', 'supersedes'] as const),
])

/** The dates of a block, and the blocks that replaced it or that it replaced. */
type DatedBlock = NonNullable<typeof DATED.row>

/** This lists what happened to blocks between two times, as their columns say, oldest first. */
interface Changed {
  readonly learned: readonly Dated[]
  readonly superseded: readonly Dated[]
  readonly ended: readonly Dated[]
  readonly forgotten: readonly Dated[]
}

/** Reads what happened to all blocks from one time on and before another. One statement for 2,000 blocks, and one more. */
export async function readChanged(tx: ReadTransaction, from: string, to: string): Promise<Changed> {
  const within = (at: string | undefined): at is string => at !== undefined && from <= at && at < to
  const found: Record<keyof Changed, Dated[]> = { learned: [], superseded: [], ended: [], forgotten: [] }
  const replacing: (DatedBlock & Dated)[] = []
  for (let after = ''; ; ) {
    const page = await tx.rows.scan(DATED, { order: ['id'], after: [after], limit: PAGE })
    for (const block of page) {
      noteDates(found, block, within)
      const { createdAt: at, supersedes } = block
      if (within(at) && supersedes !== undefined) replacing.push({ ...block, at })
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) break
    after = last.id
    await nextTurn()
  }
  const replaced = await replacedBy(tx, inOrder(replacing))
  const archived = found.superseded.filter(({ id }) => !replaced.has(id))
  found.superseded = [...archived, ...replaced.values()]
  return Object.fromEntries(
    Object.entries(found).map(([kind, dated]) => [kind, inOrder(dated)]),
  ) as typeof found
}

function noteDates(
  { learned, superseded, ended, forgotten }: Readonly<Record<keyof Changed, Dated[]>>,
  block: DatedBlock,
  within: (at: string | undefined) => at is string,
): void {
  const { id, status, createdAt, archivedAt, archiveReason: reason, supersededAt, supersededBy: by } = block
  const end = endOf(block)
  if (within(createdAt)) learned.push({ id, at: createdAt })
  if (within(end) && status !== 'archived' && end !== supersededAt) ended.push({ id, at: end })
  if (!within(archivedAt)) return
  if (reason === 'superseded') superseded.push({ id, at: archivedAt, ...(by && { by }) })
  else if (reason !== undefined) forgotten.push({ id, at: archivedAt, reason })
}

/** Returns the blocks that were replaced by remembering another, with the first such block; a mere proposal replaces none. */
async function replacedBy(
  tx: ReadTransaction,
  replacing: readonly DatedBlock[],
): Promise<ReadonlyMap<string, Dated>> {
  const older = await blocksById(tx, [...new Set(replacing.flatMap(({ supersedes }) => supersedes ?? []))])
  const first = new Map<string, Dated>()
  for (const { id: by, createdAt: at, supersedes = '', sourceClass } of replacing) {
    const block = older.get(supersedes)
    if (block?.supersededAt === undefined || !mayCover(sourceClass, block)) continue
    if (!first.has(supersedes)) first.set(supersedes, { id: supersedes, at, by })
  }
  return first
}

/** This lists the operations between two times that the log has and nobody has taken back. */
interface Log {
  readonly connected: readonly { from: string; to: string; relation: string; at: string }[]
  readonly edited: readonly Dated[]
  readonly reported: readonly Dated[]
  readonly restored: readonly Dated[]
  readonly others: readonly Pick<OperationRecord, 'id' | 'operation' | 'at' | 'summary'>[]
  /** The time from which the log is whole, if that is later than the beginning of the time asked for. */
  readonly since?: string
}

/** Reads what was done from one time on and before another. A few statements. */
export async function readLog(
  tx: ReadTransaction,
  { from, to, limit }: { readonly from: string; readonly to: string; readonly limit: number },
): Promise<Log> {
  const undone = await undoneBy(tx)
  // A report names several blocks, so more entries are read than are listed.
  const done = async (...operations: readonly string[]): Promise<OperationRecord[]> => {
    const found: OperationRecord[] = []
    for (const operation of operations)
      found.push(...(await tx.queries.operations({ operation, since: from, until: to, limit: limit * 20 })))
    return found
      .filter((entry) => toldOf(entry, undone).undoneBy === undefined)
      .sort((one, other) => one.id - other.id)
  }
  // An entry without a previous state changed only counts of use.
  const changing = (entries: readonly OperationRecord[]) =>
    entries.filter(({ before }) => before !== undefined)
  const edits = changing(await done('edit')).map(({ blockIds, at }) => ({
    blockIds: blockIds.slice(0, 1),
    at,
  }))
  const reports = await done('outcome', 'settle')
  const since = await logBegins(tx)
  return {
    connected: await joinedBy(tx, await done('connect')),
    edited: lastOf(edits),
    reported: lastOf(reports.filter(({ operation, before }) => operation === 'outcome' || before)),
    restored: lastOf(await done('restore')),
    others: (await done('undo', 'import', 'restore_backup', 'erase')).map(
      ({ id, operation, at, summary }) => ({ id, operation, at, summary }),
    ),
    ...(since !== undefined && since > from ? { since } : {}),
  }
}

/** Returns the existing edges that entries name, each with the time of the last entry. */
async function joinedBy(tx: ReadTransaction, entries: readonly OperationRecord[]): Promise<Log['connected']> {
  const at = new Map<string, string>()
  for (const { before, at: time } of entries)
    for (const [one, other] of (before as { readonly ends?: readonly Ends[] } | undefined)?.ends ?? [])
      at.set(orderedPair(one, other).join(' '), time)
  const { edges } = await readLinks(tx, [...new Set([...at.keys()].flatMap((ends) => ends.split(' ')))])
  const joined = edges.flatMap((edge) => {
    const time = at.get(`${edge.from} ${edge.to}`)
    const [from, to] = saidEnds(edge)
    return time === undefined ? [] : [{ from, to, relation: edge.relation, at: time }]
  })
  return joined.sort((one, other) => compare(one.at, other.at))
}

/** Returns each block that entries name, with the time of the last entry. */
function lastOf(entries: readonly Pick<OperationRecord, 'blockIds' | 'at'>[]): Dated[] {
  const last = new Map(entries.flatMap(({ blockIds, at }) => blockIds.map((id) => [id, at] as const)))
  return inOrder(Array.from(last, ([id, at]) => ({ id, at })))
}

function inOrder<T extends Pick<Dated, 'id' | 'at'>>(dated: readonly T[]): T[] {
  return dated.toSorted((one, other) => compare(one.at, other.at) || compare(one.id, other.id))
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

/** One value that a transaction changed, under its name in the domain; `before` or `after` is absent if there was no value. */
interface KeptChange {
  readonly of: Told['of']
  /** The id of the block, the two ends of the edge or pair, or space, namespace and key of the item. */
  readonly names: readonly string[]
  readonly field: string
  readonly before?: unknown
  readonly after?: unknown
}

/**
 * Returns the changes of a transaction, in the words of the tables' descriptions, as far as a view sees the blocks that they name.
 * Undefined if no changes are kept, or if the transaction was about other scopes as well.
 */
export async function readKeptChanges(tx: ReadTransaction, kept: number): Promise<KeptChange[] | undefined> {
  const [row] = await tx.whole.rows.get(operationChanges, [[kept]])
  if (row === undefined || !(await isAllOwn(tx, row))) return undefined
  const image = row.changes as Image
  const found = [...UNDO_TABLES.values()].flatMap((table) => {
    const { told } = table.table
    return told === undefined ? [] : (image[table.name] ?? []).flatMap((each) => valuesOf(table, told, each))
  })
  if (tx.scope === undefined) return found
  const at = await tx.lookUp(found.flatMap(({ of, names }) => (of === 'item' ? [] : names)))
  return found.filter(({ of, names }) => of === 'item' || names.every((id) => at(id) !== undefined))
}

/** Returns the changed values of a row, or the values that describe a row that was inserted or removed. */
function valuesOf(
  { table }: UndoTable,
  { of, names, whole }: Told,
  { was, is, named }: Change,
): KeptChange[] {
  const row = { ...(is ?? was), ...named }
  const valueIn = (cells: ImageRow | undefined, property: string): unknown => {
    const column = table.columns[property] as Column
    const cell = cells?.[columnName(table, property)] ?? null
    const isNone = cell === null || (column.isOptional && cell === column.blank)
    return isNone ? undefined : readCell(column, storedCell(cell))
  }
  const changed =
    was && is ? table.properties.filter((property) => columnName(table, property) in was) : whole
  return changed.flatMap((property): KeptChange[] => {
    const { called: field, former } = table.columns[property] as Column
    if (field === undefined) return []
    // A row that describes a change has both values; it was removed when that change was taken back.
    const sides =
      former === undefined
        ? [valueIn(was, property), valueIn(is, property)]
        : [valueIn(row, former), valueIn(row, property)]
    const [before, after] = former !== undefined && is === undefined ? sides.reverse() : sides
    const known = Object.entries({ before, after }).filter(([, value]) => !isNothing(value))
    if (known.length === 0) return []
    return [
      { of, names: names.map((name) => String(valueIn(row, name))), field, ...Object.fromEntries(known) },
    ]
  })
}

function isNothing(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0)
}

/** The greatest number of changes of one entry that are listed, because the list is for reading. */
const CHANGES_MOST = 200
/** The greatest number of characters of a value; no block that recall shows is longer. */
const VALUE_MOST = 10_000

/** An entry change is one value that an operation changed; `block`, `edge`, `pair` or `item` says whose value. */
interface EntryChange extends Pick<KeptChange, 'field' | 'before' | 'after'> {
  readonly block?: string
  readonly edge?: readonly string[]
  readonly pair?: readonly string[]
  readonly item?: { readonly space: string; readonly namespace: readonly string[]; readonly key: string }
  /** The beginning of each named block, as it is now; empty if the block is gone. */
  readonly words?: readonly string[]
}

/**
 * Reads the kept changes of an entry: all of its transaction, or all of the run if the entry stands for a run, the oldest first.
 * `isCut` is true if there are more changes than are listed. Undefined if no changes are kept.
 */
export async function readEntryChanges(
  tx: ReadTransaction,
  { kept, run, operation }: OperationRecord,
): Promise<{ readonly changes: readonly EntryChange[]; readonly isCut: boolean } | undefined> {
  const entries =
    run === undefined || !RUNS.includes(operation)
      ? [{ kept }]
      : await tx.queries.operations({ run, after: 0, isKept: true, limit: 1_000 })
  const found: KeptChange[] = []
  let isKept = false
  for (const each of new Set(entries.flatMap((entry) => entry.kept ?? []))) {
    const changes = await readKeptChanges(tx, each)
    isKept ||= changes !== undefined
    found.push(...(changes ?? []))
    if (found.length > CHANGES_MOST) break
  }
  if (!isKept) return undefined
  const shown = found.slice(0, CHANGES_MOST)
  const ids = new Set(shown.flatMap(({ of, names }) => (of === 'item' ? [] : names)))
  const named = await readBlocks(tx, [...ids])
  const words = new Map(named.map(({ id, content }) => [id, preview(content, 80)]))
  return { changes: shown.map((each) => toldAs(each, words)), isCut: found.length > CHANGES_MOST }
}

function toldAs(
  { of, names, field, ...values }: KeptChange,
  words: ReadonlyMap<string, string>,
): EntryChange {
  const sides = Object.fromEntries(Object.entries(values).map(([side, value]) => [side, bounded(value)]))
  const [first = '', second = '', third = ''] = names
  if (of === 'item')
    return { item: { space: first, namespace: labelsIn(second), key: third }, field, ...sides }
  const which = of === 'block' ? { block: first } : { [of]: names }
  return { ...which, words: names.map((id) => words.get(id) ?? ''), field, ...sides }
}

/** Returns a value, shortened if it is very long. */
function bounded(value: unknown): unknown {
  if (typeof value === 'string') return shortened(value, VALUE_MOST)
  const text = JSON.stringify(value)
  return text === undefined || text.length <= VALUE_MOST ? value : shortened(text, VALUE_MOST)
}

/** The last dream is the newest dream in the log. */
interface LastDream extends DreamRecord {
  /** The number of the dream's entry in the log. */
  readonly operationId: number
  /** The name of the dream's run, which all of its entries have. */
  readonly run: string
  /** The time of the dream, ISO-8601 UTC. */
  readonly at: string
  readonly actor: string
  /** Number of faded blocks that the dream's curation archived. */
  readonly archived: number
  readonly tokens?: TokenUsage
}

/**
 * Reads the newest dream from its entry of the log, and from the entry of the curation that the dream began. Undefined if the log has
 * no dream. Two statements.
 */
export async function readLastDream(tx: ReadTransaction): Promise<LastDream | undefined> {
  const [entry] = await tx.queries.operations({ operation: 'dream', limit: 1 })
  if (entry?.result === undefined || entry.run === undefined) return undefined
  const { id, run, at, actor, tokens, result } = entry
  // Later curations may have been started by hand.
  const curations = await tx.queries.operations({ operation: 'curate', limit: 20 })
  const own = curations.find((each) => each.id > id && [AUTO, CURATE].includes(each.actor))
  const archived = own?.blockIds.length ?? 0
  return { ...{ operationId: id, run, at, actor, ...result, archived }, ...defined({ tokens }) }
}
