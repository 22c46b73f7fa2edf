import changes from './changes.json' with { type: 'json' }
import { Phrases } from './phrases.ts'
import { isUnspaced, wordsOf } from './words.ts'

/** A language's words about what changes; phrases are separated by bars, in lower case, accents as written; dots stand for a few words. */
export interface ChangeWords {
  /** A question with one of them asks what held before. */
  readonly past: string
  /** So does a question with one of these beside a word of `was`. */
  readonly pastIfWas: string
  readonly was: string
  /** Ends of verbs that are words of `was`, too. */
  readonly wasEnds: string
  /** A question that ends with one of them asks what held before, unless it has one of `notPast`. */
  readonly pastAtEnd: string
  readonly notPast: string
  /** Behind a word of `pastIfWas` these say a time of day: "before lunch". */
  readonly notBefore: string
  /** A question with one of them asks what held at first. */
  readonly first: string
  /** So does a question with one of these beside a word of `was`; else the thing is called so: "the old mill". */
  readonly ofThing?: string
  /** Words of `past` and `first` that say something else in these: "is used to open". */
  readonly other: string
}

/** A period from one time to just before another, in milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

/** Which version of a fact a question wants: the one before the newest, the first, or the one of a time. */
export type PastAsked = 'before' | 'first' | TimeSpan

/** The rules of a language about what changes, made when they are first asked for. Cost: one look a word. */
export function changeRules(data: ChangeWords): {
  /** Returns which part of the past the words of a question ask for, if any. */
  asksPast(question: string): 'before' | 'first' | undefined
} {
  let made: ReturnType<typeof make> | undefined
  const make = () => ({
    past: new Phrases(data.past),
    pastIfWas: new Phrases(data.pastIfWas),
    first: new Phrases(data.first),
    ofThing: data.ofThing === undefined ? undefined : new Phrases(data.ofThing),
    other: new Phrases(data.other),
    atEnd: data.pastAtEnd.split('|').map(wordsOf),
    was: new Set(wordsOf(data.was)),
    wasEnds: wordsOf(data.wasEnds),
    notPast: new Set(wordsOf(data.notPast)),
    notBefore: new Set(wordsOf(data.notBefore)),
  })
  const rules = () => (made ??= make())
  /** True for "What was it before?" and "… before the move", and not for "What did we eat before lunch?". */
  const tellsWas = (words: readonly string[]) => {
    const { pastIfWas, ofThing, was, wasEnds, notBefore } = rules()
    const isWas = (word: string) => was.has(word) || wasEnds.some((end) => word.endsWith(end))
    if (!words.some(isWas)) return false
    if (ofThing?.standIn(words)) return true
    return pastIfWas.placesIn(words).some((place) => !notBefore.has(words[place + 1] ?? ''))
  }
  /** True for "Who guarded the gate before?" and not for "Must I be there before?". */
  const endsInPast = (words: readonly string[]) => {
    const { atEnd, notPast } = rules()
    const endsWith = (phrase: readonly string[]) =>
      phrase.length < words.length &&
      phrase.every((word, i) => words[words.length - phrase.length + i] === word)
    return atEnd.some(endsWith) && !words.some((word) => notPast.has(word))
  }
  return {
    asksPast: (question) => {
      const words = wordsOf(question)
      const { first, past, other } = rules()
      const others = new Set(other.placesIn(words))
      const holds = (phrases: Phrases) => phrases.placesIn(words).some((place) => !others.has(place))
      if (holds(first)) return 'first'
      const isPast = holds(past) || tellsWas(words) || endsInPast(words)
      return isPast ? 'before' : undefined
    },
  }
}

/** Returns which part of the past a question asks for in a script without spaces; undefined if none. */
export function pastInUnspaced(question: string): 'before' | 'first' | undefined {
  const { past, first, notPast } = changes.unspaced
  const holdsOneOf = (list: string) => list.split(' ').some((word) => question.includes(word))
  if (!isUnspaced(question) || holdsOneOf(notPast)) return undefined
  if (holdsOneOf(first)) return 'first'
  return holdsOneOf(past) ? 'before' : undefined
}
