import * as z from 'zod'
import { count } from '../../block/text.ts'
import { type ReembedRequest, type ReembedResult, reembed as run } from '../../dream/reembed.ts'
import { nameOf } from '../../engine/embedding.ts'
import { ElfmemError } from '../../errors.ts'
import { defineOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences } from '../wording.ts'

const modelName = z.object({ model: z.string(), dimensions: z.int().optional() })

/** Embeds the blocks without a vector of the new model, then changes over in one step; a dry run only estimates. */
export const reembed = defineOperation({
  name: 'reembed',
  summary: 'Change the stored vectors to the configured embedder, without a pause.',
  guide: {
    when: 'After another embedder was configured: recall says then that it finds by words alone, and dream refuses.',
    whenNot: 'To embed blocks that wait use dream(). A call with the same embedder changes nothing.',
    next: 'Restart what still runs with the old embedder. To go back, configure the old one and call reembed() again.',
    example: 'const { estimate } = await memory.reembed({ dryRun: true })',
  },
  tools: 'all',
  dashboard: 'never',
  needs: 'agent',
  effect: 'write',
  isLasting: true,
  cost: 'batch',
  idempotent: true,
  refuses: ['OUT_OF_SCOPE', 'EMBEDDER_FAILED', 'STORE_BUSY'],
  input: z.object({
    dryRun: z.boolean().default(false).describe('Only say how much there is to embed'),
    drop: z
      .boolean()
      .default(false)
      .describe('Only let go of the vectors that are not in use: those of before, or of a change given up'),
  }),
  output: z.object({
    status: z.enum(['switched', 'planned', 'current', 'empty', 'dropped']),
    from: modelName.optional().describe('Whose vectors were in use'),
    to: modelName.describe('Whose are in use now, or would be'),
    embedded: z.int().describe('Blocks embedded by this call'),
    reused: z.int().describe('Vectors of the new model that were there already'),
    estimate: z
      .object({
        blocks: z.int(),
        characters: z.int(),
        tokens: z.int().describe('Estimated, a quarter of the characters; what an endpoint charges by'),
      })
      .optional()
      .describe('The texts still to embed; only for a dry run'),
    shadow: z
      .object({ ...modelName.shape, kept: z.boolean().describe('In use before and whole; else unfinished') })
      .optional()
      .describe('Vectors kept besides those in use; after drop those that went'),
    seconds: z.number(),
    summary: schemas.summary,
  }),
  run: async (engine, input, context) => {
    refuseTwoWishes(input)
    const result = await run(engine, input, context)
    return { ...result, summary: summaryOf(result) }
  },
})

function refuseTwoWishes({ drop, dryRun }: ReembedRequest): void {
  if (!drop || !dryRun) return
  const message = 'drop removes vectors, and dryRun changes nothing.'
  throw new ElfmemError('INVALID_INPUT', message, { recovery: 'Drop one of the two.' })
}

function summaryOf(result: ReembedResult): string {
  const { from, to, embedded, reused, estimate, shadow, seconds } = result
  switch (result.status) {
    case 'empty':
      return `Nothing has been embedded yet; the first dream will use ${nameOf(to)}.`
    case 'current':
      return sentences(
        `The vectors are of ${nameOf(to)} already; nothing changed.`,
        shadow && `Vectors of ${nameOf(shadow)} are kept besides; reembed() with drop removes them.`,
      )
    case 'dropped':
      return shadow ? `The vectors of ${nameOf(shadow)} are gone.` : 'There was nothing to drop.'
    case 'planned':
      return sentences(
        `${count(estimate?.blocks ?? 0, 'block')} to embed with ${nameOf(to)}`,
        `(about ${estimate?.tokens ?? 0} tokens).`,
        reused > 0 && `${count(reused, 'vector')} of it are there already.`,
        'Nothing changed.',
      )
    case 'switched':
      return sentences(
        `Recall uses vectors of ${nameOf(to)} now:`,
        `${count(embedded, 'block')} embedded in ${durationOf(seconds)}, ${reused} reused.`,
        from &&
          `Those of ${nameOf(from)} are kept: configure it and call reembed() to go back, or call it with drop to free the room.`,
      )
  }
}

function durationOf(seconds: number): string {
  if (seconds < 90) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`
}
