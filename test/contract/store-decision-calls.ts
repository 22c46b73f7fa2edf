import fc from 'fast-check'
import { PROPOSAL_KINDS, PROPOSAL_STATES, type Proposal } from '../../src/domain/decision/proposal.ts'
import { aProposal } from '../../src/testing/harness.ts'
import { type Look, look } from './store-looks.ts'
import { batch, step, type Weighted } from './store-steps.ts'
import { idsOf, limit, type Names, text } from './store-values.ts'

const state = fc.constantFrom(...PROPOSAL_STATES)

function proposalOver({ own }: Names): fc.Arbitrary<Proposal> {
  const fields = fc.record(
    { content: text, reason: text, target: fc.constantFrom(...own), answer: text },
    { requiredKeys: [] },
  )
  return fc
    .tuple(fc.constantFrom(...own), fc.constantFrom(...PROPOSAL_KINDS), state, fields)
    .map(([id, kind, stands, given]) => aProposal(id, { kind, state: stands, ...given }))
}

/** Steps that change proposals. */
export function decisionSteps(names: Names): Weighted[] {
  return [step(batch(proposalOver(names)), (tx, given) => tx.saveProposals(given))]
}

/** Questions about what is to be decided. */
export function decisionLooks(names: Names): fc.Arbitrary<Look>[] {
  return [
    look(idsOf(names).ids, (tx, given) => tx.proposals(given)),
    look(fc.tuple(state, limit), async (tx, [stands, most]) =>
      (await tx.proposalPage({ state: stands, limit: most })).map(({ id }) => id),
    ),
    look(limit, async (tx, most) => (await tx.waitingOfOthers({ limit: most })).map(({ id }) => id)),
    look(limit, async (tx, most) =>
      (await tx.unlabelledPage({ limit: most })).map(({ from, to, cosine }) => [from, to, cosine]),
    ),
    look(limit, (tx, most) => tx.openPairs(most, undefined, 'contradiction')),
    look(fc.constant(undefined), (tx) => tx.decisionCounts()),
  ]
}
