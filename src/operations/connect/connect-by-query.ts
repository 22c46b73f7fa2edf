import * as z from 'zod'
import { FRAME_NAMES } from '../../config/frames.ts'
import {
  type ConnectByQueryResult,
  type Described,
  type DescribedBlock,
  connectByQuery as run,
} from '../../flow/connect/connect-by-query.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'
import { claimFields, connected, summaryOf as connectionSummary, toConnected } from './connect.ts'

const query = z.string().trim().min(1)

const candidate = z.object({ id: z.string(), content: z.string(), confidence: z.number() })

export const connectByQuery = defineScopedOperation({
  name: 'connectByQuery',
  summary: 'Join two blocks that you describe instead of naming.',
  guide: {
    when: 'You know what two memories say but not their ids.',
    whenNot: 'With ids at hand (recall gives them): connect is exact.',
    next: 'Read both contents: if one is not what you meant, disconnect; on insufficient_confidence pass the ids of the right ones to connect.',
    example:
      "await memory.connectByQuery({ sourceQuery: 'staging port', targetQuery: 'why 8443 was chosen', relation: 'elaborates', dryRun: true })",
  },
  needs: 'agent',
  effect: 'write',
  cost: 'embedding',
  idempotent: false,
  input: z.object({
    sourceQuery: query.describe('What the first block says'),
    targetQuery: query.describe('What the second block says'),
    ...claimFields,
    minConfidence: z
      .number()
      .min(0)
      .max(1)
      .default(0.7)
      .describe('Chance that each match is the block meant, below which nothing is written'),
    frame: z.enum(FRAME_NAMES).default('attention').describe('Only blocks this frame would show'),
    dryRun: z.boolean().default(false).describe('Find and tell, write nothing'),
  }),
  output: z.object({
    sourceQuery: z.string(),
    targetQuery: z.string(),
    action: z.enum(['connected', 'insufficient_confidence', 'same_block', 'dry_run_preview']),
    sourceId: z.string().optional(),
    targetId: z.string().optional(),
    sourceContent: z.string().optional().describe('All of it, for you to check'),
    targetContent: z.string().optional(),
    sourceConfidence: z.number().describe('Chance that it is the block meant, 0..1; 0 when none was found'),
    targetConfidence: z.number(),
    sourceRunnersUp: z.array(candidate).readonly().describe('Who else came near'),
    targetRunnersUp: z.array(candidate).readonly(),
    connectResult: connected.optional(),
    summary: schemas.summary,
  }),
  positionals: ['sourceQuery', 'targetQuery', 'relation'],
  run: async (engine, input, context) => {
    const result = await run(engine, context, input)
    const { source, target, action, connection } = result
    return {
      sourceQuery: input.sourceQuery,
      targetQuery: input.targetQuery,
      action,
      ...(source.best && { sourceId: source.best.block.id, sourceContent: source.best.block.content }),
      ...(target.best && { targetId: target.best.block.id, targetContent: target.best.block.content }),
      sourceConfidence: rounded(source.best?.confidence ?? 0),
      targetConfidence: rounded(target.best?.confidence ?? 0),
      sourceRunnersUp: source.runnersUp.map(toCandidate),
      targetRunnersUp: target.runnersUp.map(toCandidate),
      ...(connection ? { connectResult: toConnected(connection) } : {}),
      summary: summaryOf(result, input.minConfidence),
    }
  },
  render: ({
    summary,
    sourceId,
    sourceContent,
    sourceConfidence,
    targetId,
    targetContent,
    targetConfidence,
  }) =>
    [
      summary,
      ...(sourceId ? [line('source', sourceId, sourceConfidence, sourceContent)] : []),
      ...(targetId ? [line('target', targetId, targetConfidence, targetContent)] : []),
    ].join('\n'),
})

function line(end: string, id: string, confidence: number, text = ''): string {
  return `  ${end} ${shortId(id)} (${confidence.toFixed(2)})  ${text}`
}

function toCandidate({ block, confidence }: DescribedBlock): z.output<typeof candidate> {
  return { id: block.id, content: block.content, confidence: rounded(confidence) }
}

function summaryOf({ source, target, action, connection }: ConnectByQueryResult, floor: number): string {
  switch (action) {
    case 'connected':
      return sentences(
        connection && connectionSummary(connection),
        'Check that these are the blocks you meant; disconnect undoes it.',
      )
    case 'dry_run_preview':
      return 'Nothing was written: these two blocks would be joined.'
    case 'same_block':
      return 'Both descriptions found the same block; describe them so that they differ, or connect by id.'
    case 'insufficient_confidence':
      return sentences(
        'Nothing was written:',
        `${[unsure('source', source, floor), unsure('target', target, floor)].filter(Boolean).join(', ')}.`,
        'Describe more exactly, lower minConfidence, or connect the right ids.',
      )
  }
}

function unsure(end: string, { best }: Described, floor: number): string {
  if (!best) return `nothing was found for the ${end}`
  return best.confidence < floor ? `the ${end} is only ${best.confidence.toFixed(2)} sure` : ''
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
