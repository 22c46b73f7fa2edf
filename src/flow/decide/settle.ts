import { DEFAULT_CATEGORY } from '../../domain/block/category.ts'
import type { SourceClass } from '../../domain/block/source-class.ts'
import { normaliseTags } from '../../domain/block/tags.ts'
import {
  type NewKind,
  type Proposal,
  type ProposalState,
  TAGS_OF_NEW,
} from '../../domain/decision/proposal.ts'
import { defined } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import { actorOf, type CallContext, type Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { highestFor } from '../guard/caller.ts'
import { checkContent } from '../guard/check-input.ts'
import { admit } from '../intake/admit-all.ts'
import { NAMES } from './propose.ts'

/** How the owner decided about a proposal. */
export interface Verdict {
  readonly state: Exclude<ProposalState, 'open'>
  /** Why it was refused, for whoever proposed it. */
  readonly reason?: string | undefined
  /** The block that came of it, or that it changed. */
  readonly blockId?: string | undefined
}

/**
 * Notes how the owner decided, within the transaction that does it. Throws `CONFLICT` when somebody else decided meanwhile,
 * so that nothing of it is done.
 */
export async function noteVerdict(
  engine: Engine,
  context: CallContext,
  { tx, moment, log }: Mutation,
  { id, kind }: Proposal,
  { state, reason, blockId }: Verdict,
): Promise<void> {
  const [proposal] = await tx.proposals([id])
  if (proposal?.state !== 'open') throw decidedBefore(proposal ?? id)
  const answer = reason === undefined || reason === '' ? undefined : reason
  await tx.saveProposals([
    {
      ...proposal,
      ...{ state, decidedAt: moment.at, decidedBy: actorOf(engine, context) },
      ...defined({ answer, result: blockId }),
    },
  ])
  await log({
    operation: 'decide',
    blockIds: [...new Set([proposal.target, blockId])].flatMap((each) => each ?? []),
    summary: `${state} ${NAMES[kind]} (${id})`,
    ...defined({ reason: answer }),
  })
}

/** The refusal to decide about what was decided otherwise. */
export function decidedBefore(proposal: Proposal | string): ElfmemError {
  const is = typeof proposal === 'string' ? 'gone' : proposal.state
  return new ElfmemError('CONFLICT', `The proposal is ${is} already.`, {
    recovery: 'Take that decision back with undo(); history() has its number.',
  })
}

/** Refuses a proposal; it changes nothing else. */
export function refuseProposal(
  engine: Engine,
  context: CallContext,
  proposal: Proposal,
  reason: string | undefined,
): Promise<void> {
  return mutate(engine, context, (mutation) =>
    noteVerdict(engine, context, mutation, proposal, { state: 'refused', reason }),
  )
}

/**
 * Takes proposed words in as the owner's, in the scope they were proposed in: a new block of the kind, or one that says the same.
 * Returns its id.
 */
export async function acceptNew(
  whole: Engine,
  context: CallContext,
  {
    proposal,
    kind,
    content,
  }: { readonly proposal: Proposal; readonly kind: NewKind; readonly content: string },
): Promise<string> {
  const engine = proposal.scope === undefined ? whole : whole.within(proposal.scope)
  checkContent(content, engine.settings.memory)
  const sourceClass: SourceClass = highestFor(engine, context)
  const blockId = await mutate(engine, context, async (mutation) => {
    const { block } = await admit(engine, mutation, {
      ...{ content, tags: normaliseTags(TAGS_OF_NEW[kind]), category: DEFAULT_CATEGORY },
      ...{ source: 'proposal', sourceClass, session: 'setup', trusted: true, insists: true },
    })
    await noteVerdict(engine, context, mutation, proposal, { state: 'accepted', blockId: block.id })
    return block.id
  })
  engine.session.noteLearned(blockId)
  return blockId
}
