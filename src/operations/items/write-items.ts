import * as z from 'zod'
import { ITEM, TAGS_MOST, TURN } from '../../block/block.ts'
import { itemSession, levelTags } from '../../block/item-place.ts'
import { count, defined } from '../../block/text.ts'
import { type ItemWrite, writeItems as run } from '../../care/items.ts'
import type { CallContext, Engine } from '../../engine/engine.ts'
import type { Draft } from '../../intake/admit.ts'
import { overLimit } from '../../intake/check-input.ts'
import { sumLeftOut } from '../../intake/echo.ts'
import { draftOf, thing } from '../intake/remember.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { leftOutSentence, sentences } from '../wording.ts'
import { item, key, namespace, space, value } from './place.ts'

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
  keepTexts: z
    .boolean()
    .default(false)
    .describe('Blocks that the item lets go of stay, though no other item has them'),
  ifVersion: z
    .int()
    .min(0)
    .optional()
    .describe('The version that it must have, 0 if it must not be there; else nothing is written'),
})

type Write = z.output<typeof write>

/** Puts and deletes named items, with the blocks they are found by, in one transaction. */
export const writeItems = defineScopedOperation({
  name: 'writeItems',
  summary: 'Put and delete named items, all or none.',
  guide: {
    when: 'A program keeps state under exact keys and wants to find it by meaning, too.',
    whenNot: 'For something worth knowing that needs no name: remember.',
    next: 'readItems, listItems and searchItems show it at once.',
    example:
      "await memory.items('notes').put({ key: 'tea', value: { hour: 4 }, texts: ['Tea is at four.'] })",
  },
  tools: 'all',
  needs: 'agent',
  effect: 'write',
  makesMemory: true,
  isLibraryOnly: true,
  cost: 'instant',
  idempotent: true,
  refuses: ['PROTECTED', 'OWNER_ONLY', 'CONFLICT'],
  input: z.object({
    space,
    writes: z.array(write.strict()).min(1).max(10_000),
    undoable: z
      .boolean()
      .default(true)
      .describe('False: undo passes over it, as over what nobody would take back'),
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
    const { items: kept, wasThere, forgotten, leftOut } = await run(engine, context, changes, undoable)
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
