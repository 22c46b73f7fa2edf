import * as z from 'zod'
import { LABELS } from '../../graph/edge.ts'
import * as schemas from '../schemas.ts'

/** The judgement of a host about one block. */
export const hostAnalysis = z.strictObject({
  alignmentScore: z.number().min(0).max(1).describe('How strongly it expresses who the agent is'),
  tags: z.array(schemas.name).max(32).default([]).describe('Identity tags it deserves, such as self/value'),
  summary: z
    .string()
    .max(10_000)
    .describe('One or two sentences that keep every name, number and constraint'),
})

/** The judgement of a host about a pair of blocks. */
export const edgeLabel = z.strictObject({
  a: schemas.blockId.describe('One of the two'),
  b: schemas.blockId.describe('The other'),
  relation: z.enum(LABELS).describe('Of the newer to the older; supersedes: it says what holds now instead'),
  confidence: z.number().min(0).max(1).default(0.9).describe('0..1; below 0.6 nothing changes'),
})
