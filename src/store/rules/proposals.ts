import type { Proposal } from '../../domain/decision/proposal.ts'
import { defined } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import type { RowOf } from '../../ports/store/description.ts'
import type { DecisionCounts, DecisionsReader } from '../../ports/store/judging.ts'
import { proposals } from '../proposal-table.ts'
import { pairs } from '../tables.ts'
import type { Transaction } from '../transaction.ts'

type ProposalRow = RowOf<typeof proposals>

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

/** Counts what somebody is to decide about. */
export async function countDecisions({ rows }: Transaction): Promise<DecisionCounts> {
  const open = (kind: string) => rows.count(pairs, { resolved: false, kind })
  return {
    proposal: await rows.count(proposals, { state: 'open' }),
    contradiction: await open('contradiction'),
    supersession: await open('supersession'),
    perhaps_newer: await open('perhaps_newer'),
    near_duplicate: await open('near_duplicate'),
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
