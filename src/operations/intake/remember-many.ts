import * as z from 'zod'
import { count } from '../../domain/text/count.ts'
import { rememberMany as run } from '../../flow/intake/remember-many.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { dreamHint, sentences } from '../wording.ts'
import { labelSentence } from './label-only.ts'
import { remember, remembered } from './remember.ts'

/** More in one call are a mistake, or belong into several calls. */
const MOST = 100_000

export const rememberMany = defineScopedOperation({
  name: 'rememberMany',
  summary: 'Put many things worth keeping into the inbox at once.',
  guide: {
    when: 'You have a list: what a task taught, an import, notes of another program. Far cheaper than one call each.',
    whenNot:
      'For one thing (remember), or for a text that is still to be cut into statements (learnDocument).',
    next: 'dream until nothing is left. When a block is refused, nothing was stored: correct the one that is named.',
    example:
      "await memory.rememberMany({ blocks: [{ content: 'Tea is at four.' }, { content: 'Releases go out on Tuesdays.' }] })",
  },
  needs: 'agent',
  effect: 'write',
  cost: 'instant',
  idempotent: true,
  input: z.object({
    blocks: z
      .array(remember.input.omit({ scope: true }))
      .min(1)
      .max(MOST)
      .describe('The things, each as remember takes it; in a file, a JSON list or one JSON object a line'),
  }),
  output: z.object({
    results: z.array(z.object(remembered)).readonly().describe('What became of each, in the order given'),
    created: z.int(),
    duplicates: z.int().describe('Things that were known already'),
    visible: schemas.visible,
    ...schemas.dreamAdvice,
    redacted: schemas.redacted.optional(),
    summary: schemas.summary,
  }),
  positionals: ['blocks'],
  ownerOnly: { blocks: { sourceClass: ['user'] } },
  run: async (engine, { blocks }, context) => {
    const { threshold: _threshold, ...result } = await run(engine, context, blocks)
    const created = result.results.filter(({ status }) => status === 'created').length
    const duplicates = result.results.length - created
    const replacing = result.results.filter(({ supersedes }) => supersedes !== undefined).length
    const unnoted = blocks.filter(({ supersedes }) => supersedes !== undefined).length - replacing
    const summary = sentences(
      `${count(blocks.length, 'block')}: ${created} new, ${duplicates} known already.`,
      replacing > 0 &&
        `${count(replacing, 'block')} to take the place of older ones: after the dream decide with resolve.`,
      unnoted > 0 &&
        `${count(unnoted, 'block')} cannot take the place of others, because the texts were there already.`,
      labelSentence(engine, context, blocks),
      dreamHint(result),
    )
    return { ...result, created, duplicates, visible: true as const, summary }
  },
  render: ({ summary }) => summary,
})
