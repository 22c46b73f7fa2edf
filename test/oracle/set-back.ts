import { isDeepStrictEqual } from 'node:util'
import { ElfmemError } from '../../src/errors.ts'

/** A value of the state as plain fields. */
export type Fields = Readonly<Record<string, unknown>>

/** Fields that change by use, which is nobody's doing. */
export interface Loose {
  readonly count?: string
  readonly clock?: string
}

/** A value before an undoable write, after it, and now; absent where there was none. */
interface Times {
  readonly was: Fields | undefined
  readonly is: Fields | undefined
  readonly now: Fields | undefined
}

/** What a value is once taken back, `undefined` for none; `conflict` when something else changed it. */
export function setBack({ was, is, now }: Times, loose: Loose): Fields | undefined | 'conflict' {
  if (was === undefined || is === undefined)
    return isDeepStrictEqual(sense(now, loose), sense(is, loose)) ? was : 'conflict'
  if (now === undefined) return 'conflict'
  const result: Record<string, unknown> = { ...now }
  for (const field of new Set([...Object.keys(was), ...Object.keys(is)])) {
    if (isDeepStrictEqual(was[field], is[field])) continue
    const value = fieldBack(field, { was, is, now }, loose)
    if (value === 'conflict') return 'conflict'
    if (value.is === undefined) delete result[field]
    else result[field] = value.is
  }
  return result
}

/** A count keeps what use added since, a clock that moved on stays. */
function fieldBack(
  field: string,
  { was, is, now }: Readonly<Record<'was' | 'is' | 'now', Fields>>,
  { count, clock }: Loose,
): { readonly is: unknown } | 'conflict' {
  if (field === count) return { is: Math.max(0, Number(was[field]) + Number(now[field]) - Number(is[field])) }
  if (isDeepStrictEqual(now[field], is[field])) return { is: was[field] }
  return field === clock ? { is: now[field] } : 'conflict'
}

/** What counts as the same value, use apart. */
function sense(value: Fields | undefined, { count, clock }: Loose): unknown {
  return (
    value && Object.fromEntries(Object.entries(value).filter(([field]) => field !== count && field !== clock))
  )
}

export function conflict(blockIds: readonly string[], changedBy?: number): ElfmemError {
  return new ElfmemError('CONFLICT', 'What this changed was changed again since.', {
    recovery: 'Undo what came later first; history shows it.',
    details: { blockIds, ...(changedBy === undefined ? {} : { changedBy }) },
  })
}
