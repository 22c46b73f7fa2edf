import { piecesOf } from '../shared/pieces.ts'

/** The path of a whole value. */
export const WHOLE_VALUE = '$'
/** Levels that are looked into; a value with more is refused by the store. */
const DEPTH_MAX = 100
/** Texts of one item, each a block. */
const TEXTS_MAX = 64

/**
 * The texts that a value is found by: one for each place that a path leads to. A path names fields (`a.b`), elements of lists (`[0]`,
 * `[-1]`, `[*]`), all fields (`*`) or several (`{a,b.c}`); `$` is the whole value. A list or an object is all strings in it, a line each.
 */
export function textsAt(value: unknown, paths: readonly string[]): string[] {
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
