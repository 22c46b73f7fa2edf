import * as z from 'zod'
import { defined } from '../../block/text.ts'
import { givenBy } from '../../outcome/predictions.ts'
import type { Prediction } from '../../store/predictions.ts'
import { pairFoundBy, pairKind } from '../dream/inbox.ts'
import { archiveFloor, fading } from '../list/details.ts'
import * as schemas from '../schemas.ts'
import { groundsOfBlock, pastFields, validityOfEdge } from '../schemas.ts'

/** The fields for another block and the beginning of its content. */
const joined = { other: z.string(), preview: z.string() }

const prediction = z.object({
  by: z.string(),
  probability: z.number(),
  settledAt: z.string().optional(),
  cameTrue: z.boolean().optional().describe('Absent until it is settled'),
})

/** The fields of a prediction. */
export function toPrediction(found: Prediction): z.output<typeof prediction> {
  const { probability, settledAt, cameTrue } = found
  return { by: givenBy(found), probability, ...defined({ settledAt, cameTrue }) }
}

/** The schema of everything known about a block. */
export const shown = z.object({
  block: schemas.wholeBlock,
  ...fading,
  archiveFloor,
  belief: z.number().describe('Its belief for all questions, 0..1; .5 without reports'),
  prediction: prediction.optional().describe('If it was remembered with expect'),
  questions: z
    .array(
      z.object({
        question: z.string().optional().describe('Absent for reports of which no question is known'),
        helped: z.number().describe('Sum of reports that it helped'),
        misled: z.number().describe('Reports that it was wrong or out of date, in whole or in part'),
        beside: z.number().describe('Reports that it was not about this question'),
      }),
    )
    .readonly()
    .describe('For which questions it helped or misled, the newest first, at most 10'),
  trust: schemas.trust,
  edges: z
    .array(
      z.object({
        ...joined,
        relation: z.string(),
        origin: z.string(),
        weight: z.number(),
        reinforcementCount: z.int(),
        createdAt: z.string().describe('When it was made'),
        note: z.string().optional(),
        declaredBy: z.string().optional().describe('The end the relation was said of'),
        ...validityOfEdge,
      }),
    )
    .readonly()
    .describe('The strongest first: edgeLimit of them, behind the first edgeOffset'),
  edgesTotal: z.int(),
  edgeOffset: z.int().describe('How many stronger edges stand before those'),
  openPairs: z
    .array(
      z.object({
        ...joined,
        kind: pairKind,
        score: z.number(),
        foundBy: pairFoundBy,
      }),
    )
    .readonly()
    .describe('Near-duplicates, proposed supersessions and contradictions to decide about with resolve'),
  outcomes: z
    .array(
      z.object({
        at: z.string(),
        signal: z.number(),
        weight: z.number(),
        source: z.string(),
        confidenceBefore: z.number(),
        confidenceAfter: z.number(),
      }),
    )
    .readonly()
    .describe('The last 10, newest first'),
  history: z
    .array(
      z.object({
        id: z.int().describe('The number that undo takes'),
        operation: z.string(),
        at: z.string(),
        actor: schemas.actor,
        summary: z.string(),
        reason: z.string().optional(),
        undoable: z.boolean().describe('True if undo may take it back'),
        undoneBy: z.int().optional().describe('The undo that took it back'),
      }),
    )
    .readonly()
    .describe('Its life: the last 20 operations on it, newest first; history({ blockId }) has all'),
  ...groundsOfBlock,
  ...pastFields,
  summary: schemas.summary,
})

/** The answer of `show`, in the names of the library. */
export type Shown = z.output<typeof shown>
