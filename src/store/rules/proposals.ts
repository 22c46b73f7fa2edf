import { OWN_CLASSES, SOURCE_CLASSES } from '../../domain/block/source-class.ts'
import type { Proposal } from '../../domain/decision/proposal.ts'
import { defined } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import { type RowOf, viewOf } from '../../ports/store/description.ts'
import type { DecisionCounts, DecisionsReader } from '../../ports/store/judging.ts'
import { proposals } from '../proposal-table.ts'
import { blocks, pairs, unlabelledPairs } from '../tables.ts'
import type { Transaction } from '../transaction.ts'
import { BLOCK } from '../views.ts'

type ProposalRow = RowOf<typeof proposals>

const WAITING = viewOf(blocks, ['id', 'arrival'])
const UNLABELLED = viewOf(unlabelledPairs, ['arrival', 'from', 'to', 'cosine'])
const OTHERS = SOURCE_CLASSES.filter((each) => !OWN_CLASSES.includes(each))

/** Reads proposals by their ids. */
export async function readProposals(tx: Transaction, ids: readonly string[]): Promise<Proposal[]> {
  return (await rowsOf(tx, ids)).map(proposalOf)
}

/** Reads a page of the proposals of one state. */
export async function readProposalPage(
  { rows }: Transaction,
  { state, after = 0, limit }: Parameters<DecisionsReader['proposalPage']>[0],
) {
  const page = await rows.scan(proposals, {
    where: { state },
    from: ['arrival', after + 1],
    order: ['arrival'],
    limit,
  })
  return page.map((row) => ({ ...proposalOf(row), place: row.arrival }))
}

/** Reads a page of the waiting blocks of others: of each class the first, of all of these the oldest. */
export async function readWaitingOfOthers(
  tx: Transaction,
  { after = 0, limit }: Parameters<DecisionsReader['waitingOfOthers']>[0],
) {
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

/** Reads a page of the pairs that wait for a label. */
export async function readUnlabelledPage(
  { rows }: Transaction,
  { after = 0, limit }: Parameters<DecisionsReader['unlabelledPage']>[0],
) {
  const page = await rows.scan(UNLABELLED, { from: ['arrival', after + 1], order: ['arrival'], limit })
  return page.map(({ arrival, ...pair }) => ({ ...pair, place: arrival }))
}

/** Counts what somebody is to decide about. */
export async function countDecisions({ rows }: Transaction): Promise<DecisionCounts> {
  const open = (kind: string) => rows.count(pairs, { resolved: false, kind })
  let waiting = 0
  for (const sourceClass of OTHERS) waiting += await rows.count(blocks, { status: 'inbox', sourceClass })
  return {
    proposal: await rows.count(proposals, { state: 'open' }),
    contradiction: await open('contradiction'),
    supersession: await open('supersession'),
    perhaps_newer: await open('perhaps_newer'),
    near_duplicate: await open('near_duplicate'),
    waiting,
  }
}

/** Inserts or changes proposals. */
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
