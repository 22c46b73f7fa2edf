import * as z from 'zod'
import { count } from '../../block/text.ts'
import { type ConnectResult, connects as joinMany, connect as joinTwo } from '../../graph/connect.ts'
import { NOTE_LENGTH_MAX } from '../../graph/linker.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { validityArguments, validityFields } from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'

/** The arguments of a claim about two blocks, in every operation that joins some. */
export const claimFields = {
  relation: schemas.name
    .optional()
    .describe('elaborates, supports, contradicts, outcome … or your own word; similar when left out'),
  weight: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("0..1: how firmly; the relation's usual weight when left out"),
  note: schemas.note
    .optional()
    .describe(`Why, in at most ${NOTE_LENGTH_MAX} characters; recall finds both by its words`),
  ...validityArguments,
  ifExists: z
    .enum(['reinforce', 'update', 'skip', 'error'])
    .default('reinforce')
    .describe('If they are joined already'),
}

/** Two blocks and what is said about them. */
const connectSpec = z.strictObject({
  source: schemas.blockId,
  target: schemas.blockId,
  ...claimFields,
})

/** The outcomes of a claim, in the order in which a summary counts them. */
const ACTIONS = ['created', 'reinforced', 'updated', 'skipped', 'deferred'] as const

/** Result of one connection. */
export const connected = z.object({
  sourceId: z.string(),
  targetId: z.string(),
  relation: z.string().describe('As stored now'),
  weight: z.number().describe('As stored now'),
  action: z.enum(ACTIONS).describe('deferred: no room at a full block; curate makes it when there is some'),
  note: z.string().optional(),
  ...validityFields,
  evictedEdges: schemas.evictedEdges,
  warning: z.string().optional(),
})

/** Joins a pair, or leaves the claim waiting (`deferred`) if a full block has no edge to evict. */
export const connect = defineScopedOperation({
  name: 'connect',
  summary: 'Join two blocks by what you know about them.',
  guide: {
    when: 'You read two blocks and see what similarity cannot: one supports, elaborates or contradicts the other.',
    whenNot:
      'Blocks that read alike or helped together join by themselves. Without ids use connectByQuery(). For many at once use connects().',
    next: "If they are joined already, ifExists 'update' puts your relation in its place. To undo: disconnect(), which brings back what gave way. What contradicts is settled by resolve().",
    example:
      "await memory.connect({ source: '3f2a9c1e', target: 'b7d041aa', relation: 'supports', note: 'measured in May' })",
  },
  tools: 'verbs',
  needs: 'agent',
  effect: 'write',
  cost: 'instant',
  idempotent: false,
  refuses: [
    'NOT_FOUND',
    'AMBIGUOUS_ID',
    'WRONG_STATUS',
    'SELF_LOOP',
    'EDGE_EXISTS',
    'RELATION_CONFLICT',
    'OWNER_ONLY',
  ],
  input: connectSpec,
  output: connected.extend({ summary: schemas.summary }),
  positionals: ['source', 'target', 'relation'],
  run: async (engine, input, context) => {
    const result = await joinTwo(engine, context, input)
    return { ...toConnected(result), summary: summaryOf(result) }
  },
})

/** The fields of `connected`. */
export function toConnected({ displaced, ...result }: ConnectResult): z.output<typeof connected> {
  return { ...result, evictedEdges: schemas.toEvictedEdges(displaced) }
}

const DONE: Readonly<Record<ConnectResult['action'], string>> = {
  created: 'Connected',
  reinforced: 'Strengthened',
  updated: 'Changed',
  skipped: 'Left as it was',
  deferred: 'Waiting for room',
}

/** Returns one line about a connection. */
export function summaryOf({
  sourceId,
  targetId,
  relation,
  weight,
  action,
  displaced,
  warning,
}: ConnectResult): string {
  return sentences(
    `${DONE[action]}: ${shortId(sourceId)} ${relation} ${shortId(targetId)} (${weight.toFixed(2)}).`,
    action === 'deferred' &&
      'Every edge of a full block is protected; curate admits it when one goes, or disconnect one.',
    displaced.length > 0 && `${count(displaced.length, 'weaker edge')} gave way.`,
    warning,
  )
}

/** The most connections of one call. */
const MOST = 1_000

/** Makes up to 1,000 connections in one transaction; one that is refused stands in `errors` and stops no other. */
export const connects = defineScopedOperation({
  name: 'connects',
  summary: 'Join many pairs of blocks at once.',
  guide: {
    when: 'At the end of a task, when you have seen several relations: one call, one transaction.',
    whenNot: 'For one pair use connect().',
    next: 'Read errors: each says which edge, why, and what to do. The others are made.',
    example:
      "await memory.connects({ edges: [{ source: '3f2a9c1e', target: 'b7d041aa', relation: 'supports' }] })",
  },
  tools: 'all',
  needs: 'agent',
  effect: 'write',
  cost: 'instant',
  idempotent: false,
  input: z.object({
    edges: z
      .array(connectSpec.partial({ ifExists: true }).extend({ source: schemas.name, target: schemas.name }))
      .max(MOST)
      .describe('The pairs, each as connect takes it'),
  }),
  output: z.object({
    results: z
      .array(connected)
      .readonly()
      .describe('The results, in the order of the edges, errors left out'),
    created: z.int(),
    reinforced: z.int(),
    updated: z.int(),
    skipped: z.int(),
    deferred: z.int(),
    errors: z
      .array(
        z.object({
          index: z.int().describe('Place in edges, from 0'),
          code: z.string(),
          message: z.string(),
          recovery: z.string(),
        }),
      )
      .readonly(),
    summary: schemas.summary,
  }),
  positionals: ['edges'],
  run: async (engine, { edges }, context) => {
    const { made, failed } = await joinMany(
      engine,
      context,
      edges.map(({ ifExists = 'reinforce', ...edge }) => ({ ...edge, ifExists })),
    )
    const counts = Object.fromEntries(
      ACTIONS.map((action) => [action, made.filter((each) => each.action === action).length]),
    ) as Record<(typeof ACTIONS)[number], number>
    const displaced = made.flatMap((each) => each.displaced).length
    return {
      results: made.map(toConnected),
      ...counts,
      errors: failed.map(({ index, error: { code, message, recovery } }) => {
        return { index, code, message, recovery }
      }),
      summary: sentences(
        `${count(edges.length, 'edge')}: ${
          ACTIONS.filter((action) => counts[action] > 0)
            .map((action) => `${counts[action]} ${action}`)
            .join(', ') || 'none made'
        }.`,
        displaced > 0 && `${count(displaced, 'weaker edge')} gave way.`,
        failed.length > 0 && `${failed.length} refused; see errors.`,
      ),
    }
  },
  render: ({ summary, errors }) =>
    [
      summary,
      ...errors.map(({ index, code, message, recovery }) => `  ${index}: ${code}: ${message} ${recovery}`),
    ].join('\n'),
})
