import {
  BaseStore,
  type Item,
  type ListNamespacesOperation,
  type MatchCondition,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
  validateNamespace,
} from '@langchain/langgraph-checkpoint'
import * as z from 'zod'
import type { Memory } from '../../engine/memory.ts'
import { mustBeOpen, mustTake, taken } from '../shared/check-options.ts'
import { piecesOf } from '../shared/pieces.ts'

type Items = ReturnType<Memory['items']>
type Kept = NonNullable<Awaited<ReturnType<Items['get']>>>

/** The options of a store. */
export interface ElfmemStoreOptions {
  /** The paths of a value that its items are found by, unless a put says others; all strings in it unless given. */
  readonly index?: { readonly fields?: readonly string[] }
  /** The scope of its items, in a memory without one. */
  readonly scope?: string
  /** False: `undo` passes over what the store writes. True unless given. */
  readonly undoable?: boolean
}

/** The space of its items. */
const SPACE = 'langgraph'
/** Items that a list reads at once, each of which may have a megabyte. */
const PAGE = 100
/** Items that one search returns at most, and the offset it may begin at. */
const FOUND_MAX = 300
const OFFSET_MAX = 1_000
const LIMIT = 10
const PUT = "await store.put(['notes'], 'tea', { title: 'Tea' }, ['title'])"

/**
 * A store of LangGraph in a memory: what it keeps is read by exact keys, found by meaning, and still there after a restart. Each
 * value is a named item (docs/items.md), and its texts are blocks that `recall` shows, too. Errors are those of the memory
 * (`ElfmemError`), and `InvalidNamespaceError` for labels that LangGraph does not allow.
 */
export class ElfmemStore extends BaseStore {
  readonly #items: Items
  readonly #fields: readonly string[]

  /** Loads the memory's embedder in the background. Who opened the memory closes it. */
  constructor(memory: Pick<Memory, 'items' | 'warm'>, options: ElfmemStoreOptions = {}) {
    super()
    mustBeOpen(memory, 'items')
    mustTake('ElfmemStore', options, {
      shape: {
        index: z.strictObject({ fields: taken.names }).optional(),
        scope: taken.anything,
        undoable: taken.flag,
      },
      example: "new ElfmemStore(memory, { index: { fields: ['title'] } })",
    })
    const { index, scope, undoable = true } = options
    this.#items = memory.items(SPACE, { undoable, ...(scope === undefined ? {} : { scope }) })
    this.#fields = index?.fields ?? [WHOLE_VALUE]
    memory.warm()
  }

  /**
   * Does several operations and returns their results in order. All read what was there before; the writes are one transaction,
   * and of several to one key the last counts.
   */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    for (const operation of operations) mustBeAllowed(operation)
    const results: unknown[] = []
    for (const operation of operations) results.push(isPut(operation) ? null : await this.#read(operation))
    const writes = operations.filter(isPut).map((put) => this.#stepOf(put))
    if (writes.length > 0) await this.#items.batch(writes)
    return results as OperationResults<Op>
  }

  async #read(operation: Exclude<Operation, PutOperation>): Promise<unknown> {
    if ('namespacePrefix' in operation) return this.#search(operation)
    if (!('key' in operation)) return this.#namespaces(operation)
    const { namespace, key } = operation
    const item = await this.#items.get({ namespace, key })
    return item === undefined ? null : itemOf(item)
  }

  #stepOf({ namespace, key, value, index }: PutOperation) {
    if (value === null) return { do: 'delete', namespace, key } as const
    const texts = index === false ? [] : textsAt(value, pathsIn(index) ?? this.#fields)
    return { do: 'put', namespace, key, value, texts } as const
  }

  async #namespaces(operation: ListNamespacesOperation): Promise<string[][]> {
    const namespace = commonBeginning(operation.matchConditions)
    return listed(await this.#items.namespaces({ namespace }), operation)
  }

  /** Items that fit the question, the best first, then the rest in the order it came, without a score. */
  async #search({ namespacePrefix, query, filter, limit = LIMIT, offset = 0 }: SearchOperation) {
    const wanted = offset + limit
    if (limit <= 0) return []
    const found = query ? await this.#found(namespacePrefix, query, { filter, wanted }) : []
    const known = new Set(found.map(placeOf))
    const rest: SearchItem[] = []
    if (found.length < wanted)
      for await (const item of this.#listed(namespacePrefix)) {
        if (known.has(placeOf(item)) || !isFit(item.value, filter)) continue
        // A caller may look for the field, as in an answer of the store in memory.
        rest.push({ ...itemOf(item), score: undefined } as unknown as SearchItem)
        if (found.length + rest.length >= wanted) break
      }
    return [...found, ...rest].slice(offset, wanted)
  }

  async #found(
    namespace: readonly string[],
    query: string,
    { filter, wanted }: { readonly filter: SearchOperation['filter'] | undefined; readonly wanted: number },
  ): Promise<SearchItem[]> {
    const limit = Math.min(filter === undefined ? wanted : Math.max(wanted, PAGE), FOUND_MAX)
    const found: SearchItem[] = []
    for (let offset = 0; offset <= OFFSET_MAX && found.length < wanted; offset += limit) {
      // Said only where it is not the default, which a reader may not ask for by name.
      const again = offset === 0 ? {} : { dream: false }
      const page = await this.#items.search({ namespace, query, limit, offset, ...again })
      for (const { score, ...item } of page)
        if (isFit(item.value, filter)) found.push({ ...itemOf(item), score })
      if (page.length < limit) break
    }
    return found
  }

  /** Yields all items of a namespace in the order they came. */
  async *#listed(namespace: readonly string[]): AsyncGenerator<Kept> {
    for (let cursor: string | undefined; ; ) {
      const page = await this.#items.list({
        namespace,
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      })
      yield* page.items
      if (page.cursor === undefined) return
      cursor = page.cursor
    }
  }
}

/** The paths of a put, which also come from programs without types. */
function pathsIn(index: readonly string[] | undefined): readonly string[] | undefined {
  mustTake('put', { index }, { shape: { index: taken.names }, example: PUT })
  return index
}

function isPut(operation: Operation): operation is PutOperation {
  return 'value' in operation
}

/** Throws before anything is done. The methods of the base check as well, but a batch may come without them. */
function mustBeAllowed(operation: Operation): void {
  if ('namespace' in operation) validateNamespace(operation.namespace, { allowReservedRoot: true })
  else if ('namespacePrefix' in operation)
    validateNamespace(operation.namespacePrefix, { allowEmpty: true, allowReservedRoot: true })
}

function itemOf({ namespace, key, value, createdAt, updatedAt }: Kept): Item {
  return {
    value: value as Item['value'],
    key,
    namespace: [...namespace],
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  }
}

function placeOf({
  namespace,
  key,
}: {
  readonly namespace: readonly string[]
  readonly key: string
}): string {
  return JSON.stringify([namespace, key])
}

/** The comparisons that a filter of LangGraph names. Numbers are compared as `Number` reads them. */
const COMPARISONS: Readonly<Record<string, (value: unknown, wanted: unknown) => boolean>> = {
  $eq: (value, wanted) => value === wanted,
  $ne: (value, wanted) => value !== wanted,
  $gt: (value, wanted) => Number(value) > Number(wanted),
  $gte: (value, wanted) => Number(value) >= Number(wanted),
  $lt: (value, wanted) => Number(value) < Number(wanted),
  $lte: (value, wanted) => Number(value) <= Number(wanted),
  $in: (value, wanted) => Array.isArray(wanted) && wanted.includes(value),
  $nin: (value, wanted) => !Array.isArray(wanted) || !wanted.includes(value),
}

/** True if a value has all that a filter says of its own fields; a field it lacks is undefined. */
function isFit(value: unknown, filter: Readonly<Record<string, unknown>> | undefined): boolean {
  if (filter === undefined) return true
  return Object.entries(filter).every(([name, wanted]) => isAsWanted(fieldOf(value, name), wanted))
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

function isAsWanted(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return value === wanted
  const named = Object.entries(wanted)
  // An object with any other field is a plain value, and nothing that was read from a file is the same object.
  if (!named.every(([name]) => Object.hasOwn(COMPARISONS, name))) return false
  return named.every(([name, to]) => COMPARISONS[name]?.(value, to))
}

/** The labels that a namespace must begin with, as far as the conditions say: nothing else needs to be read. */
function commonBeginning(conditions: readonly MatchCondition[] = []): string[] {
  const beginnings = conditions
    .filter(({ matchType }) => matchType === 'prefix')
    .map(({ path }) => {
      const any = path.indexOf('*')
      return any < 0 ? path : path.slice(0, any)
    })
  return beginnings.reduce((longest, each) => (each.length > longest.length ? each : longest), [])
}

/** The namespaces that a listing names, in its order. `*` in a condition is any label. */
function listed(
  namespaces: readonly (readonly string[])[],
  { matchConditions = [], maxDepth, limit, offset = 0 }: Partial<ListNamespacesOperation>,
): string[][] {
  const fitting = namespaces.filter((labels) => matchConditions.every((each) => isMatch(labels, each)))
  const cut = fitting.map((labels) => labels.slice(0, maxDepth))
  const unique = [...new Map(cut.map((labels) => [JSON.stringify(labels), labels])).values()]
  return unique
    .sort((one, other) => one.join(':').localeCompare(other.join(':')))
    .slice(offset, limit === undefined ? undefined : offset + limit)
}

function isMatch(labels: readonly string[], { matchType, path }: MatchCondition): boolean {
  if (path.length > labels.length) return false
  const from = matchType === 'prefix' ? 0 : labels.length - path.length
  return path.every((label, at) => label === '*' || label === labels[from + at])
}

/** The path of a whole value. */
const WHOLE_VALUE = '$'
/** Levels that are looked into; a value with more is refused by the store. */
const DEPTH_MAX = 100
/** Texts of one item, each a block. */
const TEXTS_MAX = 64

/**
 * The texts that a value is found by: one for each place that a path leads to. A path names fields (`a.b`), elements of lists (`[0]`,
 * `[-1]`, `[*]`), all fields (`*`) or several (`{a,b.c}`); `$` is the whole value. A list or an object is all strings in it, a line each.
 */
function textsAt(value: unknown, paths: readonly string[]): string[] {
  const kept = asKept(value)
  const texts = paths.flatMap((path) =>
    path === '' || path === WHOLE_VALUE ? [textOf(kept)] : placesAt(kept, stepsOf(path)).map(textOf),
  )
  return [...new Set(texts.flatMap(piecesOf))].slice(0, TEXTS_MAX)
}

/** A value as it will be read again; undefined if JSON cannot say it, which the store then refuses. */
function asKept(value: unknown): unknown {
  try {
    const json = JSON.stringify(value)
    return json === undefined ? undefined : JSON.parse(json)
  } catch {
    return undefined
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return stringsIn(value, DEPTH_MAX).join('\n')
}

function stringsIn(value: unknown, levels: number): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || levels === 0) return []
  return Object.values(value).flatMap((each) => stringsIn(each, levels - 1))
}

/** The steps of a path: names, `[…]` and `{…}`. */
function stepsOf(path: string): string[] {
  return path.match(/\[[^\]]*\]?|\{[^}]*\}?|[^.[{]+/g) ?? []
}

function placesAt(value: unknown, [step, ...rest]: readonly string[]): unknown[] {
  if (step === undefined) return [value]
  return next(value, step).flatMap((each) => placesAt(each, rest))
}

function next(value: unknown, step: string): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  if (step === '*') return Object.values(value)
  if (step.startsWith('['))
    return Array.isArray(value) ? elementsAt(value, step.slice(1).replace(']', '').trim()) : []
  if (step.startsWith('{')) {
    const paths = step.slice(1).replace('}', '').split(',')
    return paths.flatMap((path) => placesAt(value, stepsOf(path.trim())))
  }
  return Object.hasOwn(value, step) ? [(value as Readonly<Record<string, unknown>>)[step]] : []
}

function elementsAt(list: readonly unknown[], index: string): unknown[] {
  if (index === '*') return [...list]
  const at = /^-?\d+$/.test(index) ? list.at(Number(index)) : undefined
  return at === undefined ? [] : [at]
}
