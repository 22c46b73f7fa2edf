import * as z from 'zod'
import { type Block, DEFAULT_CATEGORY, mayCover, normaliseCategory } from '../../block/block.ts'
import { defined } from '../../block/text.ts'
import { endOf, isNewer, knownValidity, validityIn, validityWords } from '../../block/validity.ts'
import { dreamAdvice } from '../../dream/rest.ts'
import { type CallContext, type Engine, type Mutation, mutate } from '../../engine/engine.ts'
import { type Admitted, admitAll, type Draft, forItem, formerOf, saidAgain } from '../../intake/admit.ts'
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
import { type Meant, withoutEcho } from '../../intake/echo.ts'
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
import { derivedFrom, restingSentence, restingWords, validityArguments, validityFields } from '../schemas.ts'
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
  ...validityFields,
  refused: z
    .array(z.enum(['dates', 'expect']))
    .readonly()
    .optional()
    .describe('What was not taken, because the block that was there is trusted more'),
  supersedes: z.string().optional().describe('The block whose place it takes, or is to take'),
  proposed: z
    .literal(true)
    .optional()
    .describe('That block is trusted more: recall shows both until the owner decides with resolve'),
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
      'For many at once use rememberMany(). For a document use learnDocument(). For a principle use setup(). For a correction use edit().',
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
    const result = await mutate(engine, context, async (mutation) => {
      const { tx, log } = mutation
      const [taken] = await takeIn(engine, mutation, [{ draft, supersedes, derivedFrom }])
      const { admitted, remembered: done, said } = taken as NonNullable<typeof taken>
      const isAsked = supersedes === undefined && done.echoOf === undefined && done.supersededBy === undefined
      const [found, waiting] = await Promise.all([
        isAsked ? replaceableByWords(engine, tx, admitted.block) : [],
        readWaiting(tx),
        log(entryOf(admitted, done)),
      ])
      const mayReplace = found.map((each) => toReplaceable(done.blockId, each))
      const { pending, shouldDream } = dreamAdvice(engine, waiting)
      const more = sentences(
        ...mayReplace.map((each) => `${mayReplaceSentence(each)}.`),
        dreamHint({ pending, shouldDream }),
      )
      return {
        ...{ ...done, ...(mayReplace.length > 0 ? { mayReplace } : {}) },
        ...{ pending, shouldDream, visible: true as const, summary: sentences(said, more) },
      }
    })
    if (result.status === 'created') engine.session.noteLearned(result.blockId)
    return result
  },
})

/** Says what became of a text: where it is, what it changed, and what was not done. */
function sentencesOf(
  { block, ...admitted }: Admitted,
  done: Remembered,
  { isDatedBefore, wanted }: { readonly isDatedBefore: boolean; readonly wanted: string | undefined },
): string {
  const id = shortId(block.id)
  const { mergedTags = [], refused = [], supersededBy, restsOnReplaced = [], echoOf } = done
  const gained = [
    ...(mergedTags.length > 0 ? [`the tags ${mergedTags.join(', ')}`] : []),
    ...(admitted.mergedCue ? ['the cue'] : []),
    ...(admitted.mergedValidity ? ['the dates'] : []),
  ]
  const read = validityIn(block.content)
  const { fromBy, untilBy, ...dates } = knownValidity(block, read)
  const isDated = dates.validFrom !== undefined || dates.validUntil !== undefined
  return sentences(
    echoOf === undefined
      ? statusSentence(done, id)
      : `That is what the memory said itself (${shortId(echoOf)}), which stays fresh for it; no copy was made.`,
    leftOutSentence(done.leftOut),
    gained.length > 0 && `It took over ${gained.join(' and ')}.`,
    admitted.raisedFrom &&
      `It was of class ${admitted.raisedFrom}; as the owner says it too, it is the owner's now.`,
    isDated &&
      `It holds ${validityWords(dates)}${[fromBy, untilBy].includes('text') ? ', as its text says' : ''}.`,
    refused.length > 0 &&
      `Not taken, because these words are trusted more than yours: ${refused.join(', ')}.`,
    placeSentence(done),
    restingSentence(restsOnReplaced),
    isDatedBefore && 'By its date that one is the newer, so recall shows it until then.',
    wanted !== undefined &&
      done.supersedes === undefined &&
      `That it is to take the place of ${shortId(wanted)} was not noted, because the text was there already; forget() ${shortId(wanted)} if it is no longer true.`,
    supersededBy !== undefined &&
      `But ${shortId(supersededBy)} took its place since. If it holds again, remember it with supersedes: '${shortId(supersededBy)}'.`,
  )
}

function statusSentence({ status, saidAgain }: Remembered, id: string): string {
  if (status === 'created') return `Remembered as ${id}; recall() finds it.`
  return `Known already as ${id}; ${saidAgain ? 'noted that it was said again' : 'nothing was added'}.`
}

function placeSentence({ status, supersedes, proposed }: Remembered): string {
  if (supersedes === undefined) return ''
  const id = shortId(supersedes)
  if (proposed)
    return `${id} is trusted more, so this only proposes to take its place: recall shows both until the owner decides with resolve().`
  return status === 'duplicate'
    ? `It holds again in the place of ${id}; resolve() archives that one.`
    : `It is to take the place of ${id}: after the dream decide with resolve().`
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
  /** The place of the item among those that the caller gave, if a refusal is to name it. */
  readonly index?: number
  readonly draft: Draft
  readonly supersedes: string | undefined
  /** Ids or prefixes of the blocks that it rests on. */
  readonly derivedFrom?: readonly string[] | undefined
}

/** The result for an item. */
interface Taken {
  readonly admitted: Admitted
  readonly remembered: Remembered
  /** Sentences on what became of the text. */
  readonly said: string
}

/** Takes items into the inbox, in an open transaction: what only echoes is not copied, what is replaced makes way. */
export async function takeIn(engine: Engine, mutation: Mutation, items: readonly Item[]): Promise<Taken[]> {
  const { tx, moment } = mutation
  const meant: Meant[] = []
  for (const { draft } of items) meant.push(await withoutEcho(engine, mutation, draft))
  const replaced = await replacedBy(engine, tx, items)
  const grounds = await givenGrounds(tx, items)
  const drafts = meant.map(({ draft }, i) => ({ ...draft, ...defined({ supersedes: replaced[i]?.id }) }))
  const admitted = await admitAll(engine, mutation, { drafts, ...defined({ first: items[0]?.index }) })
  for (const [i, { block }] of admitted.entries()) {
    const older = replaced[i]
    if (older) forItem(items[i]?.index, () => refuseItself(block, [older.id], 'supersedes'))
  }
  const places = await saidAgain(mutation, admitted, replaced)
  const taking = admitted.map(({ block, created }, i) =>
    created && block.supersedes === replaced[i]?.id ? replaced[i] : undefined,
  )
  const resting = taking.some(Boolean)
    ? await endAll(mutation, admitted, taking)
    : new Map<string, string[]>()
  const noted = admitted.map((each, i) =>
    meant[i]?.echoOf.length === 0 ? restingNow(items[i] as Item, each, grounds[i] ?? []) : [],
  )
  const expecting = admitted.flatMap((each, i) => {
    const { draft, index } = items[i] as Item
    return draft.expects ? [{ ...each, draft, index }] : []
  })
  const refused = expecting.length > 0 ? await expectAll(mutation, expecting) : undefined
  await saveGrounds(
    tx,
    noted.flatMap((ids, i) =>
      ids.map((ground) => ({
        blockId: admitted[i]?.block.id as string,
        ...{ ground, foundBy: 'given' as const, createdAt: moment.at },
      })),
    ),
  )
  return admitted.map((each, i) => {
    const { supersedes: wanted } = items[i] as Item
    const [older, { over, under } = {}] = [replaced[i], places[i]]
    const { isDatedBefore, ...place } = placeOf(each.block, older, over)
    const { echoOf: [echoOf] = [], leftOut } = meant[i] as Meant
    const isExpectationRefused = refused?.has(each.block.id) === true
    const done = rememberedAs(each, {
      ...{ ...place, echoOf, leftOut },
      supersededBy: older === undefined ? under : undefined,
      refused: [
        ...(each.refusedValidity ? ['dates' as const] : []),
        ...(isExpectationRefused ? ['expect' as const] : []),
      ],
      derivedFrom: [...(noted[i] ?? [])],
      restsOnReplaced: [...(resting.get(older?.id ?? '') ?? [])],
    })
    return { admitted: each, remembered: done, said: sentencesOf(each, done, { isDatedBefore, wanted }) }
  })
}

/** Returns the block whose place another takes or is to take. */
function placeOf(block: Block, older: Block | undefined, over: string | undefined) {
  const supersedes = over ?? (older?.id === block.supersedes ? older?.id : undefined)
  if (older === undefined || supersedes !== older.id) return { supersedes, isDatedBefore: false }
  if (!mayCover(block, older)) return { supersedes, proposed: true as const, isDatedBefore: false }
  return { supersedes, isDatedBefore: isNewer(older, block) }
}

/** Returns the grounds of an admitted block from now on; a draft that is trusted less adds nothing to one that was there. */
function restingNow(
  { index, draft }: Item,
  { block, created }: Admitted,
  grounds: readonly string[],
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
export async function givenGrounds(tx: ReadTransaction, items: readonly Item[]): Promise<string[][]> {
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
): Promise<readonly (Block | undefined)[]> {
  const given = items.flatMap(({ supersedes }) => supersedes ?? [])
  if (given.length === 0) return []
  const replaceable = await readReplaceable(engine, tx, given)
  return items.map(({ index, supersedes }) =>
    supersedes === undefined ? undefined : forItem(index, () => replaceable(supersedes)),
  )
}

/** Returns the public result for an admitted block, without lists that are empty. */
function rememberedAs(
  { block, created, occurrence, mergedTags }: Admitted,
  more: { readonly [Field in keyof Remembered]?: Remembered[Field] | undefined },
): Remembered {
  const { fromBy: _from, untilBy: _until, ...dates } = knownValidity(block, validityIn(block.content))
  const told = { mergedTags, saidAgain: occurrence && (true as const), ...more }
  const said = Object.entries(told).filter(([, value]) => !(Array.isArray(value) && value.length === 0))
  return {
    blockId: block.id,
    status: created ? 'created' : 'duplicate',
    pendingConsolidation: block.status === 'inbox',
    ...(block.validFrom === undefined && endOf(block) === undefined ? {} : dates),
    ...defined(Object.fromEntries(said) as typeof told),
  }
}
