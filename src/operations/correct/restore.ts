import * as z from 'zod'
import { count } from '../../domain/text/count.ts'
import { type RestoreResult, restore as run } from '../../flow/correct/restore.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'

export const restore = defineScopedOperation({
  name: 'restore',
  summary: 'Bring an archived block back with its tags and edges.',
  guide: {
    when: 'A block was forgotten, replaced or faded, and is wanted again.',
    whenNot: 'To take back an edit, or a forget of just now: undo.',
    next: 'Nothing; if another block says the same, forget one of them.',
    example: "await memory.restore({ blockId: '3f2a9c1e' })",
  },
  needs: 'agent',
  effect: 'write',
  cost: 'instant',
  idempotent: true,
  input: z.object({ blockId: schemas.blockId }),
  output: z.object({
    blockId: z.string(),
    status: z.enum(['active', 'inbox']),
    restored: z.boolean().describe('False when it was not archived'),
    edgesRestored: z.int(),
    edgesLost: z
      .int()
      .describe('Edges that stay away: the other end is full, or archived and brings them back itself'),
    displacedEdges: schemas.displacedEdges,
    pairsRestored: z.int(),
    sameAs: z.string().optional().describe('Another block that says the same'),
    summary: schemas.summary,
  }),
  positionals: ['blockId'],
  run: async (engine, input, context) => {
    const { displaced, ...result } = await run(engine, context, input)
    return {
      ...result,
      displacedEdges: schemas.toDisplacedEdges(displaced),
      summary: summaryOf({ displaced, ...result }),
    }
  },
  render: ({ summary }) => summary,
})

function summaryOf(result: RestoreResult): string {
  const { status, restored, edgesRestored, edgesLost, pairsRestored, sameAs } = result
  const id = shortId(result.blockId)
  if (!restored) return `${id} is not archived (${status}); nothing changed.`
  return sentences(
    `${id} is back (${status}) with ${count(edgesRestored, 'edge')}.`,
    edgesLost > 0 &&
      `${count(edgesLost, 'edge')} stayed away: the other end is full, or archived and brings them back itself.`,
    result.displaced.length > 0 && `${count(result.displaced.length, 'weaker edge')} gave way.`,
    pairsRestored > 0 && `${count(pairsRestored, 'open pair')} with it.`,
    sameAs !== undefined && `${shortId(sameAs)} says the same: forget one of them.`,
    status === 'inbox' && 'It waits for the next dream.',
  )
}
