import * as z from 'zod'
import { type Choice, choiceNamed } from '../../domain/decision/choices.ts'
import { ElfmemError } from '../../errors.ts'
import { requireDecision } from '../../flow/decide/find.ts'
import type { Decision } from '../../flow/decide/read.ts'
import { decidedBefore } from '../../flow/decide/settle.ts'
import { checkContent } from '../../flow/guard/check-input.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { carryOut } from './carry-out.ts'
import { shortDecisionId } from './decision-view.ts'

const input = z.object({
  id: z.string().max(200).describe('From decisions(); its ids may be beginnings of ids'),
  choice: z.string().max(20).describe('The name or the key of one of its choices'),
  words: z.string().optional().describe('For correct and change: the words in the place of the others'),
  reason: schemas.reason.optional().describe('For the log; of a refused proposal the answer'),
  mark: z
    .string()
    .max(64)
    .optional()
    .describe('As decisions() gave it: refuses if the words are others by now'),
})

/** Decides about anything that waits for a person; a proposal decided so already is no error. */
export const decide = defineScopedOperation({
  name: 'decide',
  summary: 'Decide about what waits for you: a proposal, a pair, an outdated or waiting block.',
  guide: {
    when: 'decisions() lists something. Each has its choices, and says what each does.',
    whenNot: 'To look through them one by one: elfmem review.',
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
    id: z.string().describe('Of the decision'),
    choice: z.string().describe('The name of what was chosen'),
    status: z.enum(['decided', 'already']).describe('already: it was decided so before'),
    blockId: z
      .string()
      .optional()
      .describe('The block that came of an accepted proposal, or that it changed'),
    redacted: schemas.redacted.optional(),
    summary: schemas.summary,
  }),
  positionals: ['id', 'choice'],
  run: async (engine, asked, context) => {
    if (asked.words !== undefined) checkContent(asked.words, engine.settings.memory)
    const decision = await engine.store.read(async (tx) =>
      requireDecision(engine, tx, asked.id, engine.session.moment(await tx.clock()).at),
    )
    const known = { id: decision.id, choice: asked.choice.trim().toLowerCase() }
    const before = decidedSo(decision, known.choice)
    if (before !== undefined)
      return {
        ...known,
        choice: before,
        status: 'already' as const,
        summary: `${shortDecisionId(decision.id)} was ${decision.proposal?.state} before.`,
      }
    mustBeAsSeen(decision, asked.mark)
    const { choice } = chosen(decision, asked)
    const done = await carryOut(engine, context, decision, {
      choice,
      words: asked.words,
      reason: asked.reason,
    })
    return { ...known, choice, status: 'decided' as const, ...done }
  },
})

type Asked = z.output<typeof input>

/** The names and keys that mean what a decided proposal is. */
const SO: Readonly<Record<string, readonly string[]>> = {
  accepted: ['accept', 'a', 'change', 'c'],
  refused: ['refuse', 'r'],
}

/** The name of the choice by which a proposal was decided so before. */
function decidedSo({ proposal }: Decision, choice: string): string | undefined {
  const names = proposal && SO[proposal.state]
  return names?.includes(choice) ? names[0] : undefined
}

function mustBeAsSeen({ id, mark }: Decision, seen: string | undefined): void {
  if (seen === undefined || seen === mark) return
  throw new ElfmemError('CONFLICT', 'The words that this decision is about were changed meanwhile.', {
    recovery: `Look again: decisions({ id: '${id}' }). Nothing was decided.`,
  })
}

function chosen({ choices, proposal }: Decision, { choice, words }: Asked): Choice {
  if (proposal !== undefined && proposal.state !== 'open') throw decidedBefore(proposal)
  const found = choiceNamed(choices, choice)
  const names = choices.map((each) => each.choice).join(', ')
  if (found === undefined)
    throw new ElfmemError('INVALID_INPUT', 'That is no choice of this decision.', {
      recovery: `Its choices are ${names}.`,
      details: { arguments: ['choice'] },
    })
  if (found.takes === 'words' && words === undefined)
    throw new ElfmemError('INVALID_INPUT', `The choice ${found.choice} needs words.`, {
      recovery: 'Give them as words.',
      details: { arguments: ['words'] },
    })
  if (found.takes !== 'words' && words !== undefined)
    throw new ElfmemError('INVALID_INPUT', `The choice ${found.choice} takes no words.`, {
      recovery: `Leave words out, or choose one that takes them. Its choices are ${names}.`,
      details: { arguments: ['words'] },
    })
  return found
}
