import { isOwn } from '../../domain/block/source-class.ts'
import { type DecisionKind, isOfPair, partsOf } from '../../domain/decision/decision.ts'
import { PROPOSAL_STATES, type Proposal } from '../../domain/decision/proposal.ts'
import { orderedPair } from '../../domain/graph/edge.ts'
import { ElfmemError } from '../../errors.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import type { Placed } from '../../store/rules/pairs.ts'
import { readOutdated } from '../blocks/grounds.ts'
import type { Engine } from '../engine/engine.ts'
import { requireIds } from '../guard/check-input.ts'
import {
  type Found,
  foundOutdated,
  foundPair,
  foundProposal,
  foundUnnamed,
  foundWaiting,
  OUTDATED_MOST,
} from './pages.ts'
import { type Decision, decisionsOf } from './read.ts'

/**
 * Returns the decision with an id, whose parts may be beginnings of ids. A proposal is found decided, too. Throws
 * `INVALID_INPUT` for what is no such id, `NOT_FOUND` when nothing is to be decided any more. A few statements.
 */
export async function requireDecision(
  engine: Engine,
  tx: StoreReader,
  id: string,
  at: string,
): Promise<Decision> {
  const parts = partsOf(id)
  if (parts === undefined)
    throw new ElfmemError('INVALID_INPUT', 'That is no id of a decision.', {
      recovery:
        'Take an id from decisions(): a kind and the ids of what it is about, such as waiting:3f2a9c1e.',
      details: { arguments: ['id'] },
    })
  const found = await findOpen(tx, parts, at)
  const [decision] = found === undefined ? [] : await decisionsOf(engine, tx, [found], at)
  if (decision !== undefined) return decision
  throw new ElfmemError('NOT_FOUND', `Under ${id.trim()} nothing is to be decided.`, {
    recovery: 'decisions() lists what is; it may have been decided meanwhile, which history() tells.',
    details: { ids: [id.trim()] },
  })
}

interface Parts {
  readonly kind: DecisionKind
  readonly keys: readonly string[]
}

async function findOpen(tx: StoreReader, { kind, keys }: Parts, at: string): Promise<Found | undefined> {
  if (kind === 'proposal') return findProposal(tx, keys[0] ?? '')
  const [a = '', b = ''] = await requireIds(tx, keys)
  if (isOfPair(kind)) {
    const [one, other] = orderedPair(a, b)
    const { pairs } = await tx.links([a])
    const pair = pairs.find((each) => each.a === one && each.b === other && each.kind === kind)
    return pair && foundPair(pair)
  }
  if (kind === 'unnamed') {
    const [from, to] = orderedPair(a, b)
    const listed = await tx.unlabelledPairs(OUTDATED_MOST)
    return listed.some((each) => each.from === from && each.to === to) ? foundUnnamed([from, to]) : undefined
  }
  const [block] = await tx.blocks([a])
  if (block === undefined) return undefined
  if (kind === 'waiting') return block.status === 'inbox' && !isOwn(block) ? foundWaiting(block) : undefined
  const outdated = block.status === 'archived' ? undefined : (await readOutdated(tx, [a], at)).get(a)
  return outdated?.[0] && foundOutdated(block, outdated[0].ground)
}

/** Proposals of each state looked through for the beginning of an id. */
const LOOKED_AT = 1_000

async function findProposal(tx: StoreReader, id: string): Promise<Found | undefined> {
  const [whole] = await tx.proposals([id])
  if (whole !== undefined) return foundProposal(whole)
  const begun: Placed<Proposal>[] = []
  for (const state of PROPOSAL_STATES)
    begun.push(
      ...(await tx.proposalPage({ state, limit: LOOKED_AT })).filter((each) => each.id.startsWith(id)),
    )
  const [only, ...others] = begun
  if (only === undefined || others.length > 0) return undefined
  const { place, ...proposal } = only
  return foundProposal(proposal, place)
}
