import * as z from 'zod'
import { isSameText } from '../../block/text.ts'
import { MEANT_MARGIN } from '../../engine/embedding.ts'
import type { CallContext, Engine } from '../../engine/engine.ts'
import { FRAME_NAMES, type FrameName } from '../../engine/frames.ts'
import { type ConnectResult, connect } from '../../graph/connect.ts'
import { meantProbability } from '../../index/rank.ts'
import { frameFilter, match, readIndex } from '../../recall/match.ts'
import { readBlocks } from '../../store/blocks.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'
import { claimFields, connected, summaryOf as connectionSummary, toConnected } from './connect.ts'

const query = schemas.question.trim().min(1)

const candidate = z.object({ id: z.string(), content: z.string(), confidence: z.number() })

const input = z.object({
  sourceQuery: query.describe('Describes the first block'),
  targetQuery: query.describe('Describes the second block'),
  ...claimFields,
  // Agents seldom need these four arguments for blocks that they only describe, so no list has them.
  weight: claimFields.weight.meta({ unlisted: true }),
  validFrom: claimFields.validFrom.meta({ unlisted: true }),
  validUntil: claimFields.validUntil.meta({ unlisted: true }),
  ifExists: claimFields.ifExists.meta({ unlisted: true }),
  minConfidence: z
    .number()
    .min(0)
    .max(1)
    .default(0.7)
    .describe('0..1: least chance that each match is the block meant'),
  frame: z.enum(FRAME_NAMES).default('attention').describe('Only its blocks').meta({ unlisted: true }),
  dryRun: z.boolean().default(false).describe('Find and tell, write nothing'),
})

/** Returns the blocks that two descriptions find; joins them only if both are sure enough (`minConfidence`). */
export const connectByQuery = defineScopedOperation({
  name: 'connectByQuery',
  summary: 'Join two blocks that you describe instead of naming.',
  guide: {
    when: 'You know what two memories say but not their ids.',
    whenNot: 'With ids at hand use connect(), which is exact.',
    next: 'Read both contents: if one is not what you meant, disconnect(). On insufficient_confidence pass the ids of the right ones to connect().',
    example:
      "await memory.connectByQuery({ sourceQuery: 'staging port', targetQuery: 'why 8443 was chosen', relation: 'elaborates', dryRun: true })",
  },
  tools: 'agent',
  needs: 'agent',
  effect: 'write',
  cost: 'embedding',
  idempotent: false,
  refuses: ['WRONG_STATUS', 'EDGE_EXISTS', 'RELATION_CONFLICT', 'OWNER_ONLY'],
  input,
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
    sourceRunnersUp: z.array(candidate).readonly().describe('Other blocks that came near'),
    targetRunnersUp: z.array(candidate).readonly(),
    connectResult: connected.optional(),
    summary: schemas.summary,
  }),
  positionals: ['sourceQuery', 'targetQuery', 'relation'],
  run: async (engine, input, context) => {
    const result = await findAndConnect(engine, context, input)
    const { source, target, action, connection } = result
    return {
      sourceQuery: input.sourceQuery,
      targetQuery: input.targetQuery,
      action,
      ...(source.best && { sourceId: source.best.id, sourceContent: source.best.content }),
      ...(target.best && { targetId: target.best.id, targetContent: target.best.content }),
      sourceConfidence: source.best?.confidence ?? 0,
      targetConfidence: target.best?.confidence ?? 0,
      sourceRunnersUp: source.runnersUp,
      targetRunnersUp: target.runnersUp,
      ...(connection ? { connectResult: toConnected(connection) } : {}),
      summary: summaryOf(result, input.minConfidence),
    }
  },
  render: ({ summary, sourceId, targetId, ...found }) =>
    [
      summary,
      ...(sourceId ? [line('source', sourceId, found.sourceConfidence, found.sourceContent)] : []),
      ...(targetId ? [line('target', targetId, found.targetConfidence, found.targetContent)] : []),
    ].join('\n'),
})

function line(end: string, id: string, confidence: number, text = ''): string {
  return `  ${end} ${shortId(id)} (${confidence.toFixed(2)})  ${text}`
}

type Candidate = z.output<typeof candidate>

/** The blocks found for one description: the best match and the runners-up. */
interface Described {
  readonly best: Candidate | undefined
  readonly runnersUp: readonly Candidate[]
}

interface Found {
  readonly source: Described
  readonly target: Described
  readonly action: 'connected' | 'insufficient_confidence' | 'same_block' | 'dry_run_preview'
  /** The connection that was made; absent if nothing was written. */
  readonly connection?: ConnectResult
}

/** Runners-up shown for each description. */
const RUNNERS_UP = 3

/** Joins two described blocks if both matches are likely enough to be the blocks meant; returns them in any case. Costs two embeddings. */
async function findAndConnect(
  engine: Engine,
  context: CallContext,
  asked: z.output<typeof input>,
): Promise<Found> {
  const { sourceQuery, targetQuery, minConfidence, frame, dryRun, ...said } = asked
  await readIndex(engine)
  const source = await describe(engine, context, sourceQuery, frame)
  const target = await describe(engine, context, targetQuery, frame)
  const [one, other] = [source.best, target.best]
  if (!one || !other) return { source, target, action: 'insufficient_confidence' }
  if (one.id === other.id) return { source, target, action: 'same_block' }
  if (Math.min(one.confidence, other.confidence) < minConfidence)
    return { source, target, action: 'insufficient_confidence' }
  if (dryRun) return { source, target, action: 'dry_run_preview' }
  const connection = await connect(engine, context, { ...said, source: one.id, target: other.id })
  return { source, target, action: 'connected', connection }
}

async function describe(
  engine: Engine,
  context: CallContext,
  query: string,
  frame: FrameName,
): Promise<Described> {
  const topK = 1 + RUNNERS_UP
  const filter = await frameFilter(engine, engine.settings.frames[frame], {})
  const { matches, count: held, constants } = await match(engine, query, { topK, filter, context })
  // By strength alone: that a block answers questions or names its source says nothing about which block is meant.
  const likeliest = [...matches].sort((a, b) => b.strength - a.strength).slice(0, topK)
  // A candidate may have been archived meanwhile; `connect` then refuses it.
  const blocks = await engine.store.read((tx) =>
    readBlocks(
      tx,
      likeliest.map(({ facts }) => facts.id),
    ),
  )
  const [first, second] = likeliest
  const described = likeliest.flatMap((found): Candidate[] => {
    const block = blocks.find(({ id }) => id === found.facts.id)
    // A runner-up is compared with the best match.
    const runnerUp = (found === first ? second : first)?.strength ?? 0
    if (block === undefined) return []
    const confidence = meantProbability({ ...found, runnerUp, blocks: held }, constants, MEANT_MARGIN)
    return [{ id: block.id, content: block.content, confidence: Math.round(confidence * 10_000) / 10_000 }]
  })
  // A description with a block's own words means that block, even if many blocks read alike.
  const meant = described.find(({ content }) => isSameText(content, query))
  const [best, ...runnersUp] =
    meant === undefined
      ? described
      : [{ ...meant, confidence: 1 }, ...described.filter((each) => each !== meant)]
  return { best, runnersUp }
}

function summaryOf({ source, target, action, connection }: Found, floor: number): string {
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
