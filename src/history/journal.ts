import { mayCover } from '../block/block.ts'
import { defined } from '../block/text.ts'
import { endOf } from '../block/validity.ts'
import type { DreamRecord, TokenUsage } from '../engine/counts.ts'
import { AUTO, CURATE, nextTurn } from '../engine/engine.ts'
import { type Ends, orderedPair, saidEnds } from '../graph/edge.ts'
import { blocksById } from '../store/blocks.ts'
import type { OperationRecord } from '../store/database.ts'
import { viewOf } from '../store/description.ts'
import { readLinks } from '../store/graph.ts'
import { logBegins } from '../store/log.ts'
import { blocks as blocksTable } from '../store/tables.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { told as toldOf, undoneBy } from './undo.ts'

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
