import weights from './pair-weights.json' with { type: 'json' }

/**
 * The pair score: how likely the newer of two notes is a later word about what the older says, as far as a question asks for it.
 * Features of the pair and of the question go into two small nets whose outputs are averaged; `npm run fit:versions` makes the
 * weights. No list of words and no grammar takes part, so that it reads all languages that have words and stems.
 */

/** A text as the score compares it with others. */
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

/** A note among those that are compared. */
interface PairNote {
  readonly text: PairText
  /** Place in time among the notes that are compared; larger is later. */
  readonly at: number
  /** Rank of its match as a share of the best match, 0..1; 0 without a question. */
  readonly rank: number
  /** Cosine to the question, -1..1; NaN where one of them has no vector. */
  readonly asked: number
}

/** The notes of one comparison, the question if there is one, and what is known of the corpus. */
export interface Compared {
  readonly notes: readonly PairNote[]
  readonly question?: PairText
  /** Cosine of two notes by their places in `notes`, -1..1; undefined where one has no vector, so that their words are compared. */
  readonly cosine?: (one: number, other: number) => number | undefined
  /** Inverse document frequency of a term. */
  readonly idf: (term: string) => number
  /** Number of blocks of the corpus. */
  readonly size: number
}

/** Longer texts say many things and are never compared, in UTF-16 units. */
export const PAIR_TEXT_MOST = 2_000

const WORD = /[\p{L}\p{N}]+(?:[.'’:\-/_@,][\p{L}\p{N}]+)*/gu
const SENTENCE_END = /[.!?:“"]\s*$/
const CAPITAL = /^\p{Lu}/u
const DIGIT = /\p{N}/u

const NO_WORDS: ReadonlySet<string> = new Set()

/** Reads a text for the score; `terms` gives the index terms of a text. Cost: one pass over the text. */
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

/** The terms of the notes of one comparison and of its question, which is the last text; each term has a number. */
interface Terms {
  readonly idf: Float64Array
  readonly of: readonly Int32Array[]
  readonly has: readonly Uint8Array[]
  /** Sum of the idf of each text's terms; never 0. */
  readonly sums: readonly number[]
}

/** A scorer of the pairs of one comparison. Cost: each text's terms once, then some of them for each pair. */
export function pairScorer(compared: Compared, model: PairModel = weights): PairScorer {
  const features = pairFeatures(compared)
  return (older, newer) => {
    const found = features(older, newer)
    return found === undefined ? Number.NEGATIVE_INFINITY : judge(found, model)
  }
}

/**
 * Returns the score z of two notes by their places: 0 is an even chance on the fitted data; -Infinity for two that are too far apart
 * to be compared.
 */
type PairScorer = (older: number, newer: number) => number

/** Two notes that share less than both of these are never compared. */
const FAR = { cosine: 0.15, shared: 0.1 }

/** Returns the features of a pair by the places of its notes; undefined for two that are too far apart. */
export function pairFeatures(
  compared: Compared,
): (older: number, newer: number) => readonly number[] | undefined {
  const { notes, question } = compared
  const terms = termsOf(compared)
  return (older, newer) => {
    const overlap = overlapOf(terms, older, newer)
    const olderShared = overlap.shared / (terms.sums[older] as number)
    const newerShared = overlap.shared / (terms.sums[newer] as number)
    const cosine = compared.cosine?.(older, newer) ?? wordCosine(olderShared, newerShared)
    if (!(cosine >= FAR.cosine) && olderShared < FAR.shared) return undefined
    const [first, second] = [notes[older] as PairNote, notes[newer] as PairNote]
    const span = spanOf(first.text, second.text)
    const near = nearness(compared, older, newer)
    const pair: number[] = Object.values({
      cosine,
      olderShared,
      newerShared,
      oneSpan: Number(span.isOne),
      spanNumber: Number(span.isNumber),
      spanName: Number(span.isName),
      spanSameKind: Number(span.isSameKind),
      spanOtherKind: Number(span.isOne && !span.isSameKind),
      numbersDiffer: Number(differ(first.text.numbers, second.text.numbers)),
      samePrefix: span.prefix,
      sameSuffix: span.suffix,
      lengthRatio: Math.log((1 + second.text.words.length) / (1 + first.text.words.length)),
      rarestShared: overlap.rarest / Math.log(1 + compared.size),
      asNear: near.share,
      nearest: near.isNearest,
      newTerms: Math.log(1 + (terms.of[newer] as Int32Array).length - overlap.sharedNumber),
      lostTerms: Math.log(1 + (terms.of[older] as Int32Array).length - overlap.sharedNumber),
    })
    if (question === undefined) return pair.concat(UNASKED)
    return pair.concat(askedFeatures(question, { first, second, terms, older, newer, overlap, cosine, span }))
  }
}

/**
 * Estimates the cosine of two short texts by the share of idf that each has in common with the other: a line fitted by least squares to
 * notes of the bench.
 */
function wordCosine(olderShared: number, newerShared: number): number {
  return Math.min(1, 0.06 + 1.2 * Math.sqrt(olderShared * newerShared))
}

/** Number of features of a question. */
const ASKED_FEATURES = 23
/** The features of a question stand at their means if none is asked. */
const UNASKED = [...Array<number>(ASKED_FEATURES - 1).fill(Number.NaN), -1]

const NO_TEXT: Pick<PairText, 'terms'> = { terms: [] }

function termsOf({ notes, question, idf }: Compared): Terms {
  const numbers = new Map<string, number>()
  const texts = [...notes.map(({ text }) => text), question ?? NO_TEXT]
  const of = texts.map(({ terms }) => {
    const own = new Int32Array(terms.length)
    for (const [i, term] of terms.entries()) {
      const number = numbers.get(term) ?? numbers.size
      if (number === numbers.size) numbers.set(term, number)
      own[i] = number
    }
    return own
  })
  const weight = new Float64Array(numbers.size)
  for (const [term, number] of numbers) weight[number] = idf(term)
  const has = of.map((own) => {
    const held = new Uint8Array(numbers.size)
    for (const term of own) held[term] = 1
    return held
  })
  const sums = of.map((own) =>
    Math.max(
      1e-6,
      own.reduce((sum, term) => sum + (weight[term] as number), 0),
    ),
  )
  return { idf: weight, of, has, sums }
}

type Overlap = ReturnType<typeof overlapOf>

const NO_TERMS = new Uint8Array()

/** Returns sums of the idf of the terms that two notes and the question have in common or alone, and numbers of terms. */
function overlapOf({ of, has, idf }: Terms, older: number, newer: number) {
  const [own, other] = [of[older], of[newer]] as [Int32Array, Int32Array]
  const [inOlder = NO_TERMS, inNewer = NO_TERMS, inQuestion = NO_TERMS] = [has[older], has[newer], has.at(-1)]
  const sum = (terms: Int32Array) => terms.reduce((all, term) => all + (idf[term] as number), 0)
  const shared = own.filter((term) => inNewer[term] === 1)
  const sharedUnasked = shared.filter((term) => inQuestion[term] !== 1)
  const askedOlder = own.filter((term) => inQuestion[term] === 1)
  const askedNewer = other.filter((term) => inQuestion[term] === 1)
  const askedOnlyOlder = askedOlder.filter((term) => inNewer[term] !== 1)
  return {
    shared: sum(shared),
    sharedNumber: shared.length,
    rarest: shared.reduce((most, term) => Math.max(most, idf[term] as number), 0),
    sharedUnasked: sum(sharedUnasked),
    sharedUnaskedNumber: sharedUnasked.length,
    askedOlder: sum(askedOlder),
    askedNewer: sum(askedNewer),
    askedNewerNumber: askedNewer.length,
    askedOnlyOlder: sum(askedOnlyOlder),
    askedOnlyOlderNumber: askedOnlyOlder.length,
    askedOnlyNewer: sum(askedNewer.filter((term) => inOlder[term] !== 1)),
    olderUnasked: sum(own.filter((term) => inQuestion[term] !== 1)),
  }
}

/** Returns true if each of two sets has something that the other lacks. */
function differ(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return lacksSome(one, other) && lacksSome(other, one)
}

function lacksSome(held: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
  for (const each of wanted) if (!held.has(each)) return true
  return false
}

/** The part in which two texts differ, if all before and behind it is the same. */
interface Span {
  /** The two differ in one short place alone. */
  readonly isOne: boolean
  /** True if each text has a number in that place, or a name. */
  readonly isNumber: boolean
  readonly isName: boolean
  readonly isSameKind: boolean
  /** Equal words at the beginning and the end, as shares of the older's. */
  readonly prefix: number
  readonly suffix: number
}

/** Longest differing part of two texts that say the same in one place, in words. */
const SPAN_MOST = 3

function spanOf(older: PairText, newer: PairText): Span {
  const [a, b] = [older.words, newer.words]
  const shorter = Math.min(a.length, b.length)
  let prefix = 0
  while (prefix < shorter && a[prefix] === b[prefix]) prefix++
  let suffix = 0
  while (suffix < shorter - prefix && a[a.length - 1 - suffix] === b[b.length - 1 - suffix]) suffix++
  const longer = Math.max(a.length, b.length)
  const shares = { prefix: prefix / Math.max(1, a.length), suffix: suffix / Math.max(1, a.length) }
  const isOne = longer - prefix - suffix <= SPAN_MOST && prefix + suffix >= longer / 2
  if (!isOne) return { isOne, isNumber: false, isName: false, isSameKind: false, ...shares }
  const [own, other] = [a.slice(prefix, a.length - suffix), b.slice(prefix, b.length - suffix)]
  return {
    isOne,
    isNumber: holdsOne(own, older.numbers) && holdsOne(other, newer.numbers),
    isName: holdsOne(own, older.names) && holdsOne(other, newer.names),
    isSameKind: kindOf(own, older) === kindOf(other, newer),
    ...shares,
  }
}

function holdsOne(words: readonly string[], held: ReadonlySet<string>): boolean {
  for (const word of words) if (held.has(word)) return true
  return false
}

function kindOf(span: readonly string[], { numbers, names }: PairText): string {
  if (span.length === 0) return 'none'
  if (holdsOne(span, numbers)) return 'number'
  if (holdsOne(span, names)) return 'name'
  return span.length > 1 ? 'words' : 'word'
}

/** Largest loss of cosine at which another note counts as near to the older one as the newer is. */
const AS_NEAR = 0.03
/** Least gain of cosine at which another note is nearer; an index of integers tells no less. */
const NEARER = 0.01

/** Returns how many others stand as near to the older note, as a share, and 1 if none of its later ones is nearer, else 0. */
function nearness({ notes, cosine }: Compared, older: number, newer: number) {
  const own = cosine?.(older, newer)
  if (cosine === undefined || own === undefined) return { share: Number.NaN, isNearest: Number.NaN }
  let near = 0
  let isNearest = 1
  for (let other = 0; other < notes.length; other++) {
    if (other === older || other === newer) continue
    const distance = cosine(other, older) ?? -1
    if (distance >= own - AS_NEAR) near++
    if (distance > own + NEARER && (notes[other] as PairNote).at >= (notes[older] as PairNote).at)
      isNearest = 0
  }
  return { share: Math.min(1, near / 4), isNearest }
}

/** A pair that a question is asked about, and what is known of it. */
interface AskedPair {
  readonly first: PairNote
  readonly second: PairNote
  readonly terms: Terms
  readonly older: number
  readonly newer: number
  readonly overlap: Overlap
  readonly cosine: number
  readonly span: Span
}

/** Returns the features of the question, in their order. */
function askedFeatures(
  question: PairText,
  { first, second, terms, older, newer, overlap, cosine, span }: AskedPair,
): readonly number[] {
  const all = terms.sums.at(-1) as number
  const misses = overlap.askedOnlyOlderNumber > 0
  return Object.values({
    askedOlderCosine: first.asked,
    askedNewerCosine: second.asked,
    askedInOlder: overlap.askedOlder / all,
    askedInNewer: overlap.askedNewer / all,
    askedOnlyOlder: overlap.askedOnlyOlder / all,
    askedOnlyNewer: overlap.askedOnlyNewer / all,
    askedShared: (overlap.askedOlder - overlap.askedOnlyOlder) / all,
    namesOnlyOlder: namesOnlyIn(first.text, second.text, question),
    namesOnlyNewer: namesOnlyIn(second.text, first.text, question),
    rankDifference: second.rank - first.rank,
    rankOlder: first.rank,
    rankNewer: second.rank,
    residualCosine: residualCosine(cosine, first.asked, second.asked),
    unaskedKept: overlap.sharedUnasked / Math.max(1e-6, overlap.olderUnasked),
    unaskedShared: Math.min(1, overlap.sharedUnaskedNumber / 3),
    newerMissesAsked: Number(misses && question.terms.length > overlap.askedNewerNumber),
    askedOnlyOlderNear: (overlap.askedOnlyOlder / all) * cosine,
    spanUnasked: Number(span.isOne && !misses),
    sameKindUnasked: Number(span.isSameKind && !misses),
    olderLength: Math.log(1 + first.text.words.length),
    olderAsked: overlap.askedOlder / (terms.sums[older] as number),
    newerAsked: overlap.askedNewer / (terms.sums[newer] as number),
    isAsked: 1,
  })
}

/** Returns how many names and numbers of the question one text has and the other lacks, 2 at most. */
function namesOnlyIn(one: PairText, other: PairText, { names, numbers }: PairText): number {
  if (names.size + numbers.size === 0) return 0
  let found = 0
  for (const word of one.words)
    if ((names.has(word) || numbers.has(word)) && !other.words.includes(word)) found++
  return Math.min(2, found)
}

/** Partial correlation of two notes, given how near each is to the question. */
function residualCosine(cosine: number, older: number, newer: number): number {
  return (cosine - older * newer) / Math.sqrt(Math.max(1e-3, (1 - older ** 2) * (1 - newer ** 2)))
}

/** A model: mean and scale of each feature, and nets with one hidden layer whose outputs are averaged. */
export interface PairModel {
  readonly mean: readonly number[]
  readonly scale: readonly number[]
  readonly nets: readonly {
    /** One row of weights for each hidden unit. */
    readonly hidden: readonly (readonly number[])[]
    readonly hiddenBias: readonly number[]
    readonly out: readonly number[]
    readonly outBias: number
  }[]
}

/** Inputs are cut at this many standard deviations. */
const CUT = 4

/** Returns the standardised inputs of a model; unknown features (NaN) stand at their means. */
export function standardised(features: readonly number[], { mean, scale }: PairModel): Float64Array {
  const inputs = new Float64Array(features.length)
  for (let i = 0; i < inputs.length; i++) {
    const value = ((features[i] as number) - (mean[i] as number)) / (scale[i] as number)
    inputs[i] = Number.isNaN(value) ? 0 : Math.max(-CUT, Math.min(CUT, value))
  }
  return inputs
}

/** Returns the logit of a model for the features of `pairFeatures`. */
export function judge(features: readonly number[], model: PairModel): number {
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
