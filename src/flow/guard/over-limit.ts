import { ElfmemError } from '../../errors.ts'

/** One limit that was exceeded, and the setting it comes from. */
interface OverLimit {
  /** The argument, or what else was counted; as the caller wrote it. */
  readonly what: string
  readonly found: number
  readonly limit: number
  /** `bytes`, `items`, `tags`. */
  readonly unit: string
  /** As configuration spells it: `limits.query_bytes`. */
  readonly setting: string
  readonly recovery: string
}

/** The one refusal of what is too long, too many or too much: says the limit, what was found and the setting's name. */
export function overLimit({ what, found, limit, unit, setting, recovery }: OverLimit): ElfmemError {
  const message = `${what} has ${found} ${unit}; at most ${limit} are taken (${setting}).`
  return new ElfmemError('LIMIT_EXCEEDED', message, {
    recovery,
    details: { arguments: [what], found, limit, unit, setting },
  })
}
