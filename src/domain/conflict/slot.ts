/** Two statements that answer one question about as well, as far as words and vectors tell; what costs is asked last. */
export interface SlotPair {
  /** Cosine of the two, −1..1. */
  readonly cosine: number
  /** The newer says that something changed. */
  readonly tellsChange: () => boolean
  /** The older tells what happened, which may happen again, and no state. */
  readonly tellsEvent: () => boolean
  /** Words of the question that the older and the newer have; names, numbers and options with a quotation mark before them. */
  readonly olderNamed: () => readonly string[]
  readonly newerNamed: () => readonly string[]
  /** All comparable words of each, in order. */
  readonly olderWords: readonly string[]
  readonly newerWords: readonly string[]
}

export interface SlotOptions {
  /** Cosine from which two statements read alike. */
  readonly alikeCosine: number
  /** Cosine from which one that tells of change is about the same. */
  readonly changedCosine: number
}

/**
 * True if the newer of two statements is a later word about what the question asks (rule B of the study of updates, with
 * a look at what the question tells apart): they are near, and the newer tells of change, or both tell of a state and begin
 * alike and end in another value, or read alike and speak of the same thing first.
 */
export function isLaterInSlot(pair: SlotPair, { alikeCosine, changedCosine }: SlotOptions): boolean {
  const { cosine, olderWords, newerWords } = pair
  if (cosine < changedCosine) return false
  const isAlike = olderWords[0] === newerWords[0] && cosine >= alikeCosine
  const hasAnother = (isAlike || hasOtherValue(pair)) && !pair.tellsEvent()
  return (hasAnother || (isOfOneFact(pair) && pair.tellsChange())) && !isToldApart(pair)
}

/** Most comparable words of a statement of one fact; a longer one tells of many, and of all that one or another changes. */
export const FACT_MOST = 16
/** Least share of the older statement's words in the newer. */
const SHARED_LEAST = 0.25

function isOfOneFact({ olderWords, newerWords }: SlotPair): boolean {
  const shared = olderWords.filter((word) => newerWords.includes(word)).length
  const longest = Math.max(olderWords.length, newerWords.length)
  return longest <= FACT_MOST && shared >= SHARED_LEAST * olderWords.length
}

/**
 * True if the question names something that only the older has: a name, number or option, or a word in whose place the newer
 * has another before the same noun, which is asked for, too: "the staging server" and "the production server".
 */
function isToldApart({ olderNamed, newerNamed, newerWords, olderWords }: SlotPair): boolean {
  const shared = newerNamed()
  const own = olderNamed().filter((word) => !shared.includes(word))
  return own.some((word) => {
    if (word.startsWith('"') || /\p{N}/u.test(word)) return true
    const next = olderWords[olderWords.indexOf(word) + 1] ?? ''
    if (!olderWords.includes(word) || !shared.includes(next)) return false
    return newerWords.some((other, at) => newerWords[at + 1] === next && !olderWords.includes(other))
  })
}

/** Comparable words that two statements begin with when they speak of the same property of the same thing. */
const SAME_LEAST = 2
/** Most words of a newer value with its reason. */
const TOLD_MOST = 8

/** True for "Backups are hosted in the Dublin region" after "… the Frankfurt region": the value is shorter than what is the same before it. */
function hasOtherValue({ olderWords, newerWords }: SlotPair): boolean {
  const before = olderWords.findIndex((word, at) => word !== newerWords[at])
  if (before < SAME_LEAST) return false
  const rest = olderWords.slice(before)
  const told = newerWords.slice(before)
  const after = rest.toReversed().findIndex((word, at) => word !== told.at(-1 - at))
  return after >= 0 && rest.length - after < before && told.length >= 1 && told.length <= TOLD_MOST
}
