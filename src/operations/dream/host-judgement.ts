import * as z from 'zod'
import { LABELS } from '../../domain/graph/label.ts'
import { derivedFrom } from '../resting.ts'
import * as schemas from '../schemas.ts'

/** The judgement of a host about one block. */
export const hostAnalysis = z.strictObject({
  alignmentScore: z
    .number()
    .min(0)
    .max(1)
    .describe('How strongly the block expresses who the agent is, 0..1'),
  tags: z.array(z.string()).max(32).default([]).describe('Identity tags it deserves, such as self/value'),
  summary: z
    .string()
    .max(10_000)
    .describe('One or two sentences that keep every name, number and constraint'),
  derivedFrom: derivedFrom.optional(),
})

/** The judgement of a host about a pair of blocks. */
export const edgeLabel = z.strictObject({
  a: schemas.blockId,
  b: schemas.blockId,
  relation: z
    .enum(LABELS)
    .describe('How the newer relates to the older; supersedes: it says what holds now in its place'),
  confidence: z.number().min(0).max(1).default(0.9).describe('0..1; below 0.6 nothing changes'),
  tags: z
    .array(z.string())
    .max(3)
    .optional()
    .describe('The tags of the newer block that the older deserves, too'),
  cue: z.string().max(200).optional().describe('When the older should come to mind, if it has no cue'),
})
