import * as z from 'zod'
import { count } from '../../domain/text/count.ts'
import { type DisconnectResult, disconnect as run } from '../../flow/connect/disconnect.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'

export const disconnect = defineScopedOperation({
  name: 'disconnect',
  summary: 'Take away the edge between two blocks.',
  guide: {
    when: 'An edge is wrong: yours, or one that similarity or use has made. It also calls off one that waits for room.',
    whenNot: 'To weaken an edge: connect with ifExists update and a weight. To drop a block: forget.',
    next: 'Nothing. Neither dream nor use joins the two again for 200 active hours; connect may at once.',
    example:
      "await memory.disconnect({ source: '3f2a9c1e', target: 'b7d041aa', reason: 'the other ferry was meant' })",
  },
  needs: 'agent',
  effect: 'destroy',
  cost: 'instant',
  idempotent: true,
  input: z.object({
    source: schemas.blockId,
    target: schemas.blockId,
    guardRelation: z.string().optional().describe('Only when this is the relation of the edge'),
    reason: schemas.reason.optional().describe('For the log'),
  }),
  output: z.object({
    sourceId: z.string(),
    targetId: z.string(),
    action: z
      .enum(['removed', 'not_found', 'guarded'])
      .describe('guarded: the edge has another relation and stays'),
    removedRelation: z.string().optional().describe('Of the edge, also when it guarded itself'),
    removedWeight: z.number().optional(),
    restoredEdges: schemas.displacedEdges.describe('Edges that had given way to it and are back'),
    pendingRemoved: z.boolean().describe('It only waited for room'),
    summary: schemas.summary,
  }),
  positionals: ['source', 'target'],
  run: async (engine, input, context) => {
    const { restored, ...result } = await run(engine, context, input)
    return {
      ...result,
      restoredEdges: schemas.toDisplacedEdges(restored),
      summary: summaryOf({ restored, ...result }),
    }
  },
  render: ({ summary }) => summary,
})

function summaryOf({
  sourceId,
  targetId,
  action,
  removedRelation,
  restored,
  pendingRemoved,
}: DisconnectResult): string {
  const both = `${shortId(sourceId)} and ${shortId(targetId)}`
  if (action === 'not_found') return `${both} are not joined; nothing to do.`
  if (action === 'guarded') return `${both} are joined by "${removedRelation}" and stay so.`
  return sentences(
    `Removed ${pendingRemoved ? 'the waiting ' : ''}"${removedRelation}" between ${both}.`,
    restored.length > 0 && `${count(restored.length, 'edge')} that gave way to it came back.`,
  )
}
