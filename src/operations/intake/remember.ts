import * as z from 'zod'
import { DEFAULT_CATEGORY } from '../../domain/block/category.ts'
import { type RememberResult, remember as run } from '../../flow/intake/remember.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { dreamHint, sentences, shortId } from '../wording.ts'
import { labelSentence } from './label-only.ts'

/** Result fields of one remembered text, the same in every form of remembering. */
export const remembered = {
  blockId: z.string(),
  status: z.enum(['created', 'duplicate']),
  pendingConsolidation: z.boolean().describe('Whether the block still waits for a dream'),
  mergedTags: z.array(z.string()).readonly().optional().describe('Tags the block that was there gained'),
  mergedCue: z.literal(true).optional().describe('The cue replaced that of the block that was there'),
  activeDuplicateOf: z.string().optional().describe('The active block that says the same already'),
  supersedes: z
    .string()
    .optional()
    .describe(
      'The block whose place it is to take; absent when the text was there already without that note',
    ),
  supersededBy: z
    .string()
    .optional()
    .describe('The newer block that recall shows in place of the one that was there'),
  echoOf: z
    .string()
    .optional()
    .describe('It only says again what a recall showed of this block; nothing was added'),
  datedBefore: z
    .literal(true)
    .optional()
    .describe('By its date that block is the newer: recall shows it until resolve'),
}

export const remember = defineScopedOperation({
  name: 'remember',
  summary: 'Put one thing worth keeping into the inbox.',
  guide: {
    when: 'You learned something that a later session should know: a fact, a decision and its reason, a preference.',
    whenNot:
      'For many things at once (rememberMany), a whole document (learnDocument), a principle (setup) or a correction of a block (edit).',
    next: 'dream when the answer says shouldDream; recall finds it at once. After superseding: resolve.',
    example: "await memory.remember({ content: 'Releases go out on Tuesdays.', tags: ['project/atlas'] })",
  },
  needs: 'agent',
  effect: 'write',
  cost: 'instant',
  idempotent: true,
  input: z.object({
    content: schemas.content,
    tags: schemas.tags.optional(),
    category: schemas.category.default(DEFAULT_CATEGORY),
    cue: schemas.cue.optional(),
    source: schemas.source.optional().describe('Who said it or where it comes from'),
    sourceClass: schemas.claimedClass.optional(),
    session: schemas.session.optional(),
    at: schemas.at.optional(),
    keepFrame: z
      .boolean()
      .default(false)
      .describe('Keep a text that holds what a recall showed and new words besides; else it is refused'),
    supersedes: schemas.blockId
      .optional()
      .describe(
        'The block whose place this one is to take: recall shows this one, with the other under it; after the next dream resolve archives the other',
      ),
  }),
  output: z.object({
    ...remembered,
    visible: schemas.visible,
    ...schemas.dreamAdvice,
    redacted: schemas.redacted.optional(),
    summary: schemas.summary,
  }),
  positionals: ['content'],
  ownerOnly: { sourceClass: ['user'] },
  run: async (engine, input, context) => {
    const { threshold: _threshold, ...result } = await run(engine, context, input)
    const summary = sentences(
      summaryOf(result, input.supersedes),
      result.echoOf === undefined && labelSentence(engine, context, [input]),
    )
    return { ...result, visible: true as const, summary }
  },
  render: ({ summary }) => summary,
})

type Result = Omit<RememberResult, 'threshold'>

function summaryOf(result: Result, wanted: string | undefined): string {
  const id = shortId(result.blockId)
  return sentences(
    result.echoOf === undefined
      ? statusSentence(result, id)
      : `That is what the memory said itself (${shortId(result.echoOf)}), which stays fresh for it; no copy was made.`,
    mergeSentence(result),
    result.supersedes !== undefined &&
      `It is to take the place of ${shortId(result.supersedes)}: after the dream decide with resolve.`,
    result.datedBefore && 'By its date that one is the newer, so recall shows it until then.',
    wanted !== undefined &&
      result.supersedes === undefined &&
      `That it is to take the place of ${shortId(wanted)} was not noted, because the text was there already; forget ${shortId(wanted)} if it is no longer true.`,
    result.supersededBy !== undefined &&
      `But ${shortId(result.supersededBy)} took its place since. If it holds again, remember it with supersedes: '${shortId(result.supersededBy)}'.`,
    dreamHint(result),
  )
}

function statusSentence({ status, pendingConsolidation }: Result, id: string): string {
  if (status === 'created') return `Remembered as ${id}; recall finds it.`
  return pendingConsolidation
    ? `Waiting already as ${id}; nothing was added.`
    : `Known already as ${id}; nothing was queued.`
}

function mergeSentence({ mergedTags = [], mergedCue }: Result): string {
  const gained = [
    ...(mergedTags.length > 0 ? [`the tags ${mergedTags.join(', ')}`] : []),
    ...(mergedCue ? ['the cue'] : []),
  ]
  return gained.length === 0 ? '' : `It took over ${gained.join(' and ')}.`
}
