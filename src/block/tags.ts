import { ElfmemError } from '../errors.ts'
import { codePointLength, splitWhitespace } from './text.ts'

/** Longest tag, in code points. */
const TAG_LENGTH_MAX = 128

/** Tags that a block has at most; more describe nothing. */
export const TAGS_MOST = 32

/** The tag of a core invariant: permanent, guaranteed in the self frame, given only by an explicit trusted act. */
export const CONSTITUTIONAL_TAG = 'self/constitutional'

/** The identity tags an analysis may speak of; the first is granted by nobody's analysis, the goal by the host's alone. */
export const MODEL_TAGS = [
  CONSTITUTIONAL_TAG,
  'self/constraint',
  'self/value',
  'self/style',
  'self/goal',
  'self/context',
] as const

/**
 * The one spelling of a tag: ends trimmed, lower case, white space inside collapsed to one space.
 * Throws `INVALID_INPUT` when nothing is left or more than 128 code points are.
 */
export function normaliseTag(tag: string): string {
  const normalised = spelled(tag)
  if (normalised !== '' && codePointLength(normalised) <= TAG_LENGTH_MAX) return normalised
  throw new ElfmemError('INVALID_INPUT', `A tag has 1 to ${TAG_LENGTH_MAX} characters.`, {
    recovery: 'Shorten the tag, or put the long text into the content.',
    details: { length: codePointLength(normalised) },
  })
}

/** Tags in their one spelling, unique and sorted by code unit, as a block keeps them. */
export function normaliseTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map(normaliseTag))].sort()
}

/** Returns the part before a tag's first `/`; undefined for a tag without one. */
export function tagNamespace(tag: string): string | undefined {
  const slash = tag.indexOf('/')
  return slash > 0 ? tag.slice(0, slash) : undefined
}

/** True if a normalised tag fits a pattern: literal, or a prefix when the pattern ends with `*`. Nothing else is special. */
export function matchesTag(pattern: string, tag: string): boolean {
  return pattern.endsWith('*') ? tag.startsWith(pattern.slice(0, -1)) : tag === pattern
}

/** True if a normalised tag says who the agent is (`self/…`). */
export function isIdentityTag(tag: string): boolean {
  return tagNamespace(tag) === 'self'
}

/** True if a normalised tag needs a trusted source: `self/constitutional` and everything under `peer/` (W5). */
export function isProtectedTag(tag: string): boolean {
  return tag === CONSTITUTIONAL_TAG || tagNamespace(tag) === 'peer'
}

/** True if any of a block's tags is `self/constitutional`. */
export function isConstitutional(tags: readonly string[]): boolean {
  return tags.includes(CONSTITUTIONAL_TAG)
}

/** True if a model may grant a normalised tag: it says neither what the agent is bound to nor what it is to want. */
export function grantableByModel(tag: string): boolean {
  return !isProtectedTag(tag) && tag !== 'self/goal'
}

/**
 * Parts the tags of an analysis: those of `MODEL_TAGS` that are not protected, normalised and unique, and as they were given
 * the others, which are refused. Never throws.
 */
export function grantableTags(tags: readonly string[]): {
  readonly accepted: readonly string[]
  readonly refused: readonly string[]
} {
  const known: readonly string[] = MODEL_TAGS
  const mayGrant = (tag: string) => known.includes(spelled(tag)) && !isProtectedTag(spelled(tag))
  return {
    accepted: [...new Set(tags.filter(mayGrant).map(spelled))],
    refused: tags.filter((tag) => !mayGrant(tag)),
  }
}

function spelled(tag: string): string {
  return splitWhitespace(tag).join(' ').toLowerCase()
}
