import type { View } from '../../ports/store/description.ts'
import type { Cell, Cells, Key } from '../../ports/store/rows.ts'
import type { Plan } from './statements.ts'

/** Each value once. */
export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}

/** Each key once. */
export function uniqueKeys(keys: readonly Key[]): Key[] {
  return [...new Map(keys.map((each) => [each.join('\n'), each])).values()]
}

/** The key of a row. */
export function key({ keyPlaces }: Plan, cells: Cells): Key {
  return keyPlaces.map((place) => cells[place] as string | number)
}

/** The same as one value, for maps. */
export function keyOf(plan: Plan, cells: Cells): string | number {
  const { keyPlaces } = plan
  return keyPlaces.length === 1
    ? (cells[keyPlaces[0] as number] as string | number)
    : key(plan, cells).join('\n')
}

/** Places of the values that differ. */
export function movedPlaces(was: Cells, is: Cells): number[] {
  const moved: number[] = []
  for (let place = 0; place < is.length; place++) if (!isSame(was[place], is[place])) moved.push(place)
  return moved
}

function isSame(one: Cell | undefined, other: Cell | undefined): boolean {
  if (one === other) return true
  return one instanceof Uint8Array && other instanceof Uint8Array && Buffer.compare(one, other) === 0
}

/**
 * Returns rows in the order of the key, each once: two ends may find the same one. If a view lacks the key, the
 * unique properties replace it.
 */
export function inKeyOrder({ table, properties }: View, rows: readonly Cells[]): readonly Cells[] {
  if (rows.length < 2) return rows
  const hasKey = table.key.every((property) => properties.includes(property))
  const by = hasKey ? table.key : (table.unique ?? table.key)
  const places = by.map((property) => properties.indexOf(property))
  const byKey = new Map(rows.map((cells) => [places.map((place) => cells[place]).join('\n'), cells]))
  return [...byKey.values()].sort((one, other) => {
    const place = places.find((each) => one[each] !== other[each])
    if (place === undefined) return 0
    return isBefore(one[place] as Cell, other[place] as Cell) ? -1 : 1
  })
}

/** Texts in the order of their UTF-8 bytes, which is SQLite's. */
function isBefore(one: Cell, other: Cell): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return Number(one) < Number(other)
  const shorter = Math.min(one.length, other.length)
  for (let at = 0; at < shorter; at++) {
    const [unit, another] = [one.charCodeAt(at), other.charCodeAt(at)]
    if (unit !== another) return rankOf(unit) < rankOf(another)
  }
  return one.length < other.length
}

/** Halves of a pair stand for characters behind all others. */
function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
