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
export function isFit(value: unknown, filter: Readonly<Record<string, unknown>> | undefined): boolean {
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
