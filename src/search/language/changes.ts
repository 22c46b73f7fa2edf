import { splitWhitespace } from '../../domain/text/text.ts'
import { Phrases } from './phrases.ts'
import { wordsOf } from './words.ts'

/** A language's words about what changes; phrases are separated by bars, in lower case, accents as written; dots stand for a few words. */
export interface ChangeWords {
  /** A text with one of them may say that something is not what it was. */
  readonly change: string
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

/** The version before the one that has a name: "Who led the choir before Mara Vinn?" */
export interface BeforeNamed {
  /** The words of the name, folded. */
  readonly beforeName: readonly string[]
  /** The question up to the name, which is that of another version. */
  readonly lead: string
}

/** Which version of a fact a question wants: the one before the newest or before a name, the first, or the one of a time. */
export type PastAsked = 'before' | 'first' | BeforeNamed | TimeSpan

/** True of a question for the version before one that it names. */
export function isBeforeNamed(past: PastAsked | undefined): past is BeforeNamed {
  return typeof past === 'object' && 'beforeName' in past
}

/** Longest name behind "before", in words. */
const NAME_MOST = 4
/** A capital, or a number, which may be all of a name: "before 3.11". */
const CAPITAL = /^["'“‘«(]*[\p{Lu}\p{N}]/u

/**
 * The name that ends a question behind a phrase: all words behind it have a capital. Undefined where capitals tell nothing.
 */
function nameBehind(question: string, phrases: Phrases): BeforeNamed | undefined {
  const words = splitWhitespace(question)
  const first = words.findLastIndex((word) => !CAPITAL.test(word) && wordsOf(word).length > 0) + 1
  const beforeName = wordsOf(words.slice(first).join(' '))
  if (first === 0 || beforeName.length === 0 || beforeName.length > NAME_MOST) return undefined
  const lead = words.slice(0, first).join(' ')
  const asked = wordsOf(lead)
  return phrases.placesIn(asked).includes(asked.length - 1) ? { beforeName, lead } : undefined
}

/** The rules of a language about what changes, made when they are first asked for. Cost: one look a word. */
export function changeRules(
  data: ChangeWords,
  {
    days,
    nounsHaveCapitals = false,
  }: {
    /** Weekdays and months, which are no names. */
    readonly days: string
    /** True where a capital tells no name. */
    readonly nounsHaveCapitals?: boolean | undefined
  },
): {
  /** Returns which part of the past the words of a question ask for, if any. */
  asksPast(question: string): 'before' | 'first' | BeforeNamed | undefined
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
    days: new Set(wordsOf(days)),
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
      const named = nounsHaveCapitals ? undefined : nameBehind(question, rules().pastIfWas)
      if (named?.beforeName.every((word) => !rules().days.has(word))) return named
      const isPast = holds(past) || tellsWas(words) || endsInPast(words)
      return isPast ? 'before' : undefined
    },
  }
}
