import * as z from 'zod'
import { type Block, DEFAULT_CATEGORY, mayCover, normaliseCategory } from '../../block/block.ts'
import { defined } from '../../block/text.ts'
import { endOf, isNewer, knownValidity, validityIn, validityWords } from '../../block/validity.ts'
import { dreamAdvice } from '../../dream/rest.ts'
import { type CallContext, type Engine, type Mutation, mutate } from '../../engine/engine.ts'
import { type Admitted, admitAll, type Draft, formerOf, saidAgain } from '../../intake/admit.ts'
import {
  checkContent,
  checkCue,
  checkTags,
  claimedClass,
  instantOf,
  readIds,
  refuseIdentityTags,
  refuseProtectedTags,
  validityGiven,
} from '../../intake/check-input.ts'
import { type EchoCount, type Meant, withoutEcho } from '../../intake/echo.ts'
import {
  endReplaced,
  readReplaceable,
  readResting,
  refuseItself,
  replaceableByWords,
} from '../../intake/supersede.ts'
import { expectAll, expectationOf } from '../../outcome/predictions.ts'
import { readWaiting, saveGrounds } from '../../store/blocks.ts'
import type { ReadTransaction } from '../../store/transaction.ts'
import { mayReplaceSentence, replaceableBlocks, toReplaceable } from '../may-replace.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { derivedFrom, restingSentence, restingWords, validityArguments, validityOfBlock } from '../schemas.ts'
import { dreamHint, leftOutSentence, sentences, shortId } from '../wording.ts'

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
  expect: schemas.expect.optional(),
  keepFrame: z
    .boolean()
    .default(false)
    .describe('Keep new words with what a recall showed among them, which is else refused')
    .meta({ unlisted: true }),
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
    .describe('The dates were not taken, because the block that was there is trusted more'),
  supersedes: z.string().optional().describe('The block whose place it takes, or is to take'),
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
  refusedExpectation: z
    .literal(true)
    .optional()
    .describe('expect was not taken, because the block that was there is trusted more'),
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
  const occurredAt = input.at === undefined ? undefined : instantOf(input.at)
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
      occurredAt,
      expects:
        input.expect && expectationOf(input.expect, occurredAt ?? new Date(engine.clock.now()).toISOString()),
    }),
  }
}

/** Returns the id of the new block, or of the block that says the same already. */
export const remember = defineScopedOperation({
  name: 'remember',
  summary: 'Put one thing worth keeping into the inbox.',
  guide: {
    when: 'You learned what a later session should know: a fact, a decision and its reason, a preference.',
    whenNot:
      'Many things: rememberMany(). A document: learnDocument(). A principle: setup(). A correction: edit().',
    next: 'dream() when the answer says shouldDream. recall() finds it at once. After superseding: resolve().',
    example: "await memory.remember({ content: 'Releases go out on Tuesdays.', tags: ['project/atlas'] })",
  },
  tools: 'verbs',
  isAlwaysShown: true,
  needs: 'agent',
  effect: 'write',
  makesMemory: true,
  cost: 'instant',
  idempotent: false,
  refuses: ['NOT_FOUND', 'AMBIGUOUS_ID', 'WRONG_STATUS', 'PROTECTED', 'FRAME_IN_TEXT', 'CONFLICT'],
  input: thing,
  output: z.object({
    ...remembered,
    ...schemas.takenIn,
  }),
  positionals: ['content'],
  ownerOnly: { sourceClass: ['user'] },
  // One durable write, no model.
  run: async (engine, input, context) => {
    const { supersedes, derivedFrom } = input
    const draft = draftOf(engine, context, input)
    const items = [{ index: 0, draft, supersedes, derivedFrom }]
    const result = await mutate(engine, context, async (mutation) => {
      const { tx, log } = mutation
      const [taken] = await takeIn(engine, mutation, items, {
        admit: (drafts) => admitAll(engine, mutation, { drafts }),
        forItem: (_index, work) => work(),
      })
      const { admitted, remembered: done } = taken as NonNullable<typeof taken>
      const isAsked = supersedes === undefined && done.echoOf === undefined && done.supersededBy === undefined
      const [found, waiting] = await Promise.all([
        isAsked ? replaceableByWords(engine, tx, admitted.block) : [],
        readWaiting(tx),
        log(entryOf(admitted, done)),
      ])
      const mayReplace = found.map((each) => toReplaceable(done.blockId, each))
      const { pending, shouldDream } = dreamAdvice(engine, waiting)
      return { ...done, ...(mayReplace.length > 0 ? { mayReplace } : {}), pending, shouldDream }
    })
    if (result.status === 'created') engine.session.noteLearned(result.blockId)
    return { ...result, visible: true as const, summary: summaryOf(result, supersedes) }
  },
})

type Result = Remembered & { readonly pending: number; readonly shouldDream: boolean }

function summaryOf(result: Result, wanted: string | undefined): string {
  const id = shortId(result.blockId)
  return sentences(
    result.echoOf === undefined
      ? statusSentence(result, id)
      : `That is what the memory said itself (${shortId(result.echoOf)}), which stays fresh for it; no copy was made.`,
    leftOutSentence(result.leftOut),
    mergeSentence(result),
    raiseSentence(result),
    validitySentence(result),
    result.refusedValidity &&
      'Your dates were not taken, because these words are trusted more than yours; whoever said them may edit() them.',
    result.refusedExpectation &&
      'Your expectation was not taken, because these words are trusted more than yours.',
    placeSentence(result),
    restingSentence(result.restsOnReplaced ?? []),
    ...(result.mayReplace ?? []).map((each) => `${mayReplaceSentence(each)}.`),
    result.datedBefore && 'By its date that one is the newer, so recall shows it until then.',
    wanted !== undefined &&
      result.supersedes === undefined &&
      `That it is to take the place of ${shortId(wanted)} was not noted, because the text was there already; forget() ${shortId(wanted)} if it is no longer true.`,
    result.supersededBy !== undefined &&
      `But ${shortId(result.supersededBy)} took its place since. If it holds again, remember it with supersedes: '${shortId(result.supersededBy)}'.`,
    dreamHint(result),
  )
}

function statusSentence({ status, pendingConsolidation, saidAgain }: Result, id: string): string {
  if (status === 'created') return `Remembered as ${id}; recall() finds it.`
  if (saidAgain) return `Known already as ${id}; noted that it was said again.`
  return pendingConsolidation
    ? `Waiting already as ${id}; nothing was added.`
    : `Known already as ${id}; nothing was queued.`
}

function raiseSentence({ raisedFrom }: Result): string {
  return raisedFrom === undefined
    ? ''
    : `It was of class ${raisedFrom}; as the owner says it too, it is the owner's now.`
}

function placeSentence({ status, supersedes, proposed }: Result): string {
  if (supersedes === undefined) return ''
  const id = shortId(supersedes)
  if (status === 'duplicate' && !proposed)
    return `It holds again in the place of ${id}; resolve() archives that one.`
  return proposed
    ? `${id} is trusted more, so this only proposes to take its place: recall shows both until the owner decides with resolve().`
    : `It is to take the place of ${id}: after the dream decide with resolve().`
}

/** Returns when the block holds, if anything says so; of a block that was there too, since what it says may have ended. */
function validitySentence({ validFrom, validUntil, readFromText = [] }: Result): string {
  if (validFrom === undefined && validUntil === undefined) return ''
  const by = readFromText.length > 0 ? ', as its text says' : ''
  return `It holds ${validityWords({ validFrom, validUntil })}${by}.`
}

function mergeSentence({ mergedTags = [], mergedCue, mergedValidity }: Result): string {
  const gained = [
    ...(mergedTags.length > 0 ? [`the tags ${mergedTags.join(', ')}`] : []),
    ...(mergedCue ? ['the cue'] : []),
    ...(mergedValidity ? ['the dates'] : []),
  ]
  return gained.length === 0 ? '' : `It took over ${gained.join(' and ')}.`
}

function entryOf(
  { block, created, before, raisedFrom }: Admitted,
  { supersedes, proposed, restsOnReplaced = [] }: Remembered,
) {
  const what = created ? 'a new block' : 'a block says the same already'
  const changed = before ? formerOf(before) : undefined
  const raised = raisedFrom === undefined ? '' : `; it was of class ${raisedFrom}, and the owner says it too`
  const place =
    supersedes === undefined ? '' : `; ${proposed ? 'it is proposed' : 'it is'} to take the place of another`
  return {
    operation: 'remember',
    // What rests on what it replaces has this in its history, too.
    blockIds: [block.id, ...(supersedes === undefined ? [] : [supersedes]), ...restsOnReplaced],
    summary: `${what}${raised}${place}${restingWords(restsOnReplaced)}`,
    ...(changed ? { before: changed } : {}),
  }
}

/** A thing to be remembered, checked. */
export interface Item {
  /** The place of the item in what the caller gave. */
  readonly index: number
  readonly draft: Draft
  readonly supersedes: string | undefined
  /** Ids or prefixes of the blocks that it rests on. */
  readonly derivedFrom?: readonly string[] | undefined
}

/** The result for an item. */
interface Taken {
  readonly admitted: Admitted
  readonly remembered: Remembered
}

/** The functions that differ between one item and many. */
interface Taking {
  readonly admit: (drafts: readonly Draft[]) => Promise<Admitted[]>
  /** Runs work for the item with an index; says for which when it fails. */
  readonly forItem: <T>(index: number, work: () => T) => T
}

/** Takes items into the inbox, in an open transaction: what only echoes is not copied, what is replaced makes way. */
export async function takeIn(
  engine: Engine,
  mutation: Mutation,
  items: readonly Item[],
  { admit, forItem }: Taking,
): Promise<Taken[]> {
  const { tx, moment } = mutation
  const meant: Meant[] = []
  for (const { draft } of items) meant.push(await withoutEcho(engine, mutation, draft))
  const replaced = await replacedBy(engine, tx, items, forItem)
  const grounds = await givenGrounds(tx, items, forItem)
  const drafts = meant.map(({ draft }, i) => ({ ...draft, ...defined({ supersedes: replaced[i]?.id }) }))
  const admitted = await admit(drafts)
  for (const [i, { block }] of admitted.entries()) {
    const older = replaced[i]
    if (older) forItem(items[i]?.index ?? i, () => refuseItself(block, [older.id], 'supersedes'))
  }
  const places = await saidAgain(mutation, admitted, replaced)
  const taking = admitted.map(({ block, created }, i) =>
    created && block.supersedes === replaced[i]?.id ? replaced[i] : undefined,
  )
  const resting = taking.some(Boolean)
    ? await endAll(mutation, admitted, taking)
    : new Map<string, string[]>()
  const noted = admitted.map((each, i) =>
    meant[i]?.echoOf.length === 0
      ? restingNow(items[i] as Item, each, { grounds: grounds[i] ?? [], forItem })
      : [],
  )
  const expecting = admitted.flatMap((each, i) => {
    const { draft, index } = items[i] as Item
    return draft.expects ? [{ ...each, draft, index }] : []
  })
  const refused = expecting.length > 0 ? await expectAll(mutation, expecting, forItem) : undefined
  await saveGrounds(
    tx,
    noted.flatMap((ids, i) =>
      ids.map((ground) => ({
        blockId: admitted[i]?.block.id as string,
        ...{ ground, foundBy: 'given' as const, createdAt: moment.at },
      })),
    ),
  )
  return admitted.map((each, i) => ({
    admitted: each,
    remembered: rememberedAs(each, {
      ...{ replaced: replaced[i], place: places[i] ?? {}, echoOf: meant[i]?.echoOf ?? [] },
      leftOut: meant[i]?.leftOut,
      isExpectationRefused: refused?.has(each.block.id) === true,
      ...{ grounds: noted[i] ?? [], resting: resting.get(replaced[i]?.id ?? '') ?? [] },
    }),
  }))
}

/** Returns the grounds of an admitted block from now on; a draft that is trusted less adds nothing to one that was there. */
function restingNow(
  { index, draft }: Item,
  { block, created }: Admitted,
  { grounds, forItem }: { readonly grounds: readonly string[]; readonly forItem: Taking['forItem'] },
): readonly string[] {
  if (grounds.length === 0) return []
  forItem(index, () => refuseItself(block, grounds, 'derivedFrom'))
  return created || mayCover(draft, block) ? grounds : []
}

/** Ends the blocks that are replaced; returns what rests on it, by its id. */
async function endAll(
  mutation: Mutation,
  admitted: readonly Admitted[],
  taking: readonly (Block | undefined)[],
): ReturnType<typeof readResting> {
  const { tx, moment } = mutation
  const pairs = admitted.flatMap(({ block: newer }, i) => (taking[i] ? [{ newer, older: taking[i] }] : []))
  await endReplaced(
    tx,
    pairs.map(({ newer }) => newer),
  )
  const ending = pairs.filter(({ newer, older }) => mayCover(newer, older))
  const now = ending.filter(({ newer: { validFrom } }) => validFrom === undefined || validFrom <= moment.at)
  return readResting(
    tx,
    now.map(({ older }) => older.id),
    moment.at,
  )
}

/** Returns for each item the whole ids of the blocks that it is said to rest on. No statement when nothing is said. */
export async function givenGrounds(
  tx: ReadTransaction,
  items: readonly Item[],
  forItem: Taking['forItem'],
): Promise<string[][]> {
  const given = items.flatMap(({ derivedFrom: ids = [] }) => ids)
  if (given.length === 0) return items.map(() => [])
  const { idOf } = await readIds(tx, given)
  return items.map(({ index, derivedFrom: ids = [] }) => forItem(index, () => [...new Set(ids.map(idOf))]))
}

/** Returns for each item the block that it is to replace. No statement when none is to. */
export async function replacedBy(
  engine: Engine,
  tx: ReadTransaction,
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

/** The other facts about an admitted block: what it was to replace, where it stands now, what it repeats and rests on. */
interface Circumstances {
  readonly replaced: Block | undefined
  readonly place: { readonly over?: string; readonly under?: string }
  readonly echoOf: readonly string[]
  readonly leftOut: EchoCount | undefined
  readonly isExpectationRefused: boolean
  readonly grounds: readonly string[]
  readonly resting: readonly string[]
}

/** Returns the public result for an admitted block. */
function rememberedAs(
  { block, created, occurrence, mergedCue, ...admitted }: Admitted,
  { replaced, place, echoOf: [echoOf], leftOut, isExpectationRefused, grounds, resting }: Circumstances,
): Remembered {
  const { mergedTags, mergedValidity, refusedValidity, raisedFrom } = admitted
  return {
    blockId: block.id,
    status: created ? 'created' : 'duplicate',
    pendingConsolidation: block.status === 'inbox',
    ...validityOf(block),
    ...placeOf(block, replaced, place.over),
    ...defined({
      ...{ mergedTags: unlessEmpty(mergedTags), mergedCue: mergedCue || undefined },
      ...{ mergedValidity, refusedValidity, raisedFrom, echoOf, leftOut },
      saidAgain: occurrence && (true as const),
      supersededBy: replaced === undefined ? place.under : undefined,
      refusedExpectation: isExpectationRefused || undefined,
      derivedFrom: unlessEmpty(grounds),
      restsOnReplaced: unlessEmpty(resting),
    }),
  }
}

function unlessEmpty(list: readonly string[]): string[] | undefined {
  return list.length === 0 ? undefined : [...list]
}

/** Returns the block whose place another takes or is to take. */
function placeOf(
  block: Block,
  replaced: Block | undefined,
  putOver: string | undefined,
): Pick<Remembered, 'supersedes' | 'proposed' | 'datedBefore'> {
  const supersedes = putOver ?? (replaced?.id === block.supersedes ? replaced?.id : undefined)
  if (replaced === undefined || supersedes !== replaced.id) return defined({ supersedes })
  if (!mayCover(block, replaced)) return { supersedes, proposed: true }
  return { supersedes, ...(isNewer(replaced, block) ? { datedBefore: true as const } : {}) }
}

/** Returns when a block holds, and which of its dates were read from its text. */
function validityOf(block: Block) {
  if (block.validFrom === undefined && endOf(block) === undefined) return {}
  const { fromBy, untilBy, ...known } = knownValidity(block, validityIn(block.content))
  const readFromText = [
    ...(fromBy === 'text' ? (['validFrom'] as const) : []),
    ...(untilBy === 'text' ? (['validUntil'] as const) : []),
  ]
  return { ...known, ...(readFromText.length > 0 ? { readFromText } : {}) }
}
