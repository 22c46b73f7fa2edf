import * as z from 'zod'
import { type ResolveResult, resolve as run } from '../../flow/correct/resolve.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'

export const resolve = defineScopedOperation({
  name: 'resolve',
  summary: 'Decide which of two near-duplicates, contradicting or superseding blocks stays.',
  guide: {
    when: 'dream or show names an open pair: nearly the same, in contradiction, or one is to take the place of the other; until then recall answers with one of them.',
    whenNot: 'For two blocks that are merely related: connect them.',
    next: 'Nothing; restore brings an archived one back.',
    example: "await memory.resolve({ a: '3f2a9c1e', b: 'b7d041aa', keep: 'merge' })",
  },
  needs: 'agent',
  effect: 'destroy',
  cost: 'instant',
  idempotent: false,
  input: z.object({
    a: schemas.blockId,
    b: schemas.blockId,
    keep: z
      .enum(['both', 'a', 'b', 'merge', 'keep_both', 'keep_a', 'keep_b'], {
        error: 'must be a, b, both or merge: which of the two blocks stays, by its place, not by its id',
      })
      .transform((said) => said.replace(/^keep_/, '') as 'both' | 'a' | 'b' | 'merge')
      .describe(
        'both: two facts; a or b: archive the other; merge: keep the newer, with tags and cue of the other unless that is trusted less. keep_both, keep_a and keep_b mean the same',
      ),
  }),
  output: z.object({
    kept: z.array(z.string()).readonly(),
    archived: z.string().optional().describe('restore brings it back'),
    mergedTags: z.array(z.string()).readonly().optional(),
    mergedCue: z.literal(true).optional(),
    summary: schemas.summary,
  }),
  positionals: ['a', 'b', 'keep'],
  run: async (engine, input, context) => {
    const result = await run(engine, context, input)
    return { ...result, summary: summaryOf(result) }
  },
  render: ({ summary }) => summary,
})

function summaryOf({ kept, archived, mergedTags, mergedCue }: ResolveResult): string {
  const stays = kept.map(shortId).join(' and ')
  if (archived === undefined) return `${stays} both stay; recall shows both again.`
  return sentences(
    `${stays} stays, ${shortId(archived)} is archived (restore brings it back).`,
    mergedTags !== undefined && `It took over the tags ${mergedTags.join(', ')}.`,
    mergedCue && 'It took over the cue.',
  )
}
