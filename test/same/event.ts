import { createHash } from 'node:crypto'

/** A call on a memory, numbered in its file. The input is an array of arguments, packed by `v8.serialize`. */
export interface Call {
  readonly n: number
  /** Milliseconds since 1970 that the clock shows. */
  readonly at: number
  /** The memory, numbered in the order of opening. */
  readonly memory: number
  /** `open`, the name of a method, or `items.` and the name of a method of items. */
  readonly op: string
  readonly actor?: string
  readonly input: string
}

/** Ids that first stand in the answer to call `of`, and their paths in it: a later call may name one. */
export interface Made {
  readonly of: number
  readonly ids: Readonly<Record<string, string>>
}

export type Event = Call | Made

export const START = Date.parse('2026-03-02T09:00:00Z')

/** The names of recorded methods: the operations as they were when this was written, and those of a memory's lifetime. */
export const METHODS = new Set(
  `remember rememberMany learnDocument inbox dream recall outcome recordUse connect connectByQuery connects disconnect curate
  edit forget restore resolve decisions propose decide undo erase ls facets show why graph setup reembed backup restoreBackup
  export import importFrom status doctor history diff guide settle beginSession endSession shouldDream close`.split(
    /\s+/,
  ),
)

/** Ids made by chance: in a play they are counted, and begin so. */
export const MADE = /f00d[0-9a-f]{12}/g
const RANDOM = /^f00d[0-9a-f]{12}$/
/** Numbers of entries of the log. */
const ENTRY = /^(?:recallId|operationId)$/

/** Levels of a value that are looked at; hostile ones have thousands. */
const DEPTH = 30

/** Ids in their order. */
export function countedIds() {
  let count = 0
  return {
    random: () => `f00d${(++count).toString(16).padStart(12, '0')}`,
    sha256: (text: string) => createHash('sha256').update(text).digest('hex'),
  }
}

/** Returns the ids of an answer that are not made from contents, each with its path. */
export function idsIn(value: unknown, path: readonly string[] = []): Map<string, string> {
  const found = new Map<string, string>()
  if (typeof value !== 'object' || value === null || path.length > DEPTH) return found
  for (const [key, each] of Object.entries(value)) {
    const at = [...path, key]
    const name = each === undefined || each === null ? undefined : idName(each, key)
    const inside = name === undefined ? idsIn(each, at) : [[name, at.join('.')] as const]
    for (const [id, place] of inside) if (!found.has(id)) found.set(id, place)
  }
  return found
}

/** Returns a value of plain lists and objects with each of its strings and entry numbers replaced by `change`. */
export function changed(
  value: unknown,
  change: (value: unknown, key: string) => unknown,
  key = '',
  depth = 0,
): unknown {
  if (typeof value !== 'object' || value === null) return change(value, key)
  if (depth > DEPTH) return value
  if (Array.isArray(value)) return value.map((each) => changed(each, change, key, depth + 1))
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  const entries = Object.entries(value).map(([name, each]) => [name, changed(each, change, name, depth + 1)])
  return Object.fromEntries(entries)
}

/** Returns the name that an id, or the number of an entry of the log, has in `Made.ids`; undefined for other values. */
export function idName(value: unknown, key: string): string | undefined {
  if (ENTRY.test(key)) return `#${value}`
  return typeof value === 'string' && RANDOM.test(value) ? value : undefined
}
