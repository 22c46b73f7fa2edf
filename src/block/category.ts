import { ElfmemError } from '../errors.ts'
import { codePointLength, trimWhitespace } from './text.ts'

/** The category of a block whose caller named none. */
export const DEFAULT_CATEGORY = 'knowledge'

/** Longest category, in code points. */
const CATEGORY_LENGTH_MAX = 128

const SHAPE = /^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/

/**
 * The one spelling of a category: trimmed, lower case, words of `a-z 0-9 . _ -` joined by `/`, 128 code points at most.
 * Throws `INVALID_INPUT` otherwise.
 */
export function normaliseCategory(category: string): string {
  const normalised = trimWhitespace(category).toLowerCase()
  if (SHAPE.test(normalised) && codePointLength(normalised) <= CATEGORY_LENGTH_MAX) return normalised
  throw new ElfmemError(
    'INVALID_INPUT',
    'A category is a short lower-case word such as "decision" or "work/notes".',
    {
      recovery: `Use letters, digits, ".", "_", "-" and "/", at most ${CATEGORY_LENGTH_MAX}; say more with tags.`,
    },
  )
}
