import type { Block } from '../../domain/block/block.ts'
import { mayCover } from '../../domain/block/source-class.ts'
import { endOf, everHeld } from '../../domain/block/validity/validity.ts'
import { type Ends, orderedPair, saidEnds } from '../../domain/graph/edge.ts'
import type { DatedBlock, OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import { type Engine, nextTurn } from '../engine/engine.ts'
import { logBegins } from '../engine/upkeep.ts'
import { told, undoneBy } from '../undo/undone.ts'

/** Blocks read at a time. */
const PAGE = 2_000

/** A block and when something became of it, ISO-8601 UTC. */
interface Dated {
  readonly id: string
  readonly at: string
  readonly by?: string
  readonly reason?: 'forgotten' | 'decayed'
}

/** The changes of blocks between two times, as their columns say, oldest first. */
export interface Changed {
  readonly learned: readonly Dated[]
  readonly superseded: readonly Dated[]
  readonly ended: readonly Dated[]
  readonly forgotten: readonly Dated[]
}

/** Reads what became of all blocks from a time on and before another. One statement for 2,000 blocks, and two. */
export async function readChanged(tx: StoreReader, from: string, to: string): Promise<Changed> {
  const resolves = await tx.operations({ operation: 'resolve', since: from, limit: RESOLVES_MOST })
  const namedAt = namedIn(resolves)
  const decided = new Set(resolves.flatMap(({ blockIds }) => blockIds))
  const takenAt = ({ id, createdAt }: DatedBlock) => namedAt.get(id) ?? createdAt
  const within = (at: string | undefined): at is string => at !== undefined && from <= at && at < to
  const found: Found[] = []
  const replacing: DatedBlock[] = []
  for (let after = ''; ; ) {
    const page = await tx.datedPage(after, PAGE)
    for (const block of page) {
      if (everHeld(block) || decided.has(block.id)) found.push(...becomingOf(block, within))
      if (block.supersedes !== undefined && within(takenAt(block))) replacing.push(block)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) break
    after = last.id
    await nextTurn()
  }
  const replaced = await replacedBy(tx, replacing, takenAt)
  const known = new Set(replaced.map(({ id }) => id))
  const of = (what: keyof Changed) =>
    found.flatMap((each) =>
      each.what === what && !(what === 'superseded' && known.has(each.id)) ? [each] : [],
    )
  return {
    learned: inOrder(of('learned').map(datedOf)),
    superseded: inOrder([...of('superseded').map(datedOf), ...replaced]),
    ended: inOrder(of('ended').map(datedOf)),
    forgotten: inOrder(of('forgotten').map(datedOf)),
  }
}

interface Found extends Dated {
  readonly what: keyof Changed
}

function datedOf({ what: _what, ...dated }: Found): Dated {
  return dated
}

/**
 * Returns the changes of a block between two times. A block that a dream found to be there already was never learned, nor did it end;
 * one that somebody decided against was there.
 */
function becomingOf(block: DatedBlock, within: (at: string | undefined) => at is string): Found[] {
  const { id, status, createdAt, archivedAt, archiveReason: reason, supersededAt, supersededBy: by } = block
  const end = endOf(block)
  const isEnded = within(end) && status !== 'archived' && end !== supersededAt
  return [
    ...(within(createdAt) ? [{ what: 'learned' as const, id, at: createdAt }] : []),
    ...(within(archivedAt) && reason === 'superseded'
      ? [{ what: 'superseded' as const, id, at: archivedAt, ...(by && { by }) }]
      : []),
    ...(within(archivedAt) && (reason === 'forgotten' || reason === 'decayed')
      ? [{ what: 'forgotten' as const, id, at: archivedAt, reason }]
      : []),
    ...(isEnded ? [{ what: 'ended' as const, id, at: end }] : []),
  ]
}

/** Entries of `resolve` that are looked through for those that said which block another had taken the place of. */
const RESOLVES_MOST = 10_000

/** When it was said of blocks that they took the place of others, if that was not when they were remembered. */
function namedIn(resolves: readonly OperationRecord[]): ReadonlyMap<string, string> {
  return new Map(
    resolves.toReversed().flatMap(({ before, at }) => {
      const { named } = (before ?? {}) as { readonly named?: string }
      return named === undefined ? [] : [[named, at] as const]
    }),
  )
}

/** The blocks whose places others took, each by the first. */
async function replacedBy(
  tx: StoreReader,
  replacing: readonly DatedBlock[],
  takenAt: (block: DatedBlock) => string,
): Promise<Dated[]> {
  if (replacing.length === 0) return []
  const found = await tx.blocks([...new Set(replacing.flatMap(({ supersedes }) => supersedes ?? []))])
  const older = new Map(found.map((block) => [block.id, block]))
  const first = new Map<string, Dated>()
  const taking = replacing.map((block) => ({ ...block, at: takenAt(block) }))
  for (const { id: by, at, supersedes = '', sourceClass } of inTime(taking)) {
    const block: Block | undefined = older.get(supersedes)
    const isProposal = block !== undefined && !mayCover(sourceClass, block)
    if (block?.supersededAt === undefined || isProposal || first.has(supersedes)) continue
    first.set(supersedes, { id: supersedes, at, by })
  }
  return [...first.values()]
}

/** The acts between two times, as the log says and nobody has taken back. */
export interface Log {
  readonly connected: readonly {
    readonly from: string
    readonly to: string
    readonly relation: string
    readonly at: string
  }[]
  readonly edited: readonly Dated[]
  readonly reported: readonly Dated[]
  readonly restored: readonly Dated[]
  readonly others: readonly {
    readonly id: number
    readonly operation: string
    readonly at: string
    readonly summary: string
  }[]
  /** From when on the log is there, if that is not all of the time asked for. */
  readonly since?: string
}

/** Acts that are listed by their entries. */
const OTHERS = ['undo', 'import', 'restore_backup', 'erase'] as const
/** Entries read of each kind for one that is listed: a report names several blocks. */
const ENTRIES = 20

/** Reads what was done from a time on and before another. A few statements. */
export async function readLog(
  engine: Pick<Engine, 'scope'>,
  tx: StoreReader,
  { from, to, limit }: { readonly from: string; readonly to: string; readonly limit: number },
): Promise<Log> {
  const undone = await undoneBy(tx)
  const done = async (operation: string): Promise<OperationRecord[]> => {
    const entries = await tx.operations({ operation, since: from, until: to, limit: limit * ENTRIES })
    return entries.filter((entry) => told(entry, undone).undoneBy === undefined).reverse()
  }
  const since = await logBegins(engine, tx)
  const others: OperationRecord[] = []
  for (const name of OTHERS) others.push(...(await done(name)))
  return {
    connected: await joinedBy(tx, await done('connect')),
    edited: lastOf((await done('edit')).filter(({ before }) => before !== undefined).map(onFirst)),
    reported: lastOf(inTime([...(await done('outcome')), ...(await done('settle')).filter(isReport)])),
    restored: lastOf(await done('restore')),
    others: inTime(others.map(({ id, operation, at, summary }) => ({ id, operation, at, summary }))),
    ...(since !== undefined && since > from ? { since } : {}),
  }
}

/** An entry with the block alone that was changed, without those that it concerned besides. */
function onFirst(entry: OperationRecord): OperationRecord {
  return { ...entry, blockIds: entry.blockIds.slice(0, 1) }
}

/** Edges that entries speak of and that are there, each by the last. */
async function joinedBy(tx: StoreReader, entries: readonly OperationRecord[]): Promise<Log['connected']> {
  const at = new Map<string, string>()
  for (const { before, at: time } of entries)
    for (const [one, other] of endsIn(before)) at.set(orderedPair(one, other).join(' '), time)
  if (at.size === 0) return []
  const ids = [...new Set([...at.keys()].flatMap((ends) => ends.split(' ')))]
  const { edges } = await tx.links(ids)
  const joined = edges.flatMap((edge) => {
    const time = at.get(`${edge.from} ${edge.to}`)
    const [from, to] = saidEnds(edge)
    return time === undefined ? [] : [{ from, to, relation: edge.relation, at: time }]
  })
  return inTime(joined)
}

function endsIn(before: unknown): readonly Ends[] {
  return (before as { readonly ends?: readonly Ends[] } | undefined)?.ends ?? []
}

/** Each block that entries name, by the last of them. */
/** Of blocks that were only used, nothing was before that is another now. */
function isReport({ before }: OperationRecord): boolean {
  return before !== undefined
}

function lastOf(entries: readonly OperationRecord[]): Dated[] {
  const last = new Map(entries.flatMap(({ blockIds, at }) => blockIds.map((id) => [id, at] as const)))
  return inOrder([...last].map(([id, at]) => ({ id, at })))
}

function inOrder(dated: readonly Dated[]): Dated[] {
  return dated.toSorted((one, other) =>
    one.at === other.at ? compare(one.id, other.id) : compare(one.at, other.at),
  )
}

function inTime<T extends { readonly at?: string; readonly createdAt?: string }>(all: readonly T[]): T[] {
  const timeOf = ({ at, createdAt = '' }: T) => at ?? createdAt
  return all.toSorted((one, other) => compare(timeOf(one), timeOf(other)))
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
