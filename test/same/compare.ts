/** A kind of difference: the operation, the path of the field and how it differs. */
export interface Difference {
  readonly kind: string
  readonly before?: unknown
  readonly after?: unknown
}

type Values = Readonly<Record<string, unknown>>

/** Sums in another order differ in their last digits. */
const NEAR = 1e-9
/** Names of the field that tells the elements of a list apart. */
const KEYS = ['blockId', 'id', 'other', 'name', 'operationId']
/** A name of a field that is an id. */
const ID = /^(?:[0-9a-f]{8,}|\d+)$/

/** Returns the differences between two answers, field by field; kinds begin with the operation. */
export function differencesBetween(op: string, before: unknown, after: unknown): Difference[] {
  const [was, is] = [codeOf(before), codeOf(after)]
  if (was !== is) return [{ kind: `${op} code ${was} → ${is}`, before, after }]
  return compare(op, before, after)
}

function codeOf(answer: unknown): string {
  const { error } = Object(answer) as { error?: { code?: string } }
  return error?.code ?? 'answer'
}

function compare(path: string, before: unknown, after: unknown): Difference[] {
  if (isSame(before, after)) return []
  if (before === undefined || before === null) return [{ kind: `${path} added`, after }]
  if (after === undefined || after === null) return [{ kind: `${path} missing`, before }]
  if (Array.isArray(before) && Array.isArray(after)) return compareLists(path, before, after)
  if (isValues(before) && isValues(after)) return compareValues(path, before, after)
  return [{ kind: `${path} value`, before, after }]
}

function compareValues(path: string, before: Values, after: Values): Difference[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) =>
    compare(
      `${path}${path.includes(' ') ? '.' : ' '}${ID.test(name) ? '*' : name}`,
      before[name],
      after[name],
    ),
  )
}

/** Compares elements of one key with each other, wherever they stand; without keys, elements of one place. */
function compareLists(path: string, before: readonly unknown[], after: readonly unknown[]): Difference[] {
  const [was, is] = [keyed(before), keyed(after)]
  const keys = [...was.keys()].filter((key) => is.has(key))
  const order = [...is.keys()].filter((key) => was.has(key))
  const isMoved = keys.some((key, at) => key !== order[at])
  const all = new Set([...was.keys(), ...is.keys()])
  const inside = [...all].flatMap((key) => compare(`${path}[]`, was.get(key), is.get(key)))
  return isMoved ? [{ kind: `${path} order`, before: keys, after: order }, ...inside] : inside
}

function keyed(list: readonly unknown[]): Map<string, unknown> {
  const name = KEYS.find((key) => list.every((each) => isValues(each) && each[key] !== undefined))
  const keyOf = (each: unknown, at: number) => {
    if (name !== undefined) return String((each as Values)[name])
    return typeof each === 'object' ? String(at) : String(each)
  }
  const keys = list.map(keyOf)
  const isUnique = new Set(keys).size === keys.length
  return new Map(list.map((each, at) => [isUnique ? (keys[at] as string) : String(at), each]))
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSame(before: unknown, after: unknown): boolean {
  if (typeof before === 'number' && typeof after === 'number')
    return Math.abs(before - after) <= NEAR * Math.max(1, Math.abs(before))
  return before === after
}
