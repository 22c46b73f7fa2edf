import type * as z from 'zod'
import { ElfmemError } from '../../errors.ts'
import type { CallContext } from '../call-context.ts'
import type { Item, itemRecords } from './records.ts'

type Records = typeof itemRecords

export type { Item }
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
export type ItemStep =
  | ({ readonly do: 'get' } & ItemKey)
  | ({ readonly do: 'put' } & PutItem)
  | ({ readonly do: 'delete' } & DeleteItem)
  | ({ readonly do: 'list' } & ListItems)
  | ({ readonly do: 'search' } & SearchItems)
  | { readonly do: 'namespaces'; readonly namespace?: readonly string[] }

/** A page of items. */
export interface ItemPage {
  readonly items: readonly Item[]
  /** Present when there is more. */
  readonly cursor?: string
}

/** The result of each kind of step. */
interface StepResults {
  readonly get: Item | undefined
  /** Undefined if a later step deletes it. */
  readonly put: WrittenItem | undefined
  readonly delete: boolean
  readonly list: ItemPage
  readonly search: readonly FoundItem[]
  readonly namespaces: readonly (readonly string[])[]
}

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
  /**
   * Does several steps and returns their results in order. What is read is read before anything is written; all writes are
   * one transaction, and of several to one key the last counts.
   */
  batch<const Steps extends readonly ItemStep[]>(
    steps: Steps,
    context?: CallContext,
  ): Promise<{ -readonly [At in keyof Steps]: StepResults[Steps[At]['do']] }>
}

type Call = (name: keyof Records, input: object, context?: CallContext) => Promise<unknown>
type StepOf<Do extends ItemStep['do']> = Extract<ItemStep, { readonly do: Do }>

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
  const readAll = async (places: readonly ItemKey[], context?: CallContext) =>
    // An answer that came as JSON has null for an item that is not there.
    (await ask('readItems', { places }, context)).items.map((each) => each ?? undefined)
  const read: Readers = {
    get: async ({ do: _do, ...place }, context) => (await readAll([place], context))[0],
    list: async ({ do: _do, ...list }, context) => {
      const { items, cursor } = await ask('listItems', list, context)
      return { items, ...(cursor === undefined ? {} : { cursor }) }
    },
    search: async ({ do: _do, ...search }, context) => (await ask('searchItems', search, context)).items,
    namespaces: async ({ do: _do, ...within }, context) =>
      (await ask('listNamespaces', within, context)).namespaces,
  }
  const write = async (steps: readonly WriteStep[], context?: CallContext) => {
    const asked = ask('writeItems', { writes: steps.map(writeOf), undoable }, context)
    const { items, wasThere } = await asked.catch(async (error) => {
      // Items that were put can be read if the answer got lost; nobody knows whether a deleted one was there.
      const isDone = ElfmemError.is(error) && Object(error.details).outcome === 'done'
      if (!isDone || steps.some((step) => step.do !== 'put')) throw error
      const places = steps.map(({ namespace, key }) => ({ key, ...(namespace && { namespace }) }))
      const items = await readAll(places)
      if (items.includes(undefined)) throw error
      return { items, wasThere: [] }
    })
    return steps.map((step, at) => (step.do === 'put' ? items[at] : wasThere[at]))
  }
  return {
    get: (place, context) => read.get({ do: 'get', ...place }, context),
    getMany: async (places, context) => (places?.length === 0 ? [] : readAll(places, context)),
    list: (list, context) => read.list({ do: 'list', ...list }, context),
    search: (search, context) => read.search({ do: 'search', ...search }, context),
    namespaces: (within, context) => read.namespaces({ do: 'namespaces', ...within }, context),
    put: async (item, context) => (await write([{ do: 'put', ...item }], context))[0] as WrittenItem,
    delete: async (place, context) => (await write([{ do: 'delete', ...place }], context))[0] as boolean,
    batch: async (steps, context) => {
      mustBeSteps(steps)
      const results: unknown[] = []
      for (const [at, step] of steps.entries()) {
        if (!isWrite(step)) results[at] = await (read[step.do] as Reader)(step, context)
      }
      const writes = steps.filter(isWrite)
      const written = writes.length === 0 ? [] : await write(writes, context)
      for (const [at, step] of steps.entries()) if (isWrite(step)) results[at] = written.shift()
      return results as never
    },
  }
}

type WriteStep = StepOf<'put'> | StepOf<'delete'>
type Reader = (step: ItemStep, context?: CallContext) => Promise<unknown>
type Readers = {
  readonly [Do in Exclude<ItemStep['do'], WriteStep['do']>]: (
    step: StepOf<Do>,
    context?: CallContext,
  ) => Promise<StepResults[Do]>
}

function textOf(text: unknown): unknown {
  return typeof text === 'string' ? { content: text } : text
}

const STEPS: readonly string[] = [
  ...(['get', 'put', 'delete', 'list', 'search', 'namespaces'] satisfies ItemStep['do'][]),
]

/** Throws before any step is done. */
function mustBeSteps(steps: unknown): void {
  const wrong = Array.isArray(steps)
    ? Array.from(steps).findIndex((step) => !STEPS.includes(Object(step).do))
    : 0
  if (wrong < 0) return
  const message = Array.isArray(steps)
    ? `batch: steps[${wrong}].do must be ${STEPS.slice(0, -1).join(', ')} or ${STEPS.at(-1)}.`
    : 'batch takes a list of steps.'
  throw new ElfmemError('INVALID_INPUT', message, {
    recovery:
      "Nothing was done. A call that works: await memory.items('notes').batch([{ do: 'get', key: 'tea' }])",
  })
}

function isWrite(step: ItemStep): step is WriteStep {
  return step.do === 'put' || step.do === 'delete'
}

function writeOf({ do: does, ...step }: WriteStep): object {
  if (does === 'delete') return step
  const { value = null, texts = [], ...place } = step as Omit<StepOf<'put'>, 'do'>
  // What is no list is refused with the place it stands in.
  const said = Array.isArray(texts) ? texts.map(textOf) : texts
  // Without a value it would be deleted; null is refused.
  return { ...place, value, texts: said }
}
