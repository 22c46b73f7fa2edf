import { type ItemPlace, itemId, labelsIn, namespaceText } from '../block/item-place.ts'
import { TURN } from '../block/kept-as-said.ts'
import { count, shortName } from '../block/text.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { ElfmemError } from '../errors.ts'
import type { Draft } from '../intake/admit.ts'
import { overLimit } from '../intake/check-input.ts'
import { type EchoCount, partedFromShown, sumLeftOut } from '../intake/echo.ts'
import type { SavedItem, StoredItem } from '../store/items.ts'
import { readItemCount, readItems, removeItems, saveItems } from '../store/items.ts'
import { admitTexts, settleTexts } from './texts.ts'

/** A named item as whoever asked for it sees it. */
export interface Item extends ItemPlace {
  readonly value: unknown
  /** ISO-8601 UTC. */
  readonly createdAt: string
  readonly updatedAt: string
  /** Counted from 1. */
  readonly version: number
}

/** A change of one item. */
export interface ItemWrite extends ItemPlace {
  /** Absent: the item goes. */
  readonly value?: unknown
  /** The texts it is to be found by. */
  readonly drafts: readonly Draft[]
  /** True if blocks that the item lets go of stay. */
  readonly keepsTexts: boolean
  /** The version that the item must have, 0 if it must not be there; absent: any. */
  readonly ifVersion?: number
}

/** The result of some changes. */
export interface WrittenItems {
  /** For each change in turn, the item as it is after all of them; absent where it is gone. */
  readonly items: readonly (Item | undefined)[]
  /** For each change in turn, whether the item was there before all of them. */
  readonly wasThere: readonly boolean[]
  /** For each change in turn, what was left out of its texts. */
  readonly leftOut: readonly (EchoCount | undefined)[]
  /** Blocks that no item has any more. */
  readonly forgotten: readonly string[]
}

/**
 * Writes and removes items with their blocks in one transaction; of several changes of one item the last counts.
 * A number of statements that does not depend on how many there are, but for blocks that come back.
 *
 * @param undoable false for what nobody would take back, so that an undo passes over it
 */
export function writeItems(
  engine: Engine,
  context: CallContext,
  writes: readonly ItemWrite[],
  undoable = true,
): Promise<WrittenItems> {
  const work = async (mutation: Mutation): Promise<WrittenItems> => {
    const { tx, moment, log } = mutation
    const ids = writes.map((write) => itemId(write, engine.scope, engine.ids.sha256))
    const before = new Map((await readItems(tx, ids)).map((item) => [item.id, item]))
    for (const [at, write] of writes.entries()) mustBeUnchanged(write, before.get(ids[at] as string))
    const own = writes.map((write) => ({ ...write, ...withoutShown(engine, write.drafts) }))
    const last = new Map(own.map((write, at) => [ids[at] as string, write]))
    const puts = [...last].filter(([, { value }]) => value !== undefined)
    await mustHaveRoom(engine, mutation, puts.filter(([id]) => !before.has(id)).length)
    const blocks = await blocksOf(engine, mutation, puts)
    const saved = puts.map(([id, write]): SavedItem => {
      const was = before.get(id)
      return {
        ...{ id, space: write.space, namespace: namespaceText(write.namespace), key: write.key },
        value: write.value,
        createdAt: was?.createdAt ?? moment.at,
        updatedAt: moment.at,
        version: (was?.version ?? 0) + 1,
        blockIds: blocks.get(id) ?? [],
      }
    })
    const removed = [...last].flatMap(([id, { value }]) =>
      value === undefined && before.has(id) ? [id] : [],
    )
    await saveItems(tx, saved)
    await removeItems(tx, removed)
    const had = (id: string) => before.get(id)?.blockIds ?? []
    const touched = [
      ...saved.flatMap(({ id, blockIds }) => [...blockIds, ...had(id)]),
      ...removed.flatMap(had),
    ]
    const staying = new Set([...last].flatMap(([id, { keepsTexts }]) => (keepsTexts ? had(id) : [])))
    const forgotten = await settleTexts(engine, { context, mutation }, { touched, staying })
    await log({
      operation: 'write_items',
      blockIds: [...new Set(touched)],
      summary: summaryOf({ saved: saved.length, removed: removed.length, forgotten: forgotten.length }),
    })
    const now = new Map(saved.map((item) => [item.id, toItem(item)]))
    return {
      items: ids.map((id) => now.get(id)),
      wasThere: ids.map((id) => before.has(id)),
      leftOut: own.map(({ leftOut }) => leftOut),
      forgotten,
    }
  }
  return mutate(engine, context, work, { undoable })
}

/** An item as it is shown: the sign that parts its labels is the store's. */
export function toItem({ space, namespace, key, value, createdAt, updatedAt, version }: StoredItem): Item {
  return { space, namespace: labelsIn(namespace), key, value, createdAt, updatedAt, version }
}

/** The ids of the blocks of each item, each once and in the order of its texts. */
async function blocksOf(
  engine: Engine,
  mutation: Mutation,
  puts: readonly (readonly [id: string, write: ItemWrite])[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const given: { readonly item: string; readonly draft: Draft }[] = []
  for (const [item, { drafts }] of puts) given.push(...drafts.map((draft) => ({ item, draft })))
  const ids = await admitTexts(
    engine,
    mutation,
    given.map(({ draft }) => draft),
  )
  const found = new Map<string, Set<string>>()
  for (const [at, { item }] of given.entries())
    found.set(item, (found.get(item) ?? new Set()).add(ids[at] as string))
  return new Map([...found].map(([item, own]) => [item, [...own]]))
}

/** Texts of an item, turns without what a recall had shown, which adds nothing to be found by. */
function withoutShown(engine: Engine, given: readonly Draft[]) {
  const parted = given.map(({ category, content }) =>
    category === TURN ? partedFromShown(engine, content) : undefined,
  )
  const own = given.map((draft, at): Draft => ({ ...draft, content: parted[at]?.own ?? draft.content }))
  return {
    drafts: own.filter(({ content }) => content !== ''),
    leftOut: sumLeftOut(parted.map((each) => each?.leftOut)),
  }
}

/** Throws `CONFLICT` for an item that is not as the caller read it. */
function mustBeUnchanged({ key, ifVersion }: ItemWrite, was: StoredItem | undefined): void {
  const found = was?.version ?? 0
  if (ifVersion === undefined || ifVersion === found) return
  const now = found === 0 ? 'is not there' : `has the version ${found}`
  throw new ElfmemError('CONFLICT', `The item ${JSON.stringify(shortName(key))} ${now}, not ${ifVersion}.`, {
    recovery: 'Nothing was written. Read it again and decide anew.',
    details: { version: found },
  })
}

async function mustHaveRoom({ settings }: Engine, { tx }: Mutation, fresh: number): Promise<void> {
  if (fresh === 0) return
  const { items } = settings.limits
  const found = (await readItemCount(tx)) + fresh
  if (found <= items) return
  throw overLimit({
    ...{ what: 'the memory', found, limit: items, unit: 'items', setting: 'limits.items' },
    recovery: 'Delete items that are of no more use; what is only to be found by meaning needs no name.',
  })
}

function summaryOf({
  saved,
  removed,
  forgotten,
}: Readonly<Record<'saved' | 'removed' | 'forgotten', number>>): string {
  return [
    `${count(saved, 'item')} put, ${removed} deleted`,
    ...(forgotten > 0 ? [`${count(forgotten, 'block')} let go of`] : []),
  ].join(', ')
}
