import * as z from 'zod'
import type { Block } from '../../domain/block/block.ts'
import { DEFAULT_CATEGORY, normaliseCategory } from '../../domain/block/category.ts'
import { isLessTrusted } from '../../domain/block/source-class.ts'
import { isLaterWord } from '../../domain/block/standing.ts'
import { knownValidity } from '../../domain/block/validity.ts'
import { validityIn } from '../../domain/block/validity-in-text.ts'
import { defined } from '../../domain/text/text.ts'
import { endReplaced } from '../../flow/blocks/supersede.ts'
import type { CallContext, Engine } from '../../flow/engine/engine.ts'
import type { Mutation } from '../../flow/engine/mutate.ts'
import {
  checkContent,
  checkCue,
  checkTags,
  instantOf,
  refuseIdentityTags,
  refuseProtectedTags,
  validityGiven,
} from '../../flow/guard/check-input.ts'
import { claimedClass, isLabelOnly } from '../../flow/guard/claimed-class.ts'
import type { Admitted, Draft } from '../../flow/intake/admit.ts'
import { withoutEcho } from '../../flow/intake/echo.ts'
import {
  makeWay,
  nameLaterLives,
  readReplaceable,
  refuseItself,
  replacementsOf,
} from '../../flow/intake/superseding.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import * as schemas from '../schemas.ts'
import { validityArguments, validityOfBlock } from '../validity.ts'

/** One thing to be remembered. */
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
  keepFrame: z
    .boolean()
    .default(false)
    .describe('Keep a text that holds what a recall showed and new words besides; else it is refused'),
  supersedes: schemas.blockId
    .optional()
    .describe(
      'The block whose place this one is to take: recall shows this one, with the other under it; after the next dream resolve archives the other',
    ),
})

/** Result fields of one remembered text, the same in every form of remembering. */
export const remembered = {
  blockId: z.string(),
  status: z.enum(['created', 'duplicate']),
  pendingConsolidation: z.boolean().describe('Whether the block still waits for a dream'),
  mergedTags: z.array(z.string()).readonly().optional().describe('Tags the block that was there gained'),
  mergedCue: z.literal(true).optional().describe('The cue replaced that of the block that was there'),
  ...validityOfBlock,
  readFromText: z
    .array(z.enum(['validFrom', 'validUntil']))
    .readonly()
    .optional()
    .describe('Which of the two its own text says and nobody gave'),
  mergedValidity: z.literal(true).optional().describe('The dates replaced those of the block that was there'),
  activeDuplicateOf: z.string().optional().describe('The active block that says the same already'),
  supersedes: z
    .string()
    .optional()
    .describe(
      'The block whose place it is to take; absent when the text was there already without that note',
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
  mayReplace: z
    .array(z.object({ id: z.string(), content: z.string(), why: z.enum(['changed', 'other_value']) }))
    .optional()
    .describe(
      'Blocks whose place it seems to take, by its words (changed: it tells of change; other_value: it begins alike and goes on otherwise): if it does, resolve with keep b archives one of them',
    ),
  datedBefore: z
    .literal(true)
    .optional()
    .describe('By its date that block is the newer: recall shows it until resolve'),
}

type Thing = z.output<typeof thing>
type Remembered = z.output<z.ZodObject<typeof remembered>>

/** A thing to be remembered, checked. */
export interface Item {
  /** Its place in what the caller gave. */
  readonly index: number
  readonly draft: Draft
  readonly supersedes: string | undefined
}

/** Throws what is wrong with a caller's input; asks no store. */
export function draftOf(engine: Engine, context: CallContext, input: Thing): Draft {
  const { memory } = engine.settings
  checkContent(input.content, memory)
  if (input.cue !== undefined) checkCue(input.cue, memory)
  const tags = checkTags(input.tags ?? [], memory)
  refuseProtectedTags(tags)
  const category = normaliseCategory(input.category)
  const sourceClass = claimedClass(engine, context, { ...input, tags, category })
  refuseIdentityTags(tags, sourceClass)
  return {
    content: input.content,
    tags,
    category,
    sourceClass,
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

/** What came of an item. */
interface Taken {
  readonly admitted: Admitted
  readonly remembered: Remembered
}

/** How items are taken in: alone or among many. */
interface Taking {
  readonly admit: (drafts: readonly Draft[]) => Promise<Admitted[]>
  /** Does what is to be done for the item with an index; says for which when it fails. */
  readonly forItem: <T>(index: number, work: () => T) => T
}

/** Takes items into the inbox, in an open transaction: what only echoes is not copied, what is replaced makes way. */
export async function takeIn(
  engine: Engine,
  mutation: Mutation,
  items: readonly Item[],
  { admit, forItem }: Taking,
): Promise<Taken[]> {
  const { tx } = mutation
  const meant: Awaited<ReturnType<typeof withoutEcho>>[] = []
  for (const { draft } of items) meant.push(await withoutEcho(engine, mutation, draft))
  const replaced = await replacedBy(engine, tx, items, forItem)
  const wanted = meant.map(({ draft }, i) => ({
    draft: { ...draft, ...defined({ supersedes: replaced[i]?.id }) },
    replaced: replaced[i],
  }))
  const { drafts, earlier } = replaced.some(Boolean)
    ? await makeWay(engine, mutation, wanted)
    : { drafts: wanted.map(({ draft }) => draft), earlier: [] }
  const admitted = await admit(drafts)
  for (const [i, { block }] of admitted.entries()) {
    const older = replaced[i]
    if (older) forItem(items[i]?.index ?? i, () => refuseItself(older, block))
  }
  if (earlier.length > 0) await nameLaterLives(tx, earlier, admitted)
  if (replaced.some(Boolean))
    await endReplaced(
      tx,
      admitted.flatMap(({ block }, i) => (block.supersedes === replaced[i]?.id ? [block] : [])),
    )
  const known = admitted.filter(({ created }) => !created).map(({ block }) => block)
  const newer = known.length > 0 ? await replacementsOf(tx, known) : new Map<string, Block>()
  return admitted.map((each, i) => ({
    admitted: each,
    remembered: rememberedAs(each, { replaced: replaced[i], echoOf: meant[i]?.echoOf ?? [], newer }),
  }))
}

/** For each item the block it is to take the place of. No statement when none is to. */
export async function replacedBy(
  engine: Engine,
  tx: StoreReader,
  items: readonly Item[],
  forItem: Taking['forItem'],
): Promise<readonly (Block | undefined)[]> {
  const given = items.flatMap(({ supersedes }) => supersedes ?? [])
  if (given.length === 0) return []
  const replaceable = await readReplaceable(engine, tx, given)
  return items.map(({ index, supersedes }) =>
    supersedes === undefined ? undefined : forItem(index, () => replaceable(supersedes)),
  )
}

/** What else is known about an admitted block. */
interface Circumstances {
  /** The block it was to take the place of. */
  readonly replaced: Block | undefined
  /** Ids of the blocks of which it says again what was shown. */
  readonly echoOf: readonly string[]
  /** What took the place of blocks that were there, by their ids. */
  readonly newer: ReadonlyMap<string, Block>
}

/** Returns the public result for an admitted block. */
function rememberedAs(
  { block, created, mergedTags, mergedCue, mergedValidity, raisedFrom }: Admitted,
  { replaced, echoOf: [echoOf], newer }: Circumstances,
): Remembered {
  const supersededBy = newer.get(block.id)?.id
  const noted = replaced !== undefined && block.supersedes === replaced.id
  const proposed = noted && isLessTrusted(block.sourceClass, replaced.sourceClass)
  return {
    blockId: block.id,
    status: created ? 'created' : 'duplicate',
    pendingConsolidation: block.status === 'inbox',
    ...(mergedTags.length > 0 ? { mergedTags } : {}),
    ...(mergedCue ? { mergedCue: true } : {}),
    ...validityOf(block),
    ...(mergedValidity ? { mergedValidity } : {}),
    ...(!created && block.status === 'active' ? { activeDuplicateOf: block.id } : {}),
    ...(noted ? { supersedes: replaced.id } : {}),
    ...(proposed ? { proposed: true } : {}),
    ...defined({ raisedFrom, supersededBy: created ? undefined : supersededBy, echoOf }),
    ...(noted && !proposed && isLaterWord(replaced, block) ? { datedBefore: true } : {}),
  }
}

/** When a block holds, and which of it is a reading of its text. */
function validityOf(block: Block) {
  const { fromBy, untilBy, ...known } = knownValidity(block, validityIn(block.content))
  const readFromText = [
    ...(fromBy === 'text' ? (['validFrom'] as const) : []),
    ...(untilBy === 'text' ? (['validUntil'] as const) : []),
  ]
  return { ...known, ...(readFromText.length > 0 ? { readFromText } : {}) }
}

/** Says of texts whose source means the owner that it only labels them, because another calls; empty when none does. */
export function labelSentence(
  engine: Engine,
  context: CallContext,
  texts: readonly Parameters<typeof isLabelOnly>[2][],
): string {
  const labelled = texts.filter((text) => isLabelOnly(engine, context, text)).length
  if (labelled === 0) return ''
  const which =
    texts.length === 1 ? 'The source means the owner and' : `Of ${labelled} the source means the owner and`
  return `${which} is kept as a label: you call as an agent, so the words count as the agent's.`
}
