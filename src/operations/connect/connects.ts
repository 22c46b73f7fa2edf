import * as z from 'zod'
import { count } from '../../block/text.ts'
import { connects as run } from '../../graph/connect.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences } from '../wording.ts'
import { ACTIONS, connected, connectSpec, toConnected } from './connect.ts'

/** More connections than this in one call are a mistake. */
const MOST = 1_000

/** Makes up to 1,000 connections in one transaction; one that is refused stands in `errors` and stops no other. */
export const connects = defineScopedOperation({
  name: 'connects',
  summary: 'Join many pairs of blocks at once.',
  guide: {
    when: 'At the end of a task, when you have seen several relations: one call, one transaction.',
    whenNot: 'One pair: connect().',
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
    const { made, failed } = await run(
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
      errors: failed.map(({ index, error: { code, message, recovery } }) => ({
        index,
        code,
        message,
        recovery,
      })),
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
