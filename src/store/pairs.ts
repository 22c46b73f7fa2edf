import { defined } from '../block/text.ts'
import { type BlockPair, type Ends, orderedPair } from '../graph/edge.ts'
import type { RowOf } from './description.ts'
import { betweenBlocks, orderedPairs, pairKey } from './graph.ts'
import { type Proposal, type ProposalState, proposals } from './log-tables.ts'
import type { PendingJudgementFilter, UnlabelledPair } from './queries.ts'
import { PAIR, pairs, unlabelledPairs } from './tables.ts'
import { keysOf, type ReadTransaction, type Transaction, takenId } from './transaction.ts'

type ProposalRow = RowOf<typeof proposals>

/** The kinds of pairs, the one that says most first. */
const PAIR_KINDS = ['contradiction', 'supersession', 'perhaps_newer', 'near_duplicate'] as const

/** The numbers of what somebody is to decide about. */
type DecisionCounts = Readonly<Record<'proposal' | (typeof PAIR_KINDS)[number], number>>

/** Reads proposals by their ids, in their order. */
export async function readProposals({ rows }: ReadTransaction, ids: readonly string[]): Promise<Proposal[]> {
  return (await rows.get(proposals, keysOf(ids), 'unique')).map(proposalOf)
}

/** Reads proposals of one state behind a place, oldest first, each with its `place`. Cost: that of the limit. */
export async function readProposalPage(
  { rows }: ReadTransaction,
  { state, after = 0, limit }: { state: ProposalState; after?: number | undefined; limit: number },
) {
  const page = await rows.scan(proposals, {
    where: { state },
    from: ['arrival', after + 1],
    order: ['arrival'],
    limit,
  })
  return page.map((row) => ({ ...proposalOf(row), place: row.arrival }))
}

/** Counts what somebody is to decide about. Cost: entries of indexes. */
export async function readDecisionCounts({ rows }: ReadTransaction): Promise<DecisionCounts> {
  const [proposal, ...open] = await Promise.all([
    rows.count(proposals, { state: 'open' }),
    ...PAIR_KINDS.map((kind) => rows.count(pairs, { resolved: false, kind })),
  ])
  const counted = PAIR_KINDS.map((kind, i) => [kind, open[i] ?? 0] as const)
  return { proposal, ...Object.fromEntries(counted) } as DecisionCounts
}

/** Inserts proposals, in the scope of the view where they name none, or changes those that are there, whose scope stays. */
export async function saveProposals(tx: Transaction, saved: readonly Proposal[]): Promise<void> {
  const before = await tx.whole.stored(proposals, saved)
  const foreign = before.find(({ scope }) => tx.scope !== undefined && scope !== tx.scope)
  if (foreign !== undefined) throw takenId('a proposal', foreign.id)
  const scopes = new Map(before.map(({ id, scope }) => [id, scope]))
  const last = [...new Map(saved.map((proposal) => [proposal.id, proposal])).values()]
  const rows = last.map(({ scope: given = tx.scope, ...proposal }) => ({
    ...proposal,
    ...defined({ scope: scopes.has(proposal.id) ? scopes.get(proposal.id) : given }),
  }))
  await tx.save(proposals, rows, before)
}

function proposalOf({ arrival: _arrival, ...proposal }: ProposalRow): Proposal {
  return proposal
}

/**
 * Reads unresolved pairs, of one kind if it is given, oldest first. Cost: that of the limit.
 *
 * @param behind begins after this pair, resolved or not; the answer is undefined if there is no such pair
 */
export async function readOpenPairs(
  { rows }: ReadTransaction,
  limit: number,
  behind?: Ends,
  kind?: BlockPair['kind'],
): Promise<BlockPair[] | undefined> {
  const [last] = behind ? await rows.get(pairs, [orderedPair(...behind)], 'unique') : []
  if (behind !== undefined && last === undefined) return undefined
  const where = kind === undefined ? { resolved: false } : { resolved: false, kind }
  return rows.scan(PAIR, { where, order: ['arrival'], from: ['arrival', (last?.arrival ?? -1) + 1], limit })
}

/** Returns the pairs among the given that somebody has decided about. Cost: one look a block. */
export async function readSettledPairs(
  { rows }: ReadTransaction,
  given: readonly Ends[],
): Promise<BlockPair[]> {
  if (given.length === 0) return []
  const settled = await rows.touching(PAIR, given.flat(), { both: true, where: { resolved: true } })
  const asked = new Set(orderedPairs(given).map((ends) => pairKey(...ends)))
  return settled.filter(({ a, b }) => asked.has(pairKey(a, b)))
}

/**
 * Inserts the pairs of existing blocks that are not there yet, or that say more than the one that is there; with `reopens` also in
 * place of resolved ones.
 */
export async function savePairs(
  tx: Transaction,
  given: readonly BlockPair[],
  { reopens = false }: { readonly reopens?: boolean } = {},
): Promise<void> {
  const wanted = await betweenBlocks(tx, given, ['a', 'b'])
  const stored = await tx.stored(pairs, wanted)
  const known = new Map<string, BlockPair>(stored.map((row) => [pairKey(row.a, row.b), row]))
  const changed = new Map<string, BlockPair>()
  for (const pair of wanted) {
    const key = pairKey(pair.a, pair.b)
    const was = changed.get(key) ?? known.get(key)
    if (was === undefined || saysMore(pair, was) || (reopens && was.resolved)) changed.set(key, pair)
  }
  await tx.save(pairs, [...changed.values()], stored)
}

/** Returns whether a pair replaces one that is known: it is a stronger kind. A contradiction also reopens a resolved pair. */
function saysMore(pair: BlockPair, known: BlockPair): boolean {
  const [rank, other] = [pair.kind, known.kind].map((kind) => PAIR_KINDS.indexOf(kind))
  return pair.kind === 'contradiction' || (!known.resolved && Number(rank) < Number(other))
}

/** Marks open pairs as resolved, of some kinds if they are given; returns how many. */
export async function resolvePairs(
  { rows }: Transaction,
  ends: readonly Ends[],
  kinds?: readonly BlockPair['kind'][],
): Promise<number> {
  const stored = await rows.get(pairs, orderedPairs(ends), 'unique')
  const open = stored.filter(({ kind, resolved }) => !resolved && kinds?.includes(kind) !== false)
  await rows.put(
    pairs,
    open.map((pair) => ({ ...pair, resolved: true })),
    open,
  )
  return open.length
}

/** Reads blocks to judge: the pending first, then never judged, then judged longest ago; ties by arrival. */
export const readPendingJudgements = ({ rows }: ReadTransaction, filter: PendingJudgementFilter) =>
  rows.queries.pendingJudgements(filter)

/** Counts the active blocks that need a judgement. */
export const readJudgementCounts = ({ rows }: ReadTransaction, judgedBefore: string) =>
  rows.queries.judgementCounts(judgedBefore)

/** Reads pairs of active blocks that wait for a label, oldest first. */
export const readUnlabelledPairs = ({ rows }: ReadTransaction, limit: number) =>
  rows.queries.unlabelledPairs(limit)

/** Appends pairs of existing blocks to those that wait for a label, unless they wait already. Beyond `keep` the oldest are dropped. */
export async function queueUnlabelled(
  tx: Transaction,
  given: readonly UnlabelledPair[],
  keep: number,
): Promise<void> {
  const known = await betweenBlocks(tx, given, ['from', 'to'])
  if (known.length === 0) return
  const wanted = new Map(known.toReversed().map((pair) => [pairKey(pair.from, pair.to), pair]))
  const listed = await tx.stored(unlabelledPairs, known)
  for (const { from, to } of listed) wanted.delete(pairKey(from, to))
  await tx.rows.insert(unlabelledPairs, [...wanted.values()].toReversed())
  await tx.rows.trim(unlabelledPairs, { order: ['arrival'], keep })
}

/** Removes pairs from those that wait for a label, in any order of their ends. */
export async function removeUnlabelled(tx: Transaction, ends: readonly Ends[]): Promise<void> {
  const listed = await tx.rows.get(unlabelledPairs, orderedPairs(ends), 'unique')
  await tx.remove(unlabelledPairs, listed)
}
