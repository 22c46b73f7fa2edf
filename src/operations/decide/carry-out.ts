import { defined } from '../../block/text.ts'
import { acceptNew, addsBlock, type Decision, isOfPair, noteVerdict } from '../../dream/decisions.ts'
import { type CallContext, type Engine, mutate } from '../../engine/engine.ts'
import { readOutdated } from '../../intake/supersede.ts'
import { settlePredictions } from '../../outcome/predictions.ts'
import { readGroundsOf } from '../../store/blocks.ts'
import { removePredictions } from '../../store/predictions.ts'
import { correct } from '../correct/edit.ts'
import { forget } from '../correct/forget.ts'
import { resolve } from '../correct/resolve.ts'
import { shortId } from '../wording.ts'

/** A choice, with the words or the reason for it. */
interface Chosen {
  readonly choice: string
  readonly words: string | undefined
  readonly reason: string | undefined
}

/** The result of a choice. */
interface Done {
  readonly summary: string
  readonly blockId?: string
}

/** Does what a choice says, by the operation that does the same for any caller. */
export function carryOut(
  engine: Engine,
  context: CallContext,
  decision: Decision,
  chosen: Chosen,
): Promise<Done> {
  const { kind, first, second } = decision
  const by: Acting = { engine, context, blockId: first?.block.id ?? '', other: second?.block.id ?? '' }
  if (isOfPair(kind)) return ofPair(by, chosen)
  if (kind === 'proposal')
    return ofProposal(by, decision.proposal as NonNullable<Decision['proposal']>, chosen)
  return kind === 'prediction' ? ofPrediction(by, chosen) : ofOutdated(by, chosen)
}

interface Acting {
  readonly engine: Engine
  readonly context: CallContext
  readonly blockId: string
  readonly other: string
}

async function ofPair({ engine, context, blockId, other }: Acting, { choice }: Chosen): Promise<Done> {
  const keep = choice === 'first' ? 'a' : choice === 'second' ? 'b' : choice === 'both' ? 'both' : 'merge'
  const { summary } = await resolve.run(engine, { a: blockId, b: other, keep }, context)
  return { summary }
}

async function ofOutdated(by: Acting, { choice, words, reason }: Chosen): Promise<Done> {
  const { engine, context, blockId } = by
  if (choice === 'forget') return letGo(by, reason)
  const derivedFrom = await groundsThatHold(by)
  if (choice === 'correct') return correctWords(by, words ?? '', derivedFrom)
  await correct(engine, context, { blockId, derivedFrom, allowConstitutional: true })
  return { summary: `${shortId(blockId)} no longer rests on what ended.`, blockId }
}

/** The grounds that a block keeps: its own grounds without that which leads to what ended. */
async function groundsThatHold({ engine, blockId, other }: Acting): Promise<string[]> {
  return engine.store.read(async (tx) => {
    const own = await readGroundsOf(tx, [blockId])
    const { at } = engine.session.moment((await tx.state()).clock)
    const outdated = (await readOutdated(tx, [blockId], at)).get(blockId) ?? []
    const gone = new Set([other, ...outdated.flatMap(({ path }) => path.slice(0, 1))])
    return own.flatMap(({ ground }) => (gone.has(ground) ? [] : [ground]))
  })
}

async function correctWords(
  { engine, context, blockId }: Acting,
  content: string,
  derivedFrom?: string[],
): Promise<Done> {
  const input = { blockId, content, allowConstitutional: true, ...defined({ derivedFrom }) }
  await correct(engine, context, input)
  return { summary: `${shortId(blockId)} has the words you gave.`, blockId }
}

async function letGo({ engine, context, blockId }: Acting, reason: string | undefined): Promise<Done> {
  const input = { blockId, allowConstitutional: true, ...defined({ reason }) }
  const { summary } = await forget.run(engine, input, context)
  return { summary, blockId }
}

async function ofPrediction({ engine, context, blockId }: Acting, { choice, reason }: Chosen): Promise<Done> {
  const became =
    choice === 'drop' ? 'was dropped' : choice === 'came_true' ? 'came true' : 'did not come true'
  await mutate(engine, context, async (mutation) => {
    const { tx, log } = mutation
    if (choice === 'drop') await removePredictions(tx, [blockId])
    else await settlePredictions(mutation, new Map([[blockId, choice === 'came_true']]))
    const said = { summary: `a prediction ${became}`, ...defined({ reason: reason || undefined }) }
    await log({ operation: 'decide', blockIds: [blockId], ...said })
  })
  return { summary: `The prediction of ${shortId(blockId)} ${became}.`, blockId }
}

async function ofProposal(
  { engine, context }: Acting,
  proposal: NonNullable<Decision['proposal']>,
  { choice, words, reason }: Chosen,
): Promise<Done> {
  const { kind, target = '', content = '', sourceClass = 'user' } = proposal
  if (choice === 'refuse') {
    await mutate(engine, context, (mutation) =>
      noteVerdict(engine, context, mutation, proposal, { state: 'refused', reason }),
    )
    return { summary: 'Refused; nothing changed, and whoever asked can read why.' }
  }
  if (addsBlock(kind)) {
    const blockId = await acceptNew(engine, context, { proposal, content: words ?? content })
    return { summary: `Accepted: ${shortId(blockId)} says it in your name.`, blockId }
  }
  const accepted =
    kind === 'class' ? { sourceClass } : { content: words ?? content, sourceClass: 'user' as const }
  await correct(engine, context, { blockId: target, ...accepted, allowConstitutional: true }, (mutation) =>
    noteVerdict(engine, context, mutation, proposal, {
      state: 'accepted',
      blockId: target,
      reason,
      content: words,
    }),
  )
  return { summary: `Accepted: ${shortId(target)} is what was proposed, in your name.`, blockId: target }
}
