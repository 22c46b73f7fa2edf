import { ElfmemError } from '../../errors.ts'
import { codePointLength } from '../text/text.ts'
import { trimWhitespace } from '../text/whitespace.ts'
import { isConstitutional, isIdentityTag } from './tags.ts'

/** The category of a block whose caller named none. */
export const DEFAULT_CATEGORY = 'knowledge'

/** Longest category, in code points. */
const CATEGORY_LENGTH_MAX = 128

const SHAPE = /^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/
const NOT_RESCORED: ReadonlySet<string> = new Set(['message', 'mind', 'decision', 'prediction'])
const PROJECT: ReadonlySet<string> = new Set(['decision', 'mind'])
const PASSING: ReadonlySet<string> = new Set(['observation', 'message', 'task', 'attention'])

/** How long what a block says is likely to hold: who the agent is, the work at hand, or the state of a moment. */
export type VolatilityClass = 'identity' | 'project' | 'status'

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

/** Whether dream leaves the category out of duplicate checks: a message is an event, and the same words may come twice. */
export function skipsDuplicateCheck(category: string): boolean {
  return category === 'message'
}

/** Whether a later pass of the model may judge blocks of this category again (Python elfmem). */
export function isRescorable(category: string): boolean {
  return !NOT_RESCORED.has(category)
}

/** The volatility class of a block, first match: constitution, other identity or lasting work, passing state (Python elfmem). */
export function volatilityClass(tags: readonly string[], category: string): VolatilityClass {
  if (isConstitutional(tags)) return 'identity'
  if (tags.some(isIdentityTag) || PROJECT.has(category)) return 'project'
  return PASSING.has(category) ? 'status' : 'project'
}
