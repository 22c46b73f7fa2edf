import {
  BaseStore,
  getTextAtPath,
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
import { defined } from '../../block/text.ts'
import type { Memory } from '../../engine/memory.ts'
import { mustWork, taken } from '../shared/options.ts'
import { piecesOf } from '../shared/turns.ts'

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
/** The most items that one search returns with a score. */
const FOUND_MAX = 300
const LIMIT = 10
/** The path of a whole value. */
const WHOLE_VALUE = '$'
/** The most texts of one item. Each becomes a block. */
const TEXTS_MAX = 64

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
    mustWork(memory, options, {
      ...{ maker: 'ElfmemStore', needs: 'items', example: "{ index: { fields: ['title'] } }" },
      shape: {
        index: z.strictObject({ fields: z.array(z.string()).optional() }).optional(),
        ...{ scope: taken.scope, undoable: taken.flag },
      },
    })
    const { index, scope, undoable = true } = options
    this.#items = memory.items(SPACE, { undoable, ...defined({ scope }) })
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
    if (!('key' in operation)) return listed(await this.#items.namespaces(), operation)
    const { namespace, key } = operation
    const item = await this.#items.get({ namespace, key })
    return item === undefined ? null : itemOf(item)
  }

  #stepOf({ namespace, key, value, index }: PutOperation) {
    if (value === null) return { do: 'delete', namespace, key } as const
    const texts = index === false ? [] : textsAt(value, index ?? this.#fields)
    return { do: 'put', namespace, key, value, texts } as const
  }

  /** Items that fit the question, the best first, then the rest in the order it came, without a score. */
  async #search({ namespacePrefix, query, filter, limit = LIMIT, offset = 0 }: SearchOperation) {
    const wanted = offset + limit
    if (limit <= 0) return []
    const found = query ? await this.#found(namespacePrefix, query, { wanted, ...defined({ filter }) }) : []
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
    { filter, wanted }: Pick<SearchOperation, 'filter'> & { readonly wanted: number },
  ): Promise<SearchItem[]> {
    // With a filter the search asks for more, so that weaker matches replace what it leaves out.
    const limit = filter === undefined ? Math.min(wanted, FOUND_MAX) : FOUND_MAX
    const found = await this.#items.search({ namespace, query, limit })
    return found
      .filter(({ value }) => isFit(value, filter))
      .map(({ score, ...item }) => ({ ...itemOf(item), score }))
  }

  /** Yields all items of a namespace in the order they came. */
  async *#listed(namespace: readonly string[]): AsyncGenerator<Kept> {
    for (let cursor: string | undefined; ; ) {
      const page = await this.#items.list({ namespace, limit: PAGE, ...defined({ cursor }) })
      yield* page.items
      if (page.cursor === undefined) return
      cursor = page.cursor
    }
  }
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

function placeOf({ namespace, key }: Pick<Kept, 'namespace' | 'key'>): string {
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

/** Returns the texts that a value is found by: those at each path of LangGraph, or all strings of the whole value, a line each. */
function textsAt(value: unknown, paths: readonly string[]): string[] {
  const kept = asKept(value)
  const texts = paths.flatMap((path) =>
    path === WHOLE_VALUE ? [stringsIn(kept).join('\n')] : getTextAtPath(kept, path),
  )
  return [...new Set(texts.flatMap(piecesOf))].slice(0, TEXTS_MAX)
}

/** Returns a value as it will be read again; null if JSON cannot say it, and the store then refuses it. */
function asKept(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null')
  } catch {
    return null
  }
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}
