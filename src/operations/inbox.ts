import * as z from 'zod'
import { preview } from '../domain/text.ts'
import { inbox as run } from '../flow/inbox.ts'
import { recall } from '../flow/recall/recall.ts'
import { defineScopedOperation } from './operation.ts'
import * as schemas from './schemas.ts'
import { count, shortId } from './wording.ts'

export const inbox = defineScopedOperation({
  name: 'inbox',
  summary: 'Read what waits for a dream, oldest first.',
  guide: {
    when: 'You want to judge waiting blocks yourself (dream with hostAnalyses), or correct one before it counts.',
    whenNot: 'To find something: recall looks at active blocks only.',
    next: 'dream, with hostAnalyses by block id if you judged them.',
    example: 'const { blocks } = await memory.inbox({ maxCount: 5 })',
  },
  effect: 'read',
  cost: 'instant',
  idempotent: true,
  input: z.object({
    maxCount: z.int().min(1).max(500).default(20).describe('At most so many blocks'),
    cursor: schemas.cursor.optional(),
    identity: z.boolean().default(false).describe('Also give the self frame, to judge alignment against'),
  }),
  output: z.object({
    blocks: z.array(schemas.waitingBlock).readonly(),
    remaining: z.int().describe('How many wait behind these'),
    cursor: z.string().optional().describe('Pass it to get those'),
    identity: z.string().optional().describe('The self frame; empty while nothing of it is active'),
    summary: schemas.summary,
  }),
  run: async (engine, { identity, ...input }, context) => {
    const { blocks, remaining, ...rest } = await run(engine, input)
    const self = identity
      ? await recall(engine, { frame: 'self', reinforce: false, suggest: false }, context)
      : undefined
    return {
      ...(self ? { identity: self.text } : {}),
      blocks: blocks.map(schemas.toWaitingBlock),
      remaining,
      ...rest,
      summary: summaryOf(blocks.length, remaining),
    }
  },
  render: ({ blocks, summary }) =>
    [
      ...blocks.map(({ id, category, content }) => `${shortId(id)}  [${category}]  ${preview(content, 80)}`),
      summary,
    ].join('\n'),
})

function summaryOf(shown: number, remaining: number): string {
  if (shown === 0) return 'The inbox is empty.'
  if (remaining === 0) return `${count(shown, 'waiting block')}; dream makes them recallable.`
  return `${count(shown, 'waiting block')}, ${remaining} more behind the cursor.`
}
