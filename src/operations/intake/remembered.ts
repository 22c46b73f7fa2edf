import * as z from 'zod'
import { DEFAULT_CATEGORY, normaliseCategory } from '../../block/block.ts'
import { defined } from '../../block/text.ts'
import type { CallContext, Engine } from '../../engine/engine.ts'
import type { Draft } from '../../intake/admit.ts'
import {
  checkContent,
  checkCue,
  checkTags,
  claimedClass,
  instantOf,
  refuseIdentityTags,
  refuseProtectedTags,
  validityGiven,
} from '../../intake/check-input.ts'
import { replaceableBlocks } from '../may-replace.ts'
import * as schemas from '../schemas.ts'
import { derivedFrom, validityArguments, validityOfBlock } from '../schemas.ts'

/** The schema of one text to be remembered. */
export const thing = z.object({
  content: schemas.content,
  tags: schemas.tags.optional(),
  category: schemas.category.default(DEFAULT_CATEGORY),
  cue: schemas.cue.optional(),
  source: schemas.source.optional().describe('Who said it or where it comes from'),
  sourceClass: schemas.claimedClass.optional(),
  session: schemas.session.optional(),
  at: schemas.at.optional(),
  ...validityArguments,
  derivedFrom: derivedFrom.optional(),
  keepFrame: z
    .boolean()
    .default(false)
    .describe('Keep new words with what a recall showed among them, which is else refused'),
  supersedes: schemas.blockId
    .optional()
    .describe('The block whose place it takes: recall shows that one under it from now on'),
})

/** Result fields of one remembered text, the same in every form of remembering. */
export const remembered = {
  blockId: z.string(),
  status: z.enum(['created', 'duplicate']),
  pendingConsolidation: z.boolean().describe('True if the block still waits for a dream'),
  saidAgain: z
    .literal(true)
    .optional()
    .describe('The block that was there got another occurrence, which dates it'),
  mergedTags: z.array(z.string()).readonly().optional().describe('Tags the block that was there gained'),
  mergedCue: z.literal(true).optional().describe('The cue replaced that of the block that was there'),
  ...validityOfBlock,
  readFromText: z
    .array(z.enum(['validFrom', 'validUntil']).meta({ namesFields: true }))
    .readonly()
    .optional()
    .describe('Which of the two its own text says and nobody gave'),
  mergedValidity: z.literal(true).optional().describe('The dates replaced those of the block that was there'),
  refusedValidity: z
    .literal(true)
    .optional()
    .describe(
      'The dates were not taken, because the block that was there is trusted more; its owner may edit it',
    ),
  activeDuplicateOf: z.string().optional().describe('The active block that says the same already'),
  supersedes: z
    .string()
    .optional()
    .describe(
      'The block whose place it takes or is to take; also one over which words that were said again hold again',
    ),
  proposed: z
    .literal(true)
    .optional()
    .describe('That block is trusted more: recall shows both until the owner decides with resolve'),
  raisedFrom: schemas.sourceClass
    .optional()
    .describe('Who spoke in the block that was there before the owner said the same; now it is the owner’s'),
  supersededBy: z
    .string()
    .optional()
    .describe('The newer block that recall shows in place of the one that was there'),
  echoOf: z
    .string()
    .optional()
    .describe('It only says again what a recall showed of this block; nothing was added'),
  leftOut: schemas.leftOut.optional(),
  derivedFrom: z.array(z.string()).optional().describe('The blocks it was noted to rest on'),
  restsOnReplaced: z
    .array(z.string())
    .optional()
    .describe('Blocks that rest on what it takes the place of, at most 20: they may be wrong now'),
  mayReplace: replaceableBlocks.optional(),
  datedBefore: z
    .literal(true)
    .optional()
    .describe('By its date that block is the newer: recall shows it until resolve'),
}

type Thing = z.output<typeof thing>
/** The answer about one remembered text. */
export type Remembered = z.output<z.ZodObject<typeof remembered>>

/** Returns the draft of a caller's input. Throws if the input is wrong; asks no store. */
export function draftOf(engine: Engine, context: CallContext, input: Thing): Draft {
  const { memory } = engine.settings
  checkContent(input.content, memory)
  if (input.cue !== undefined) checkCue(input.cue)
  const tags = checkTags(input.tags ?? [])
  refuseProtectedTags(tags)
  const category = normaliseCategory(input.category)
  const sourceClass = claimedClass(engine, context, { ...input, tags, category })
  refuseIdentityTags(tags, sourceClass)
  return {
    content: input.content,
    tags,
    category,
    sourceClass,
    occurs: true,
    ...(input.keepFrame ? { keepFrame: true as const } : {}),
    ...validityGiven(input),
    ...defined({
      cue: input.cue || undefined,
      source: input.source || undefined,
      session: input.session || undefined,
      occurredAt: input.at === undefined ? undefined : instantOf(input.at),
    }),
  }
}
