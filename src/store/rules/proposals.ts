import type { Block } from '../../domain/block/block.ts'
import { OWN_CLASSES, SOURCE_CLASSES } from '../../domain/block/source-class.ts'
import type { Proposal, ProposalState } from '../../domain/decision/proposal.ts'
import { defined } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import { type RowOf, viewOf } from '../../ports/store/description.ts'
import type { UnlabelledPair } from '../../ports/store/queries.ts'
import { proposals } from '../proposal-table.ts'
import { blocks, pairs, unlabelledPairs } from '../tables.ts'
import type { Transaction } from '../transaction.ts'
import { BLOCK } from '../views.ts'

type ProposalRow = RowOf<typeof proposals>

const WAITING = viewOf(blocks, ['id', 'arrival'])
const UNLABELLED = viewOf(unlabelledPairs, ['arrival', 'from', 'to', 'cosine'])
const PAIR_KINDS = ['contradiction', 'supersession', 'perhaps_newer', 'near_duplicate'] as const
const OTHERS = SOURCE_CLASSES.filter((each) => !OWN_CLASSES.includes(each))

/** The numbers of what somebody is to decide about; `waiting` counts blocks of others that wait for a dream. */
export type DecisionCounts = Readonly<Record<'proposal' | 'waiting' | (typeof PAIR_KINDS)[number], number>>

/** A row of a page and its place, for `after`. */
export type Placed<T> = T & { readonly place: number }

/** A page behind a place; from the first row when left out. */
interface PageRange {
  readonly after?: number | undefined
  readonly limit: number
}

/** Reads proposals by their ids, in their order. */
export async function readProposals(tx: Transaction, ids: readonly string[]): Promise<Proposal[]> {
  return (await rowsOf(tx, ids)).map(proposalOf)
}

/** Reads proposals of one state behind a place, oldest first. Cost: that of the limit. */
export async function readProposalPage(
  { rows }: Transaction,
  { state, after = 0, limit }: PageRange & { readonly state: ProposalState },
): Promise<Placed<Proposal>[]> {
  const page = await rows.scan(proposals, {
    where: { state },
    from: ['arrival', after + 1],
    order: ['arrival'],
    limit,
  })
  return page.map((row) => ({ ...proposalOf(row), place: row.arrival }))
}

/**
 * Reads blocks in the inbox that neither the owner nor the agent speaks in, behind a place, oldest first. Cost: that of the limit
 * for each class of speaker.
 */
export async function readWaitingOfOthers(
  tx: Transaction,
  { after = 0, limit }: PageRange,
): Promise<Placed<Block>[]> {
  const found: { readonly id: string; readonly arrival: number }[] = []
  for (const sourceClass of OTHERS)
    found.push(
      ...(await tx.rows.scan(WAITING, {
        where: { status: 'inbox', sourceClass },
        from: ['arrival', after + 1],
        order: ['arrival'],
        limit,
      })),
    )
  const first = found.toSorted((one, other) => one.arrival - other.arrival).slice(0, limit)
  const places = new Map(first.map(({ id, arrival }) => [id, arrival]))
  const read = await tx.blocks(
    BLOCK,
    first.map(({ id }) => id),
  )
  return read.map((block) => ({ ...block, place: places.get(block.id) as number }))
}

/** Reads pairs that wait for a label behind a place, oldest first, whatever the status of their blocks. */
export async function readUnlabelledPage(
  { rows }: Transaction,
  { after = 0, limit }: PageRange,
): Promise<Placed<UnlabelledPair>[]> {
  const page = await rows.scan(UNLABELLED, { from: ['arrival', after + 1], order: ['arrival'], limit })
  return page.map(({ arrival, ...pair }) => ({ ...pair, place: arrival }))
}

/** Counts what somebody is to decide about. Cost: entries of indexes. */
export async function readDecisionCounts({ rows }: Transaction): Promise<DecisionCounts> {
  const [proposal, waiting, ...open] = await Promise.all([
    rows.count(proposals, { state: 'open' }),
    rows.count(blocks, { status: 'inbox', sourceClass: OTHERS }),
    ...PAIR_KINDS.map((kind) => rows.count(pairs, { resolved: false, kind })),
  ])
  const counted = PAIR_KINDS.map((kind, i) => [kind, open[i] ?? 0] as const)
  return { proposal, waiting, ...Object.fromEntries(counted) } as DecisionCounts
}

/** Inserts proposals, in the scope of the view where they name none, or changes those that are there, whose scope stays. */
export async function saveProposals(tx: Transaction, saved: readonly Proposal[]): Promise<void> {
  const before = await rowsOf(
    tx.whole,
    saved.map(({ id }) => id),
  )
  for (const row of before) mustBeSeen(tx, row)
  const known = new Map(before.map((row) => [row.id, row]))
  const last = [...new Map(saved.map((proposal) => [proposal.id, proposal])).values()]
  await tx.rows.insert(
    proposals,
    last
      .filter(({ id }) => !known.has(id))
      .map((proposal) => ({ ...proposal, ...defined({ scope: proposal.scope ?? tx.scope }) })),
  )
  const changed = last.flatMap((proposal) => {
    const { scope: _given, ...change } = proposal
    const { arrival, scope } = known.get(proposal.id) ?? {}
    return arrival === undefined ? [] : [{ ...change, arrival, ...defined({ scope }) }]
  })
  await tx.rows.put(proposals, changed, before)
}

/** An id stands for a scope, too, so this is a mistake of whoever made it. */
function mustBeSeen(tx: Transaction, { id, scope }: ProposalRow): void {
  if (tx.scope === undefined || scope === tx.scope) return
  throw new ElfmemError('INVALID_INPUT', `The id ${id} is of a proposal of another scope.`, {
    recovery: 'Make the id of a proposal of its scope and of what it asks for.',
  })
}

function rowsOf({ rows }: Transaction, ids: readonly string[]): Promise<ProposalRow[]> {
  return rows.get(
    proposals,
    ids.map((id) => [id]),
    'unique',
  )
}

function proposalOf({ arrival: _arrival, ...proposal }: ProposalRow): Proposal {
  return proposal
}
