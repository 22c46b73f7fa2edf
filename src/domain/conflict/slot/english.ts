import { CONTRACTIONS } from '../../text/facts.ts'
import list from './english.json' with { type: 'json' }

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')
const set = (text: string): ReadonlySet<string> => new Set(words(text))
const phrases = (text: string): string[][] => text.split(',').map(words)

/** Words that exclude those across the bar of their line, by word. */
function opposites(lines: readonly string[]): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>()
  for (const line of lines) {
    const [left = [], right = []] = line.split('|').map(words)
    for (const word of left) all.set(word, new Set([...(all.get(word) ?? []), ...right]))
    for (const word of right) all.set(word, new Set([...(all.get(word) ?? []), ...left]))
  }
  return all
}

const NUMERALS = words(list.numerals)

/** Past verbs that regular endings do not tell; what was done once may have been done again. */
const PAST_VERBS = set(list.pastVerbs)

/** The English words by which the rules find conflicts, lower case. */
export const WORDS = {
  /** Words without meaning for a comparison. */
  fillers: set(list.fillers),
  /** Forms that mean the same word, where a stem does not say so. */
  sameWord: new Map<string, string>([
    ['has', 'have'],
    ['had', 'have'],
    ['once', '1'],
  ]),
  /** Words that stand for several, contractions and others. */
  contractions: new Map([...CONTRACTIONS, ['twice', ['2', 'times']]]),
  /** Words that turn a statement round when nothing else differs. */
  negations: set(list.negations),
  /** Words of permission and duty: "may" against "must not" is a negation. */
  modals: set(list.modals),
  /** Words that make a statement say what could be. */
  hypothetical: set(list.hypothetical),
  /** Words that begin a request. */
  requests: set(list.requests),
  /** Words for a part or for some times only, so that the opposite may hold as well. */
  partial: set(list.partial),
  /** First words that speak of one among many, so that another may be otherwise. */
  indefinite: set(list.indefinite),
  /** Words for the time of speaking: another day it may be otherwise. */
  momentary: set(list.momentary),
  /** Words that, before the name of a period, also mean the time of speaking. */
  pointing: set(list.pointing),
  stretches: set(list.stretches),
  /** Words before a measured amount: it held when somebody looked. */
  measured: set(list.measured),
  /** Words before an amount that is not exact. */
  loose: set(list.loose),
  /** Words before a number that says which one is meant, not how much. */
  numbered: set(list.numbered),
  numerals: new Map<string, number>([
    ...NUMERALS.map((word, value) => [word, value] as const),
    ['thirty', 30],
    ['forty', 40],
    ['fifty', 50],
    ['sixty', 60],
    ['hundred', 100],
  ]),
  months: set(list.months),
  weekdays: set(list.weekdays),
  /** Words before four digits that are a year. */
  yearly: set(list.yearly),
  seasons: set(list.seasons),
  isPast: (word: string): boolean =>
    PAST_VERBS.has(word) || (word.length > 4 && word.endsWith('ed') && !word.endsWith('eed')),
  /** Words said of what has only one date. */
  once: set(list.once),
  /** Each word with the words that exclude it. */
  antonyms: opposites([...list.oppositeActions, ...list.oppositeStates]),
  /** The antonyms that say what something is; before a noun they only say which one is meant, and exclude nothing. */
  states: new Set(opposites(list.oppositeStates).keys()),
  /** The prefix that turns a word into its opposite. */
  oppositePrefix: 'un',
  /** Words before a state or a participle. */
  being: set(list.being),
  /** Words between a thing and what it is. */
  copulas: set(list.copulas),
  /** The copulas that speak of one thing, as it is by now. */
  singular: set(list.singular),
  possessives: set(list.possessives),
  /** Words before a place. */
  places: set(list.places),
  /** Words that may stand between a thing and its place. */
  located: set(list.located),
  /** Words for what a thing has only one of: the default, the owner. */
  single: set(list.single),
  /** Frames and little verbs: shared ones do not make two statements be about the same. */
  light: set(list.light),
  /** Phrases before what no longer holds. */
  oldValue: phrases(list.oldValue),
  /** Words before what no longer holds, if a word of `towards` follows in the same clause. */
  origin: set(list.origin),
  /** Words of change: without one of them before it, "from" tells of no change. */
  moving: set(list.moving),
  /** Words that start another clause without a mark. */
  turns: set(list.turns),
  /** Phrases that say that something changed, without its old state. */
  change: phrases(list.change),
  /** Phrases by which the statement itself has ended. */
  ended: phrases(list.ended),
  /** Words between the old value and the new one. */
  towards: set(list.towards),
  /** Words that say that something is added and nothing replaced. */
  additive: set(list.additive),
}
