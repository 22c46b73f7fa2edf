import * as z from 'zod'
import { ITEM, TAGS_MOST, TURN } from '../../block/block.ts'
import { itemSession, LABEL_END, levelTags } from '../../block/item-place.ts'
import { count, defined, isStorable } from '../../block/text.ts'
import {
  type ItemWrite,
  listItems,
  listNamespaces,
  readItems,
  searchItems,
  writeItems,
} from '../../care/items.ts'
import type { CallContext, Engine } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import type { Draft } from '../../intake/admit.ts'
import { ITEM_BYTES, NAME_MAX, overLimit } from '../../intake/check-input.ts'
import { sumLeftOut } from '../../intake/echo.ts'
import { draftOf, thing } from '../intake/remember.ts'
import { defineScopedOperation, forPrograms } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { leftOutSentence, sentences } from '../wording.ts'

/** The most levels of lists and objects in a value; more could exceed the stack of a reader. */
const DEPTH_MAX = 100

const name = z.string().min(1).max(NAME_MAX).refine(isStorable, 'holds a NUL or half a character')
const label = name.refine((text) => !text.includes(LABEL_END), 'holds the sign that ends a label, U+001F')

/** The name of a space. */
const space = name.describe('What the item belongs to: the name of a program, or of a part of one')
/** The labels of a namespace. */
const namespace = z
  .array(label)
  .max(1_000)
  .default([])
  .describe('Labels from the outermost to the innermost; none at the root of the space')
/** The key of an item. */
const key = name.describe('Its name in the namespace; case counts')

/**
 * The schema of a value: any JSON but null, as it will be read again. What JSON cannot say is left out, or refused before anything
 * is stored.
 */
const value = z.unknown().transform((given, context): unknown => {
  if (given === undefined) return undefined
  const problem = problemOf(given)
  if (problem !== undefined) {
    context.addIssue({ code: 'custom', message: problem })
    return z.NEVER
  }
  const text = JSON.stringify(given)
  if (Buffer.byteLength(text) > ITEM_BYTES) {
    context.addIssue({ code: 'too_big', origin: 'file', maximum: ITEM_BYTES, input: given })
    return z.NEVER
  }
  return JSON.parse(text)
})

/** An item as an answer has it. */
export const item = z.object({
  space: z.string(),
  namespace: z.array(z.string()).readonly(),
  key: z.string(),
  value: z.unknown().describe('As it was put, read from JSON'),
  createdAt: z.string().describe('ISO-8601 UTC'),
  updatedAt: z.string().describe('ISO-8601 UTC'),
  version: z.int().describe('Counted from 1; each put adds one'),
})

/** A text that an item is found by. */
const text = thing
  .pick({ content: true, cue: true, source: true, sourceClass: true, session: true, at: true })
  .extend({
    category: z
      .enum([ITEM, TURN])
      .default(ITEM)
      .describe('turn: what was said in a conversation, which fades as other blocks do and is never shared'),
  })

const write = z.object({
  namespace,
  key,
  value: value.describe('Any JSON but null; absent: the item is deleted').optional(),
  texts: z
    .array(text.strict())
    .max(1_000)
    .default([])
    .describe('What it is to be found by; each becomes a block'),
  keepTexts: z.boolean().default(false).describe('Blocks that the item lets go of stay'),
  ifVersion: z.int().min(0).optional().describe('The version that it must have; 0: it must not be there'),
})

type Write = z.output<typeof write>

/** Puts and deletes named items, with the blocks they are found by, in one transaction. */
const writing = defineScopedOperation({
  name: 'writeItems',
  summary: 'Put and delete named items, all or none.',
  ...forPrograms(
    "await memory.items('notes').put({ key: 'tea', value: { hour: 4 }, texts: ['Tea is at four.'] })",
  ),
  needs: 'agent',
  effect: 'write',
  makesMemory: true,
  cost: 'instant',
  idempotent: true,
  refuses: ['PROTECTED', 'OWNER_ONLY', 'CONFLICT'],
  input: z.object({
    space,
    writes: z.array(write.strict()).min(1).max(10_000),
    undoable: z.boolean().default(true).describe('False: undo passes over it'),
  }),
  output: z.object({
    items: z
      .array(item.extend({ leftOut: schemas.leftOut.optional() }).optional())
      .readonly()
      .describe('For each write, the item as it is now; absent if it is gone'),
    wasThere: z.array(z.boolean()).readonly().describe('For each write, whether the item was there before'),
    forgotten: z.array(z.string()).readonly().describe('Blocks that no item has any more, by their ids'),
    redacted: schemas.redacted.optional(),
    summary: schemas.summary,
  }),
  ownerOnly: { writes: { texts: { sourceClass: ['user'] } } },
  run: async (engine, { space, writes, undoable }, context) => {
    const changes = writes.map((given): ItemWrite => changeOf(engine, context, space, given))
    const { items: kept, wasThere, forgotten, leftOut } = await writeItems(engine, context, changes, undoable)
    const items = kept.map((each, at) => each && { ...each, ...defined({ leftOut: leftOut[at] }) })
    const put = items.filter(Boolean).length
    const gone = wasThere.filter((was, at) => was && items[at] === undefined).length
    const summary = sentences(
      `${count(put, 'item')} put, ${gone} deleted.`,
      leftOutSentence(sumLeftOut(items.map((each) => each?.leftOut))),
    )
    return { items, wasThere, forgotten, summary }
  },
})

function changeOf(engine: Engine, context: CallContext, space: string, given: Write): ItemWrite {
  const { namespace, key, value, texts, keepTexts, ifVersion } = given
  const { sha256 } = engine.ids
  const place = { space, namespace, key }
  const tags = levelTags(place, sha256)
  mustHaveRoom(tags)
  const session = itemSession(place, sha256)
  const drafts = texts.map((text): Draft => {
    const said = { ...text, source: text.source ?? space, session: text.session ?? session, keepFrame: true }
    return { ...draftOf(engine, context, said), tags }
  })
  return { ...place, drafts, keepsTexts: keepTexts, ...defined({ value, ifVersion }) }
}

/** Throws if a namespace has more levels than a block may have tags: each level is a tag of the blocks. */
function mustHaveRoom(tags: readonly string[]): void {
  if (tags.length <= TAGS_MOST) return
  throw overLimit({
    ...{ what: 'namespace', found: tags.length - 1, limit: TAGS_MOST - 1, unit: 'labels' },
    recovery: 'Join some of its labels to one.',
  })
}

/** Reads named items by their exact keys. */
const reading = defineScopedOperation({
  name: 'readItems',
  summary: 'Read named items by their keys.',
  ...forPrograms("await memory.items('notes').get({ key: 'tea' })"),
  needs: 'reader',
  effect: 'read',
  cost: 'instant',
  idempotent: true,
  input: z.object({ space, places: z.array(z.strictObject({ namespace, key })).min(1).max(10_000) }),
  output: z.object({
    items: z.array(item.optional()).readonly().describe('The item at each place; absent where there is none'),
    summary: schemas.summary,
  }),
  run: async (engine, { space, places }) => {
    const items = await readItems(
      engine,
      places.map((place) => ({ space, ...place })),
    )
    return { items, summary: `${count(items.filter(Boolean).length, 'item')} found.` }
  },
})

/** Returns a page of a namespace and all inside it, in the order the items came. */
const listing = defineScopedOperation({
  name: 'listItems',
  summary: 'List the items of a namespace and of all inside it.',
  ...forPrograms("const { items } = await memory.items('notes').list({ namespace: ['tea'] })"),
  needs: 'reader',
  effect: 'read',
  cost: 'instant',
  idempotent: true,
  input: z.object({
    space,
    namespace,
    limit: z.int().min(1).max(1_000).default(100).describe('At most so many'),
    cursor: schemas.cursor.optional(),
  }),
  output: z.object({
    items: z.array(item).readonly(),
    cursor: z.string().optional().describe('Pass it to get the next page'),
    summary: schemas.summary,
  }),
  page: 'limit',
  run: async (engine, { space, namespace, limit, cursor }) => {
    const after = cursor === undefined ? undefined : placeIn(cursor)
    const { items, next } = await listItems(engine, { space, namespace }, { after, limit })
    const more = next === undefined ? undefined : String(next)
    return {
      items,
      ...defined({ cursor: more }),
      summary: sentences(`${count(items.length, 'item')}.`, more !== undefined && 'There are more.'),
    }
  },
})

function placeIn(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw new ElfmemError('INVALID_INPUT', 'The cursor is none that listItems returned.', {
    recovery: 'Pass the cursor of the page before, or leave it out to begin anew.',
  })
}

/** Returns the namespaces that hold items, in the order of their labels. */
const naming = defineScopedOperation({
  name: 'listNamespaces',
  summary: 'List the namespaces that hold items.',
  ...forPrograms("await memory.items('notes').namespaces()"),
  needs: 'reader',
  effect: 'read',
  cost: 'instant',
  idempotent: true,
  input: z.object({ space, namespace }),
  output: z.object({
    namespaces: z.array(z.array(z.string()).readonly()).readonly().describe('Each as its labels, once'),
    summary: schemas.summary,
  }),
  run: async (engine, within) => {
    const namespaces = await listNamespaces(engine, within)
    return { namespaces, summary: `${count(namespaces.length, 'namespace')}.` }
  },
})

/** Finds items by the meaning of their texts; what was just put is dreamed before. */
const searching = defineScopedOperation({
  name: 'searchItems',
  summary: 'Find named items by meaning.',
  ...forPrograms("await memory.items('notes').search({ query: 'When is tea?' })"),
  needs: 'reader',
  effect: 'write',
  cost: 'batch',
  idempotent: true,
  forReader: { dream: false },
  input: z.object({
    space,
    namespace,
    query: schemas.question.min(1).describe('What is looked for, in words'),
    limit: z.int().min(1).max(300).default(10).describe('At most so many'),
    offset: z.int().min(0).max(1_000).default(0).describe('So many of the best are left out'),
    dream: z.boolean().default(true).describe('Dream first, by rules alone, if texts of the namespace wait'),
  }),
  output: z.object({
    items: z
      .array(item.extend({ score: z.number().describe('Strength of its best text, 0 to 1') }))
      .readonly()
      .describe('The best first; what does not match at all is left out'),
    wordsOnly: z.string().optional().describe('Why words alone were looked for'),
    summary: schemas.summary,
  }),
  run: async (engine, { dream: dreams, ...search }, context) => {
    const { items, ...why } = await searchItems(engine, context, { ...search, dreams })
    const { wordsOnly } = why
    const told = wordsOnly !== undefined && `Words alone were looked for: ${wordsOnly}.`
    return { items, ...why, summary: sentences(`${count(items.length, 'item')} found.`, told) }
  },
})

function problemOf(given: unknown): string | undefined {
  try {
    const text = JSON.stringify(given)
    if (text === undefined || text === 'null')
      return 'is nothing that JSON can keep: an item has a value, and is deleted by delete'
    return isDeeper(given, DEPTH_MAX) ? `has more than ${DEPTH_MAX} levels` : undefined
  } catch {
    return 'is no JSON: it has a circle, too many levels, or a number that is no number of JSON'
  }
}

function isDeeper(given: unknown, levels: number): boolean {
  if (typeof given !== 'object' || given === null) return false
  return levels === 0 || Object.values(given).some((each) => isDeeper(each, levels - 1))
}

/** The records behind `memory.items`. `invoke` runs them as operations; no command and no tool is made of them. */
export const itemRecords = {
  writeItems: writing,
  readItems: reading,
  listItems: listing,
  listNamespaces: naming,
  searchItems: searching,
} as const
