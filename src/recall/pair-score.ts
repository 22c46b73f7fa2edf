import type { Analysis } from '../language/question.ts'
import weights from './pair-weights.json' with { type: 'json' }

/**
 * The pair score tells how likely the newer of two notes is a later word about the same fact as the older, as far as a question asks for
 * it. Two small nets read features of the pair and of the question, and their outputs are averaged; `npm run fit:versions` makes the
 * weights. The score uses no list of words and no grammar, so it reads all languages that have words and stems.
 */

/** A pair text is a text in the form in which the score compares it with others. */
export interface PairText {
  /** Each index term of the text once. */
  readonly terms: readonly string[]
  /** The words in lower case, in order. */
  readonly words: readonly string[]
  /** Words with a digit. */
  readonly numbers: ReadonlySet<string>
  /** Words with a capital inside a sentence. */
  readonly names: ReadonlySet<string>
}

/** A note that is compared with others. */
interface PairNote {
  readonly text: PairText
  /** Place in time among the compared notes; larger is later. */
  readonly at: number
  /** Rank of the note's match as a share of the best match, 0..1; 0 without a question. */
  readonly rank: number
  /** Cosine of note and question, -1..1; NaN if one of them has no vector. */
  readonly asked: number
}

export interface Compared {
  readonly notes: readonly PairNote[]
  readonly question?: PairText
  /** Cosine of two notes by their places in `notes`, -1..1; undefined if one has no vector, so that their words are compared. */
  readonly cosine?: (one: number, other: number) => number | undefined
  /** Inverse document frequency of a term. */
  readonly idf: (term: string) => number
  /** Number of blocks of the corpus. */
  readonly size: number
}

/** Longest text in UTF-16 units that is compared; longer texts say many things. */
export const PAIR_TEXT_MOST = 2_000

const WORD = /[\p{L}\p{N}]+(?:[.'’:\-/_@,][\p{L}\p{N}]+)*/gu
const SENTENCE_END = /[.!?:“"]\s*$/
const CAPITAL = /^\p{Lu}/u
const DIGIT = /\p{N}/u

const NO_WORDS: ReadonlySet<string> = new Set()

/** Reads a text for the score; `terms` returns the index terms of a text. Makes one pass over the text. */
export function pairText(text: string, terms: (text: string) => readonly string[]): PairText {
  const words: string[] = []
  const names = new Set<string>()
  let end = 0
  for (const { 0: raw, index } of text.matchAll(WORD)) {
    const word = raw.toLowerCase()
    const isInside = words.length > 0 && word !== raw && CAPITAL.test(raw)
    if (isInside && !SENTENCE_END.test(text.slice(end, index))) names.add(word)
    words.push(word)
    end = index + raw.length
  }
  return {
    terms: [...new Set(terms(text))],
    words,
    numbers: DIGIT.test(text) ? new Set(words.filter((word) => DIGIT.test(word))) : NO_WORDS,
    names,
  }
}

const TEXTS = new WeakMap<Analysis, Map<string, PairText>>()

/** Returns a text as the score reads it. The last 1,024 are kept, since reading ten texts takes some 0.5 ms of a recall. */
export function textOf(analysis: Analysis, content: string): PairText {
  const kept = TEXTS.get(analysis) ?? new Map<string, PairText>()
  TEXTS.set(analysis, kept)
  const known = kept.get(content)
  if (known !== undefined) return known
  if (kept.size >= 1_024) kept.clear()
  const text = pairText(content, analysis.language.terms)
  kept.set(content, text)
  return text
}

/**
 * Returns a function that scores two notes of a comparison by their places, the older first: 0 is an even chance on the fitted data,
 * -Infinity means that they are too far apart. It reads the terms of each text once, and some of them again for each pair.
 */
export function pairScorer(compared: Compared, model: PairModel = weights) {
  const features = pairFeatures(compared)
  return (older: number, newer: number): number => {
    const found = features(older, newer)
    return found === undefined ? Number.NEGATIVE_INFINITY : judge(found, model)
  }
}

/** Least similarity of two notes that are compared: at least one of these limits must be reached. */
const FAR = { cosine: 0.15, shared: 0.1 }

/** The features of a missing question stand at their means; the last feature says that it is missing. */
const UNASKED = [...Array<number>(22).fill(Number.NaN), -1]

/** Returns a function that gives the features of two notes by their places; undefined for notes too far apart. */
export function pairFeatures(
  compared: Compared,
): (older: number, newer: number) => readonly number[] | undefined {
  const { notes, question, size, idf } = compared
  const terms = notes.map(({ text }) => weighed(text, idf))
  const asked = question && weighed(question, idf)
  return (at, later) => {
    const [older, newer] = [notes[at] as PairNote, notes[later] as PairNote]
    const [own, other] = [terms[at] as Weighed, terms[later] as Weighed]
    const isShared = (term: string) => own.idf.has(term) && other.idf.has(term)
    const isAsked = (term: string) => asked?.idf.has(term) === true
    const shared = partOf(own, isShared)
    const olderShared = shared.sum / own.sum
    const newerShared = shared.sum / other.sum
    const cosine = compared.cosine?.(at, later) ?? wordCosine(olderShared, newerShared)
    if (!(cosine >= FAR.cosine) && olderShared < FAR.shared) return undefined
    const span = spanOf(older.text, newer.text)
    const near = nearness(compared, at, later)
    const pair: number[] = Object.values({
      cosine,
      olderShared,
      newerShared,
      oneSpan: Number(span.isOne),
      spanNumber: Number(span.isNumber),
      spanName: Number(span.isName),
      spanSameKind: Number(span.isSameKind),
      spanOtherKind: Number(span.isOne && !span.isSameKind),
      numbersDiffer: Number(differ(older.text.numbers, newer.text.numbers)),
      samePrefix: span.prefix,
      sameSuffix: span.suffix,
      lengthRatio: Math.log((1 + newer.text.words.length) / (1 + older.text.words.length)),
      rarestShared: shared.rarest / Math.log(1 + size),
      asNear: near.share,
      nearest: near.isNearest,
      newTerms: Math.log(1 + other.idf.size - shared.number),
      lostTerms: Math.log(1 + own.idf.size - shared.number),
    })
    if (question === undefined || asked === undefined) return pair.concat(UNASKED)
    const inOlder = partOf(own, isAsked)
    const inNewer = partOf(other, isAsked)
    const onlyOlder = partOf(own, (term) => isAsked(term) && !isShared(term))
    const onlyNewer = partOf(other, (term) => isAsked(term) && !isShared(term))
    const unasked = partOf(own, (term) => isShared(term) && !isAsked(term))
    const misses = onlyOlder.number > 0
    return pair.concat(
      Object.values({
        askedOlderCosine: older.asked,
        askedNewerCosine: newer.asked,
        askedInOlder: inOlder.sum / asked.sum,
        askedInNewer: inNewer.sum / asked.sum,
        askedOnlyOlder: onlyOlder.sum / asked.sum,
        askedOnlyNewer: onlyNewer.sum / asked.sum,
        askedShared: (inOlder.sum - onlyOlder.sum) / asked.sum,
        namesOnlyOlder: namesOnlyIn(older.text, newer.text, question),
        namesOnlyNewer: namesOnlyIn(newer.text, older.text, question),
        rankDifference: newer.rank - older.rank,
        rankOlder: older.rank,
        rankNewer: newer.rank,
        residualCosine: residualCosine(cosine, older.asked, newer.asked),
        unaskedKept: unasked.sum / Math.max(1e-6, partOf(own, (term) => !isAsked(term)).sum),
        unaskedShared: Math.min(1, unasked.number / 3),
        newerMissesAsked: Number(misses && asked.idf.size > inNewer.number),
        askedOnlyOlderNear: (onlyOlder.sum / asked.sum) * cosine,
        spanUnasked: Number(span.isOne && !misses),
        sameKindUnasked: Number(span.isSameKind && !misses),
        olderLength: Math.log(1 + older.text.words.length),
        olderAsked: inOlder.sum / own.sum,
        newerAsked: inNewer.sum / other.sum,
        isAsked: 1,
      }),
    )
  }
}

/**
 * Estimates the cosine of two short texts by the share of idf that each has in common with the other. The line was fitted by least squares
 * to notes of the bench.
 */
function wordCosine(olderShared: number, newerShared: number): number {
  return Math.min(1, 0.06 + 1.2 * Math.sqrt(olderShared * newerShared))
}

/** The idf of each term of a text, and their sum, which is never 0. */
interface Weighed {
  readonly idf: ReadonlyMap<string, number>
  readonly sum: number
}

function weighed({ terms }: PairText, idf: Compared['idf']): Weighed {
  const weights = new Map(terms.map((term) => [term, idf(term)]))
  return { idf: weights, sum: Math.max(1e-6, partOf({ idf: weights }, () => true).sum) }
}

/** Returns the sum, the number and the largest idf of some terms of a text. */
function partOf({ idf }: Pick<Weighed, 'idf'>, isPart: (term: string) => boolean) {
  let [sum, number, rarest] = [0, 0, 0]
  for (const [term, weight] of idf) {
    if (!isPart(term)) continue
    sum += weight
    number++
    rarest = Math.max(rarest, weight)
  }
  return { sum, number, rarest }
}

/** Returns true if each of two sets has a member that the other lacks. */
function differ(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return [...one].some((each) => !other.has(each)) && [...other].some((each) => !one.has(each))
}

/**
 * Returns the part in which two texts differ: `isOne` if it is one place of at most three words, and whether both texts have a number, a
 * name or words of one kind there. `prefix` and `suffix` are the equal words at the beginning and the end, as shares of the older text.
 */
function spanOf(older: PairText, newer: PairText) {
  const [a, b] = [older.words, newer.words]
  const shorter = Math.min(a.length, b.length)
  let prefix = 0
  while (prefix < shorter && a[prefix] === b[prefix]) prefix++
  let suffix = 0
  while (suffix < shorter - prefix && a[a.length - 1 - suffix] === b[b.length - 1 - suffix]) suffix++
  const longer = Math.max(a.length, b.length)
  const isOne = longer - prefix - suffix <= 3 && prefix + suffix >= longer / 2
  const [own, other] = [kindOf(older, prefix, a.length - suffix), kindOf(newer, prefix, b.length - suffix)]
  return {
    isOne,
    isNumber: isOne && own.hasNumber && other.hasNumber,
    isName: isOne && own.hasName && other.hasName,
    isSameKind: isOne && own.kind === other.kind,
    prefix: prefix / Math.max(1, a.length),
    suffix: suffix / Math.max(1, a.length),
  }
}

function kindOf({ words, numbers, names }: PairText, from: number, to: number) {
  const part = words.slice(from, to)
  const [hasNumber, hasName] = [numbers, names].map((held) => part.some((word) => held.has(word)))
  const length = Math.min(2, part.length)
  return { hasNumber, hasName, kind: hasNumber ? 'number' : hasName ? 'name' : length }
}

/** Largest loss of cosine at which another note counts as near, and least gain at which it is nearer; both absorb integer rounding. */
const NEAR = { loss: 0.03, gain: 0.01 }

/** Returns the share of other notes that are as near to the older one, and `isNearest` 0 if a note of its time or later is nearer. */
function nearness({ notes, cosine }: Compared, older: number, newer: number) {
  const own = cosine?.(older, newer)
  if (cosine === undefined || own === undefined) return { share: Number.NaN, isNearest: Number.NaN }
  let near = 0
  let isNearest = 1
  for (let other = 0; other < notes.length; other++) {
    if (other === older || other === newer) continue
    const distance = cosine(other, older) ?? -1
    if (distance >= own - NEAR.loss) near++
    if (distance > own + NEAR.gain && (notes[other] as PairNote).at >= (notes[older] as PairNote).at)
      isNearest = 0
  }
  return { share: Math.min(1, near / 4), isNearest }
}

/** Returns how many names and numbers of the question one text has and the other lacks, at most 2. */
function namesOnlyIn(one: PairText, other: PairText, { names, numbers }: PairText): number {
  const isNamed = (word: string) => (names.has(word) || numbers.has(word)) && !other.words.includes(word)
  return Math.min(2, one.words.filter(isNamed).length)
}

/** Returns the partial correlation of two notes, given how near each is to the question. */
function residualCosine(cosine: number, older: number, newer: number): number {
  return (cosine - older * newer) / Math.sqrt(Math.max(1e-3, (1 - older ** 2) * (1 - newer ** 2)))
}

/** A model has the mean and scale of each feature, and nets with one hidden layer whose outputs are averaged. */
export interface PairModel {
  readonly mean: readonly number[]
  readonly scale: readonly number[]
  readonly nets: readonly {
    readonly hidden: readonly (readonly number[])[]
    readonly hiddenBias: readonly number[]
    readonly out: readonly number[]
    readonly outBias: number
  }[]
}

/** Returns the standardised inputs of a model, at most 4 deviations from their means; unknown features (NaN) stand at 0. */
export function standardised(features: readonly number[], { mean, scale }: PairModel): Float64Array {
  const inputs = new Float64Array(features.length)
  for (let i = 0; i < inputs.length; i++) {
    const value = ((features[i] as number) - (mean[i] as number)) / (scale[i] as number)
    inputs[i] = Number.isNaN(value) ? 0 : Math.max(-4, Math.min(4, value))
  }
  return inputs
}

/** Returns the logit of a model for the features of `pairFeatures`. */
function judge(features: readonly number[], model: PairModel): number {
  const inputs = standardised(features, model)
  let z = 0
  for (const { hidden, hiddenBias, out, outBias } of model.nets) {
    z += outBias
    for (const [unit, row] of hidden.entries()) {
      let sum = hiddenBias[unit] as number
      for (let i = 0; i < inputs.length; i++) sum += (inputs[i] as number) * (row[i] as number)
      z += Math.tanh(sum) * (out[unit] as number)
    }
  }
  return z / model.nets.length
}

/** A guess is a pair of notes whose newer one may be a later word about the same fact. */
export interface Guess {
  readonly older: string
  readonly newer: string
  /** The pair score; 0 is an even chance. */
  readonly z: number
  /** The newer note comes before the older; see `comesFirst`. */
  readonly isStrong: boolean
}

/** The limits of each use of the score were chosen on the sets of `npm run fit:versions`; the setting `recall.newerFirst` is another. */
export const LIMITS = {
  /** Least score at which the answer says that a note is perhaps newer, and at which a newer note that it lacks is added. */
  said: 0,
  /** Least score at which the newer of two notes that match alike comes first. */
  tie: -1,
  /** Largest difference of rank of two notes that match alike, as a share of the best. */
  tieRank: 0.02,
  /** Least cosine of two notes that match alike. */
  tieCosine: 0.6,
  /** Least cosine at which a note that was said again comes before another, whatever the score. */
  againCosine: 0.8,
  /** Largest number of notes that are added to an answer. */
  addedMost: 2,
  /** Least score that joins versions of a fact if one of them has ended, or if a question asks about the past. */
  past: -2.5,
} as const

interface Compare extends Pick<Guess, 'z'> {
  readonly cosine: number
  /** Difference of their ranks as shares of the best. */
  readonly apart: number
  /** The newer note was said before the older was last said, and again since. */
  readonly isAgain?: boolean
  /** The older note holds no more by its own dates, and the newer holds. */
  readonly hasEnded?: boolean
}

/** Returns true if the newer of two notes comes first: its score is at least `least`, or both match alike. */
export function comesFirst({ z, cosine, apart, isAgain, hasEnded }: Compare, least: number): boolean {
  if (z >= least || (isAgain && cosine >= LIMITS.againCosine) || (hasEnded && z >= LIMITS.past)) return true
  const isAlike = Math.abs(apart) <= LIMITS.tieRank && cosine >= LIMITS.tieCosine
  return isAlike && (isAgain === true || z >= LIMITS.tie)
}

/** An order of entries, and the changes that the guesses made. */
interface Arranged {
  /** Ids of the entries; more than were asked for if some were added. */
  readonly order: string[]
  /** Guesses that the answer states: `newer` is perhaps newer than `older`. */
  readonly marks: Pick<Guess, 'newer' | 'older'>[]
  /** Entries that a guess moved or added, each with the older note of the guess. */
  readonly moved: Map<string, string>
}

interface ArrangeOptions {
  /** Number of entries of the answer. */
  readonly size: number
  /** The caller set that number, so that adding an entry drops another. */
  readonly isLimit: boolean
  /** The setting `recall.newerFirst`. */
  readonly newerFirst: number
  readonly placeOf: (id: string) => number
  /** Chooses the version that a question about the past wants, from the ids of one fact, newest first. */
  readonly past?: ((newestFirst: readonly string[]) => string | undefined) | undefined
}

/**
 * Puts the newer of two notes before the older if a guess is strong, and adds likely newer notes. For a question about the past, it puts
 * the version that the question wants first instead.
 *
 * @param ranked ids in the order of the ranking, with those beyond the answer
 */
export function arrange(
  ranked: readonly string[],
  guesses: readonly Guess[],
  { size, isLimit, newerFirst: least, placeOf, past }: ArrangeOptions,
): Arranged {
  const order = ranked.slice(0, size)
  const arranged: Arranged = { order, marks: [], moved: new Map() }
  const latestFirst = (one: string, other: string) => placeOf(other) - placeOf(one)
  const strong = guesses
    .filter(({ isStrong }) => isStrong)
    .sort((one, other) => latestFirst(one.newer, other.newer))
  swap(arranged, strong, least)
  if (past === undefined) addNewer(arranged, guesses, size + (isLimit ? 0 : LIMITS.addedMost))
  else {
    const [first] = order
    const wanted = past(versionsOf(first, guesses).sort(latestFirst))
    arranged.marks.length = 0
    if (first !== undefined && wanted !== undefined && wanted !== first) put(arranged, wanted, 0, first)
  }
  return isLimit ? { ...arranged, order: order.slice(0, size) } : arranged
}

/** Puts a note directly before another one because of a guess. */
function put({ order, moved }: Arranged, id: string, before: number, older: string): void {
  const from = order.indexOf(id)
  if (from >= 0) order.splice(from, 1)
  order.splice(from >= 0 && from < before ? before - 1 : before, 0, id)
  moved.set(id, older)
}

/**
 * Puts the newest note with a strong guess before each entry. The number of moves is bounded, since three guesses may go in a circle.
 *
 * @param strong guesses sorted by their newer note, newest first, so that a middle version is not put first
 */
function swap(arranged: Arranged, strong: readonly Guess[], least: number): void {
  const { order, marks } = arranged
  const most = order.length + LIMITS.addedMost
  for (let at = 0, steps = 0; at < order.length && steps < 40; steps++) {
    const guess = strong.find(({ older }) => older === order[at])
    const from = guess === undefined ? -1 : order.indexOf(guess.newer)
    const mayCome = from < 0 && (guess?.z ?? 0) >= least && order.length < most
    if (guess === undefined || (from < at && !mayCome)) {
      at++
      continue
    }
    put(arranged, guess.newer, at, guess.older)
    if (guess.z >= least) marks.push(guess)
  }
}

/** Puts the likeliest newer note of an entry directly behind it, with a mark, if the score allows; adds it if the answer lacks it. */
function addNewer(arranged: Arranged, guesses: readonly Guess[], most: number): void {
  const { order, marks } = arranged
  for (const older of [...order]) {
    const [likeliest] = guesses.filter((guess) => guess.older === older).sort((a, b) => b.z - a.z)
    if (likeliest === undefined || marks.some((mark) => mark.older === older)) continue
    const { newer, z } = likeliest
    const [at, from] = [order.indexOf(older), order.indexOf(newer)]
    if (z < LIMITS.said || (order.length >= most && from < 0)) continue
    marks.push(likeliest)
    if (from < 0 || from > at + 1) put(arranged, newer, at + 1, older)
  }
}

/** Returns the id of a note and the ids that likely guesses join to it, directly or through others. */
function versionsOf(id: string | undefined, guesses: readonly Guess[]): string[] {
  const found = new Set(id === undefined ? [] : [id])
  const likely = guesses.filter(({ z }) => z >= LIMITS.past)
  // The loop also visits the members that it adds to the set.
  for (const each of found)
    for (const { older, newer } of likely) if (older === each || newer === each) found.add(older).add(newer)
  return [...found]
}
