import * as z from 'zod'
import { checkContent } from '../../intake/check-input.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { decideMany, decideOne } from './decide-many.ts'

/** More are not looked through by anybody before they are decided. */
const ALSO_MOST = 500

const input = z.object({
  id: z.string().max(200).describe('From decisions(); its ids may be beginnings of ids'),
  choice: z.string().max(20).describe('The name or the key of one of its choices'),
  words: schemas.content.optional().describe('For correct and change: the words in the place of the others'),
  reason: schemas.reason.optional().describe('For the log; of a refused proposal the answer'),
  mark: z
    .string()
    .max(64)
    .optional()
    .describe('As decisions() gave it: refuses if the words are others by now'),
  also: z
    .array(
      z.object({
        id: z.string().max(200).describe('From decisions()'),
        mark: z.string().max(64).optional().describe('As decisions() gave it'),
      }),
    )
    .min(1)
    .max(ALSO_MOST)
    .optional()
    .describe('Others to decide the same way: one entry of the log stands for all, each has its own, too'),
})

/** Decides about anything that waits for a person; a proposal decided so already is no error. */
export const decide = defineScopedOperation({
  name: 'decide',
  summary: 'Decide about what waits for you: a proposal, a pair, an outdated block, a prediction.',
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
    also: z
      .object({
        decided: z.int().describe('How many were decided, the first among them'),
        settled: z.int().describe('How many another of them settled, or somebody before'),
        stopped: z
          .object({
            id: z.string().describe('Of the decision'),
            message: z.string().describe('Why'),
            recovery: z.string().optional().describe('The remedy'),
          })
          .optional()
          .describe('The one that could not be decided; those after it wait as before'),
      })
      .optional()
      .describe('Of several'),
    redacted: schemas.redacted.optional(),
    summary: schemas.summary,
  }),
  positionals: ['id', 'choice'],
  run: (engine, asked, context) => {
    if (asked.words !== undefined) checkContent(asked.words, engine.settings.memory)
    const { also, ...one } = asked
    return also === undefined ? decideOne(engine, one, context) : decideMany(engine, one, also, context)
  },
})
