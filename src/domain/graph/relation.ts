import { ElfmemError } from '../../errors.ts'
import { nearest } from '../text/nearest.ts'
import { codePointLength, splitWhitespace } from '../text/text.ts'

/** Longest relation, in code points. */
const RELATION_LENGTH_MAX = 64

/** Default weight of an edge by relation, 0..1 (Python elfmem). */
const RELATION_WEIGHTS: ReadonlyMap<string, number> = new Map([
  ['similar', 0.65],
  ['co_occurs', 0.55],
  ['elaborates', 0.7],
  ['supports', 0.75],
  ['contradicts', 0.6],
  ['outcome', 0.8],
  ['predicts', 0.7],
  ['validates', 0.75],
])

/** The same for words of the caller's own. */
const OTHER_WEIGHT = 0.65

/** The relations that rules make by themselves, in the order of eviction at the degree cap. */
const EVICTION_ORDER = ['similar', 'co_occurs']

/**
 * The one spelling of a relation: trimmed, lower case, white space inside collapsed to `_`.
 * Throws `INVALID_INPUT` when nothing is left or more than 64 code points are.
 */
export function normaliseRelation(relation: string): string {
  const normalised = splitWhitespace(relation).join('_').toLowerCase()
  if (normalised !== '' && codePointLength(normalised) <= RELATION_LENGTH_MAX) return normalised
  throw new ElfmemError('INVALID_INPUT', `A relation is a word of 1 to ${RELATION_LENGTH_MAX} characters.`, {
    recovery: 'Name the relation in a word, such as "supports", and put the reason into the note.',
  })
}

/** The weight of a new edge whose maker gave none (Python elfmem; spelling does not matter, W21). */
export function relationDefaultWeight(relation: string): number {
  return RELATION_WEIGHTS.get(normaliseRelation(relation)) ?? OTHER_WEIGHT
}

/** The known relation that a normalised one may be a slip of; undefined of a known one, and of a word unlike all of them. */
export function relationMeant(relation: string): string | undefined {
  return RELATION_WEIGHTS.has(relation) ? undefined : nearest(relation, [...RELATION_WEIGHTS.keys()])
}

/** Returns a relation's place in the order of eviction: 0 first, 1 next, undefined never (Python elfmem). */
export function evictionOrder(relation: string): number | undefined {
  const order = EVICTION_ORDER.indexOf(relation)
  return order < 0 ? undefined : order
}
