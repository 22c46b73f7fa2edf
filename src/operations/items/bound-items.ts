import type * as z from 'zod'
import { ElfmemError } from '../../errors.ts'
import type { CallContext } from '../call-context.ts'
import type { item, itemRecords } from './records.ts'

type Records = typeof itemRecords

/** A named item. */
export type Item = z.output<typeof item>
/** An item that a search found. */
export type FoundItem = z.output<Records['searchItems']['output']>['items'][number]
/** An item as it was put, and what was left out of its turns because a recall had shown it. */
export type WrittenItem = NonNullable<z.output<Records['writeItems']['output']>['items'][number]>
type Write = z.input<Records['writeItems']['input']>['writes'][number]
type Text = NonNullable<Write['texts']>[number]

/** The place of an item in its space. */
export interface ItemKey {
  /** Labels from the outermost to the innermost; none at the root of the space. */
  readonly namespace?: readonly string[]
  readonly key: string
}

/** An item to put. */
export interface PutItem extends ItemKey {
  /** The value of the item: any JSON but null. */
  readonly value: unknown
  /** The texts of the item, as words alone or with who says them. */
  readonly texts?: readonly (string | Readonly<Text>)[]
  /** Blocks that the item lets go of stay. */
  readonly keepTexts?: boolean
  /** The version that it must have, 0 if it must not be there; else `CONFLICT`, and nothing is written. */
  readonly ifVersion?: number
}

/** An item to delete. */
export interface DeleteItem extends ItemKey {
  readonly keepTexts?: boolean
  readonly ifVersion?: number
}

/** A list of items. */
export interface ListItems {
  readonly namespace?: readonly string[]
  readonly limit?: number
  readonly cursor?: string
}

/** A search among items. */
export interface SearchItems {
  readonly namespace?: readonly string[]
  readonly query: string
  readonly limit?: number
  readonly offset?: number
  readonly dream?: boolean
}

/** One step of a batch. */
export type ItemStep = ({ readonly do: 'put' } & PutItem) | ({ readonly do: 'delete' } & DeleteItem)

/** A page of items. */
export interface ItemPage {
  readonly items: readonly Item[]
  /** Present when there is more. */
  readonly cursor?: string
}

/** The result of a step. For a put: the kept item, or undefined if a later step deletes it. For a delete: true if it was there. */
type StepResult<Step extends ItemStep> = Step extends { readonly do: 'put' }
  ? WrittenItem | undefined
  : boolean

/** The named items of a space: exact keys, and texts to find them by. */
export interface Items {
  /** Returns the item at a place; undefined if there is none. */
  get(place: ItemKey, context?: CallContext): Promise<Item | undefined>
  /** Returns the items at some places, all in one read; undefined where there is none. */
  getMany(places: readonly ItemKey[], context?: CallContext): Promise<readonly (Item | undefined)[]>
  /** Puts an item, in the place of one that is there; returns it as it is kept. */
  put(item: PutItem, context?: CallContext): Promise<WrittenItem>
  /** Deletes an item; false if there was none. */
  delete(place: DeleteItem, context?: CallContext): Promise<boolean>
  /** Returns a page of a namespace and all inside it, in the order the items came. */
  list(list?: ListItems, context?: CallContext): Promise<ItemPage>
  /** Returns the namespaces that hold items, each as its labels. */
  namespaces(
    within?: { readonly namespace?: readonly string[] },
    context?: CallContext,
  ): Promise<readonly (readonly string[])[]>
  /** Returns the items whose texts fit a question, the best first. */
  search(search: SearchItems, context?: CallContext): Promise<readonly FoundItem[]>
  /** Puts and deletes several items in one transaction, and returns the results in order. Of several writes to one key the last counts. */
  batch<const Steps extends readonly ItemStep[]>(
    steps: Steps,
    context?: CallContext,
  ): Promise<{ -readonly [At in keyof Steps]: StepResult<Steps[At]> }>
}

type Call = (name: keyof Records, input: object, context?: CallContext) => Promise<unknown>

/** The options of the items of a space. */
export interface ItemsOptions {
  /** The scope they are of, in a memory without one. */
  readonly scope?: string
  /** False: `undo` passes over their writes, as over what nobody would take back. */
  readonly undoable?: boolean
}

/** The items of a space of a memory, each call a call of a record by its name. Needs no record itself, so that a client can use it. */
export function boundItems(call: Call, space: string, options: ItemsOptions): Items {
  const { scope, undoable = true } = options
  const ask = <N extends keyof Records>(name: N, input: object, context?: CallContext) =>
    call(name, { ...(scope === undefined ? {} : { scope }), space, ...input }, context) as Promise<
      z.output<Records[N]['output']>
    >
  const getMany = async (places: readonly ItemKey[], context?: CallContext) => {
    if (places?.length === 0) return []
    // An answer that came as JSON has null for an item that is not there.
    return (await ask('readItems', { places }, context)).items.map((each) => each ?? undefined)
  }
  const write = async (steps: readonly ItemStep[], context?: CallContext) => {
    mustBeSteps(steps)
    if (steps.length === 0) return []
    const asked = ask('writeItems', { writes: steps.map(writeOf), undoable }, context)
    const { items, wasThere } = await asked.catch(async (error) => {
      // Items that were put can be read if the answer got lost; nobody knows whether a deleted one was there.
      const isDone = ElfmemError.is(error) && Object(error.details).outcome === 'done'
      if (!isDone || steps.some((step) => step.do !== 'put')) throw error
      const items = await getMany(
        steps.map(({ namespace, key }) => ({ key, ...(namespace && { namespace }) })),
      )
      if (items.includes(undefined)) throw error
      return { items, wasThere: [] }
    })
    return steps.map((step, at) => (step.do === 'put' ? items[at] : wasThere[at]))
  }
  return {
    get: async (place, context) => (await getMany([place], context))[0],
    getMany,
    put: async (item, context) => (await write([{ ...item, do: 'put' }], context))[0] as WrittenItem,
    delete: async (place, context) => (await write([{ ...place, do: 'delete' }], context))[0] as boolean,
    list: async (list = {}, context) => {
      const { items, cursor } = await ask('listItems', list, context)
      return { items, ...(cursor === undefined ? {} : { cursor }) }
    },
    namespaces: async (within = {}, context) => (await ask('listNamespaces', within, context)).namespaces,
    search: async (search, context) => (await ask('searchItems', search, context)).items,
    batch: async (steps, context) => (await write(steps, context)) as never,
  }
}

/** Throws before any step is done. */
function mustBeSteps(steps: unknown): void {
  const isStep = (step: unknown) => ['put', 'delete'].includes(Object(step).do)
  if (Array.isArray(steps) && steps.every(isStep)) return
  throw new ElfmemError('INVALID_INPUT', 'batch takes a list of steps, each with do: put or delete.', {
    recovery:
      "Nothing was done. A call that works: await memory.items('notes').batch([{ do: 'delete', key: 'tea' }])",
  })
}

function writeOf({ do: does, ...step }: ItemStep): object {
  if (does === 'delete') return step
  const { value = null, texts = [], ...place } = step as PutItem
  // A list with a wrong part is refused by the schema, with the place of that part.
  const said = Array.isArray(texts)
    ? texts.map((text: unknown) => (typeof text === 'string' ? { content: text } : text))
    : texts
  // Without a value `put` would delete the item, so null is passed and refused.
  return { ...place, value, texts: said }
}
