import type { Block } from '../../domain/block/block.ts'
import { mayCover, type SourceClass } from '../../domain/block/source-class.ts'
import { addsBlock, type Proposal, type ProposalKind } from '../../domain/decision/proposal.ts'
import { isSameText } from '../../domain/text/same-text.ts'
import { defined } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { actorOf, type CallContext, type Engine } from '../engine/engine.ts'
import { mutate } from '../engine/mutate.ts'
import { checkContent, overLimit, requireBlock } from '../guard/check-input.ts'
import { refuseFrame } from '../intake/echo.ts'

/** A caller's proposal. */
export interface Asked {
  readonly kind: ProposalKind
  /** An id or the beginning of one. */
  readonly blockId?: string | undefined
  readonly content?: string | undefined
  readonly sourceClass?: SourceClass | undefined
  readonly reason?: string | undefined
}

/** The proposal as it stands, and whether this call made it. */
export interface Proposed {
  readonly proposal: Proposal
  readonly isNew: boolean
}

const ID_LENGTH = 16

/**
 * Keeps a proposal for the owner; the same one is kept once, and comes back as it stands. It changes nothing else. Throws
 * `INVALID_INPUT` for what is no change, `LIMIT_EXCEEDED` when too many are open.
 */
export function propose(engine: Engine, context: CallContext, asked: Asked): Promise<Proposed> {
  if (asked.content !== undefined) checkContent(asked.content, engine.settings.memory)
  return mutate(engine, context, async ({ tx, moment, log }) => {
    const target = await targetOf(tx, asked)
    mustBeChange(asked, target)
    refuseFrame(engine, { before: target?.content ?? '', after: asked.content })
    const scope = target?.scope ?? engine.scope
    const { kind, content, reason } = asked
    const sourceClass = kind === 'class' ? (asked.sourceClass ?? 'user') : undefined
    const words = JSON.stringify([scope, kind, target?.id, content?.trim(), sourceClass])
    const id = engine.ids.sha256(words).slice(0, ID_LENGTH)
    const [known] = await tx.proposals([id])
    if (known !== undefined) return { proposal: known, isNew: false }
    await mustHaveRoom(engine, tx)
    const proposal: Proposal = {
      ...{ id, kind, proposer: actorOf(engine, context), state: 'open', createdAt: moment.at },
      ...defined({ target: target?.id, content, sourceClass, reason: reason === '' ? undefined : reason }),
      ...defined({ scope }),
    }
    await tx.saveProposals([proposal])
    await log({
      operation: 'propose',
      blockIds: target === undefined ? [] : [target.id],
      summary: `asked the owner for ${NAMES[kind]} (${id})`,
    })
    return { proposal, isNew: true }
  })
}

/** Names of the kinds in a log and in an answer. */
export const NAMES: Readonly<Record<ProposalKind, string>> = {
  identity: 'words of who the agent is',
  value: 'a value',
  goal: 'a goal',
  principle: 'a principle',
  rewording: 'other words of a block',
  class: 'more trust in a block',
}

async function targetOf(tx: StoreReader, { kind, blockId }: Asked): Promise<Block | undefined> {
  if (addsBlock(kind)) {
    if (blockId === undefined) return undefined
    throw unfit(`A proposal of the kind ${kind} adds a block and is about none.`, 'Leave blockId out.')
  }
  if (blockId === undefined)
    throw unfit(`A proposal of the kind ${kind} is about a block.`, 'Give its blockId.')
  const block = await requireBlock(tx, blockId)
  if (block.status !== 'archived') return block
  throw new ElfmemError('WRONG_STATUS', `Block ${block.id} is archived; nothing is proposed about it.`, {
    recovery: `restore({ blockId: '${block.id}' }) first, or propose about another block.`,
    details: { blockId: block.id, status: block.status },
  })
}

function mustBeChange({ kind, content, sourceClass = 'user' }: Asked, target: Block | undefined): void {
  if (kind !== 'class') {
    if (content === undefined)
      throw unfit(`A proposal of the kind ${kind} needs words.`, 'Give them as content.')
    if (target !== undefined && isSameText(target.content, content))
      throw unfit('The block says that already.', 'Propose other words, or nothing.')
    return
  }
  if (content !== undefined) throw unfit('Trust is proposed for words as they are.', 'Leave content out.')
  if (target !== undefined && mayCover(target, sourceClass))
    throw unfit(
      `The block is trusted as ${target.sourceClass} already.`,
      'Propose nothing, or a class above it.',
    )
}

function unfit(message: string, recovery: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', message, { recovery })
}

async function mustHaveRoom({ settings }: Engine, tx: StoreReader): Promise<void> {
  const { openProposals: limit } = settings.limits
  const { proposal: found } = await tx.decisionCounts()
  if (found < limit) return
  throw overLimit({
    what: 'The list of open proposals',
    ...{ found, limit, unit: 'proposals', setting: 'limits.open_proposals' },
    recovery: 'Ask the owner to decide about those that are there: decisions() lists them.',
  })
}
