import { ElfmemError } from '../../errors.ts'

type Rewrite = (text: string) => string

/** Returns an answer of JSON, or a failure, with each of its texts rewritten; it is the same object if nothing changes. */
export function rewritten(told: unknown, rewrite: Rewrite): unknown {
  if (typeof told === 'string') return rewrite(told)
  if (typeof told !== 'object' || told === null) return told
  if (ElfmemError.is(told)) return failure(told, rewrite)
  const changed = Object.entries(told).flatMap(([key, part]) => {
    const other = rewritten(part, rewrite)
    return other === part ? [] : [[key, other] as const]
  })
  if (changed.length === 0) return told
  // Hidden properties of an answer stay.
  const copy = Object.defineProperties(Array.isArray(told) ? [] : {}, Object.getOwnPropertyDescriptors(told))
  return Object.assign(copy, Object.fromEntries(changed))
}

function failure(cause: ElfmemError, rewrite: Rewrite): ElfmemError {
  const { code, message, recovery, details } = cause
  const more = { recovery: rewrite(recovery), details: rewritten(details, rewrite), cause }
  return new ElfmemError(code, rewrite(message), more as never)
}
