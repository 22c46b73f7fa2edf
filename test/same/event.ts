import { createHash } from 'node:crypto'

/** A call on a memory, numbered in its file. The input is a list of arguments, packed by `v8.serialize`. */
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
interface Made {
  readonly of: number
  readonly ids: Readonly<Record<string, string>>
}

export type Event = Call | Made

/** An id made by chance: while calls are recorded or played they are counted, and begin so. */
export const MADE = 'f00d[0-9a-f]{12}'
const MADE_ALONE = new RegExp(`^${MADE}$`)
/** Names of fields that hold the number of an entry of the log. */
const ENTRY = /^(?:recallId|operationId)$/
/** Levels of a value that are looked at; hostile ones have thousands. */
const DEPTH = 30

/** Makes ids in their order. */
export function countedIds() {
  let count = 0
  return {
    random: () => `f00d${(++count).toString(16).padStart(12, '0')}`,
    sha256: (text: string) => createHash('sha256').update(text).digest('hex'),
  }
}

/** Returns the name that an id or the number of an entry has in `Made.ids`; undefined for other values. */
export function idName(value: unknown, field = ''): string | undefined {
  if (ENTRY.test(field) && value) return `#${value}`
  return typeof value === 'string' && MADE_ALONE.test(value) ? value : undefined
}

type Change = (value: unknown, path: readonly string[]) => unknown

/** Returns a value with what stands in its lists and plain objects replaced by `change`. */
export function changed(value: unknown, change: Change, path: readonly string[] = []): unknown {
  if (typeof value !== 'object' || value === null) return change(value, path)
  const inside = (each: unknown, key: string | number) => changed(each, change, [...path, String(key)])
  if (path.length > DEPTH) return value
  if (Array.isArray(value)) return value.map(inside)
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inside(each, key)]))
}
