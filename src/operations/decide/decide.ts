import * as z from 'zod'
import { defined } from '../../block/text.ts'
import {
  acceptNew,
  addsBlock,
  type Decision,
  decidedBefore,
  isOfPair,
  noteVerdict,
  requireDecision,
} from '../../dream/decisions.ts'
import { type CallContext, type Engine, mutate } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import { checkContent } from '../../intake/check-input.ts'
import { readOutdated } from '../../intake/supersede.ts'
import { settlePredictions } from '../../outcome/predictions.ts'
import { readGroundsOf } from '../../store/blocks.ts'
import { removePredictions } from '../../store/predictions.ts'
import { correct } from '../correct/edit.ts'
import { forget } from '../correct/forget.ts'
import { resolve } from '../correct/resolve.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { shortId } from '../wording.ts'
import { toldChoices } from './decision-words.ts'

const input = z.object({
  id: z.string().max(200).describe('From decisions(); its ids may be beginnings of ids'),
  choice: z.string().max(20).describe('The name or the key of one of its choices'),
  words: schemas.content.optional().describe('For correct and change: the words in the place of the others'),
  reason: schemas.reason.optional().describe('For the log; of a refused proposal the answer'),
  mark: z.string().max(64).optional().describe('From decisions(): refuses if the words are others by now'),
})

/** Makes a decision that waits for a person. */
export const decide = defineScopedOperation({
  name: 'decide',
  summary: 'Decide about what waits for you: a proposal, a pair, an outdated block, a prediction.',
  guide: {
    when: 'decisions() lists something. Each has its choices, and says what each does.',
    whenNot: 'To look through them one by one use elfmem review.',
    next: 'The next of decisions(). undo() takes it back.',
    example: "await memory.decide({ id: 'contradiction:3f2a9c1e:b7d041aa', choice: 'both' })",
  },
  tools: 'none',
  needs: 'owner',
  effect: 'destroy',
  cost: 'batch',
  idempotent: false,
  refuses: [
    ...(['NOT_FOUND', 'AMBIGUOUS_ID', 'WRONG_STATUS', 'CONFLICT', 'PROTECTED'] as const),
    ...(['FRAME_IN_TEXT', 'EMBEDDER_FAILED', 'EMBEDDER_MISMATCH'] as const),
  ],
  input,
  output: z.object({
    id: z.string(),
    choice: z.string(),
    blockId: z.string().optional().describe('The block that was made or changed'),
    redacted: schemas.redacted.optional(),
    summary: schemas.summary,
  }),
  positionals: ['id', 'choice'],
  run: async (engine, asked, context) => {
    if (asked.words !== undefined) checkContent(asked.words, engine.settings.memory)
    const decision = await engine.store.read(async (tx) =>
      requireDecision(engine, tx, asked.id, engine.session.moment((await tx.state()).clock).at),
    )
    const choice = chosen(decision, asked)
    return { id: decision.id, choice, ...(await carryOut(engine, context, decision, { ...asked, choice })) }
  },
})

type Asked = z.output<typeof input>

/** Returns the named choice. Throws if the decision does not have it, or if its words have changed. */
function chosen(decision: Decision, { choice, words, mark }: Asked): string {
  const { id, choices, proposal } = decision
  if (proposal !== undefined && proposal.state !== 'open') throw decidedBefore(proposal)
  if (mark !== undefined && mark !== decision.mark)
    throw new ElfmemError('CONFLICT', 'The words that this decision is about were changed meanwhile.', {
      recovery: `Look again: decisions({ id: '${id}' }). Nothing was decided.`,
    })
  const said = choice.trim().toLowerCase()
  const found = toldChoices(decision).find(({ key, choice: name }) => key === said || name === said)
  const names = `Its choices are ${choices.join(', ')}.`
  if (found === undefined) throw unfit('choice', 'That is no choice of this decision.', names)
  const takesWords = found.takes === 'words'
  if (takesWords && words === undefined)
    throw unfit('words', `The choice ${found.choice} needs words.`, 'Give them as words.')
  if (!takesWords && words !== undefined)
    throw unfit('words', `The choice ${found.choice} takes no words.`, `Leave words out. ${names}`)
  return found.choice
}

function unfit(argument: keyof Asked, message: string, recovery: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', message, { recovery, details: { arguments: [argument] } })
}

/** A choice, with the words or the reason for it. */
type Chosen = Pick<Asked, 'choice' | 'words' | 'reason'>

/** The result of a choice. */
interface Done {
  readonly summary: string
  readonly blockId?: string
}

const KEEPS = { first: 'a', second: 'b', both: 'both' } as const

/** Does what a choice says, by the operation that does the same for any caller. */
async function carryOut(
  engine: Engine,
  context: CallContext,
  decision: Decision,
  chosen: Chosen,
): Promise<Done> {
  const { kind, first, second, proposal } = decision
  const blockId = first?.block.id ?? ''
  const other = second?.block.id ?? ''
  if (proposal !== undefined) return ofProposal(engine, context, proposal, chosen)
  if (kind === 'prediction') return ofPrediction(engine, context, blockId, chosen)
  if (isOfPair(kind)) {
    const keep = KEEPS[chosen.choice as keyof typeof KEEPS]
    const { summary } = await resolve.run(engine, { a: blockId, b: other, keep }, context)
    return { summary }
  }
  const input = { blockId, allowConstitutional: true }
  if (chosen.choice === 'forget') {
    const { summary } = await forget.run(engine, { ...input, ...defined({ reason: chosen.reason }) }, context)
    return { summary, blockId }
  }
  const derivedFrom = await groundsThatHold(engine, blockId, other)
  await correct(engine, context, { ...input, derivedFrom, ...defined({ content: chosen.words }) })
  const became = chosen.words === undefined ? 'no longer rests on what ended' : 'has the words you gave'
  return { summary: `${shortId(blockId)} ${became}.`, blockId }
}

/** Returns the grounds of a block that do not lead to an ended block. */
async function groundsThatHold(engine: Engine, blockId: string, ended: string): Promise<string[]> {
  return engine.store.read(async (tx) => {
    const own = await readGroundsOf(tx, [blockId])
    const { at } = engine.session.moment((await tx.state()).clock)
    const outdated = (await readOutdated(tx, [blockId], at)).get(blockId) ?? []
    const gone = new Set([ended, ...outdated.flatMap(({ path }) => path.slice(0, 1))])
    return own.flatMap(({ ground }) => (gone.has(ground) ? [] : [ground]))
  })
}

const BECAME: Readonly<Record<string, string>> = {
  drop: 'was dropped',
  came_true: 'came true',
  did_not: 'did not come true',
}

async function ofPrediction(
  engine: Engine,
  context: CallContext,
  blockId: string,
  { choice, reason }: Chosen,
): Promise<Done> {
  const became = BECAME[choice]
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
  engine: Engine,
  context: CallContext,
  proposal: NonNullable<Decision['proposal']>,
  { choice, words, reason }: Chosen,
): Promise<Done> {
  const { kind, target: blockId = '', content = '', sourceClass = 'user' } = proposal
  if (choice === 'refuse') {
    await mutate(engine, context, (mutation) =>
      noteVerdict(engine, context, mutation, proposal, { state: 'refused', reason }),
    )
    return { summary: 'Refused; nothing changed, and whoever asked can read why.' }
  }
  if (addsBlock(kind)) {
    const made = await acceptNew(engine, context, { proposal, content: words ?? content })
    return { summary: `Accepted: ${shortId(made)} says it in your name.`, blockId: made }
  }
  const accepted =
    kind === 'class' ? { sourceClass } : { content: words ?? content, sourceClass: 'user' as const }
  const verdict = { state: 'accepted' as const, blockId, reason, content: words }
  await correct(engine, context, { blockId, ...accepted, allowConstitutional: true }, (mutation) =>
    noteVerdict(engine, context, mutation, proposal, verdict),
  )
  return { summary: `Accepted: ${shortId(blockId)} is what was proposed, in your name.`, blockId }
}
