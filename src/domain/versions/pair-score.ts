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
export interface PairNote {
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
  /** Cosine of two notes by their places in `notes`, -1..1; NaN where one has no vector. */
  readonly cosine: (one: number, other: number) => number
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

/** Reads a text for the score; `terms` gives the index terms of a text. Cost: one pass over the text. */
export function pairText(text: string, terms: (text: string) => readonly string[]): PairText {
  const words: string[] = []
  const names = new Set<string>()
  let end = 0
  for (const { 0: raw, index } of text.matchAll(WORD)) {
    const word = raw.toLowerCase()
    const isFirst = words.length === 0 || SENTENCE_END.test(text.slice(end, index))
    if (!isFirst && CAPITAL.test(raw)) names.add(word)
    words.push(word)
    end = index + raw.length
  }
  return {
    terms: [...new Set(terms(text))],
    words,
    numbers: new Set(words.filter((word) => DIGIT.test(word))),
    names,
  }
}

/** Names of the features in the order of the weights: those of the pair, then those of the question. */
export const FEATURES = [
  'cosine',
  'olderShared',
  'newerShared',
  'oneSpan',
  'spanNumber',
  'spanName',
  'spanSameKind',
  'spanOtherKind',
  'numbersDiffer',
  'samePrefix',
  'sameSuffix',
  'lengthRatio',
  'rarestShared',
  'asNear',
  'nearest',
  'newTerms',
  'lostTerms',
  'askedOlderCosine',
  'askedNewerCosine',
  'askedInOlder',
  'askedInNewer',
  'askedOnlyOlder',
  'askedOnlyNewer',
  'askedShared',
  'namesOnlyOlder',
  'namesOnlyNewer',
  'rankDifference',
  'rankOlder',
  'rankNewer',
  'residualCosine',
  'unaskedKept',
  'unaskedShared',
  'newerMissesAsked',
  'askedOnlyOlderNear',
  'spanUnasked',
  'sameKindUnasked',
  'olderLength',
  'olderAsked',
  'newerAsked',
  'isAsked',
] as const

/** A term table of one comparison: each term has a number, and each text its own ones. */
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
export type PairScorer = (older: number, newer: number) => number

/** Two notes that share less than both of these are never compared. */
const FAR = { cosine: 0.15, shared: 0.1 }

/** Returns the features of a pair by the places of its notes; undefined for two that are too far apart. */
export function pairFeatures(
  compared: Compared,
): (older: number, newer: number) => readonly number[] | undefined {
  const { notes, question } = compared
  const terms = termsOf(compared)
  return (older, newer) => {
    const cosine = compared.cosine(older, newer)
    const shared = sharedOf(terms, older, newer)
    const olderShared = sumOf(shared, terms.idf) / (terms.sums[older] as number)
    if (!(cosine >= FAR.cosine) && olderShared < FAR.shared) return undefined
    const [first, second] = [notes[older] as PairNote, notes[newer] as PairNote]
    const span = spanOf(first.text, second.text)
    const pair = [
      cosine,
      olderShared,
      sumOf(shared, terms.idf) / (terms.sums[newer] as number),
      ...span.features,
      Number(differ(first.text.numbers, second.text.numbers)),
      span.prefix,
      span.suffix,
      Math.log((1 + second.text.words.length) / (1 + first.text.words.length)),
      shared.reduce((most, term) => Math.max(most, terms.idf[term] as number), 0) /
        Math.log(1 + compared.size),
      ...nearness(compared, older, newer),
      Math.log(1 + (terms.of[newer] as Int32Array).length - shared.length),
      Math.log(1 + (terms.of[older] as Int32Array).length - shared.length),
    ]
    const asked =
      question === undefined
        ? UNASKED
        : askedFeatures(question, { first, second, terms, older, newer, shared, cosine, span })
    return [...pair, ...asked]
  }
}

const PAIR_FEATURES = FEATURES.indexOf('askedOlderCosine')
/** Without a question its features stand at their means. */
const UNASKED = [...FEATURES.slice(PAIR_FEATURES, -1).map(() => Number.NaN), -1]

function termsOf({ notes, question, idf }: Compared): Terms {
  const numbers = new Map<string, number>()
  const texts = [...notes.map(({ text }) => text), ...(question ? [question] : [])]
  const of = texts.map(({ terms }) =>
    Int32Array.from(terms, (term) => {
      const number = numbers.get(term) ?? numbers.size
      numbers.set(term, number)
      return number
    }),
  )
  const weight = Float64Array.from(numbers.keys(), idf)
  const has = of.map((own) => {
    const held = new Uint8Array(numbers.size)
    for (const term of own) held[term] = 1
    return held
  })
  return { idf: weight, of, has, sums: of.map((own) => Math.max(1e-6, sumOf(own, weight))) }
}

function sharedOf({ of, has }: Terms, one: number, other: number): number[] {
  const held = has[other] as Uint8Array
  const shared: number[] = []
  for (const term of of[one] as Int32Array) if (held[term]) shared.push(term)
  return shared
}

function sumOf(terms: Iterable<number>, idf: Float64Array): number {
  let sum = 0
  for (const term of terms) sum += idf[term] as number
  return sum
}

/** Returns true if each of two sets has something that the other lacks. */
function differ(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const lacks = (held: ReadonlySet<string>, of: ReadonlySet<string>) =>
    [...of].some((each) => !held.has(each))
  return lacks(one, other) && lacks(other, one)
}

/** The part in which two texts differ, if all before and behind it is the same. */
interface Span {
  /** `oneSpan` to `spanOtherKind`. */
  readonly features: readonly number[]
  readonly isOne: boolean
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
  while (suffix < shorter - prefix && a.at(-1 - suffix) === b.at(-1 - suffix)) suffix++
  const [own, other] = [a.slice(prefix, a.length - suffix), b.slice(prefix, b.length - suffix)]
  const isShort = own.length <= SPAN_MOST && other.length <= SPAN_MOST
  const isOne = isShort && prefix + suffix >= Math.max(a.length, b.length) / 2
  const isSameKind = isOne && kindOf(own, older) === kindOf(other, newer)
  const both = (held: 'numbers' | 'names') =>
    isOne && own.some((word) => older[held].has(word)) && other.some((word) => newer[held].has(word))
  return {
    features: [isOne, both('numbers'), both('names'), isSameKind, isOne && !isSameKind].map(Number),
    ...{ isOne, isSameKind },
    prefix: prefix / Math.max(1, a.length),
    suffix: suffix / Math.max(1, a.length),
  }
}

function kindOf(span: readonly string[], { numbers, names }: PairText): string {
  if (span.length === 0) return 'none'
  if (span.some((word) => numbers.has(word))) return 'number'
  if (span.some((word) => names.has(word))) return 'name'
  return span.length > 1 ? 'words' : 'word'
}

/** Others that stand at most so much farther from the older note stand as near as the newer. */
const AS_NEAR = 0.03

/** Returns `asNear` and `nearest`: how many others stand as near to the older note, and whether none of its later ones is nearer. */
function nearness({ notes, cosine }: Compared, older: number, newer: number): readonly number[] {
  const own = cosine(older, newer)
  let near = 0
  let isNearest = 1
  for (let other = 0; other < notes.length; other++) {
    if (other === older || other === newer) continue
    const distance = cosine(other, older)
    if (distance >= own - AS_NEAR) near++
    if (distance > own && (notes[other] as PairNote).at >= (notes[older] as PairNote).at) isNearest = 0
  }
  return [Math.min(1, near / 4), isNearest]
}

interface AskedPair {
  readonly first: PairNote
  readonly second: PairNote
  readonly terms: Terms
  readonly older: number
  readonly newer: number
  /** Terms that both notes have. */
  readonly shared: readonly number[]
  readonly cosine: number
  readonly span: Span
}

/** Returns the features of the question, in their order. */
function askedFeatures(
  question: PairText,
  { first, second, terms, older, newer, shared, cosine, span }: AskedPair,
): readonly number[] {
  const asked = terms.of.length - 1
  const [inQuestion, inOlder, inNewer] = [asked, older, newer].map((at) => terms.has[at] as Uint8Array) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ]
  const wanted = [...(terms.of[asked] as Int32Array)]
  const shareOf = (some: readonly number[]) => sumOf(some, terms.idf) / (terms.sums[asked] as number)
  const askedOlder = wanted.filter((term) => inOlder[term])
  const askedNewer = wanted.filter((term) => inNewer[term])
  const onlyOlder = askedOlder.filter((term) => !inNewer[term])
  const onlyNewer = askedNewer.filter((term) => !inOlder[term])
  const value = [...(terms.of[older] as Int32Array)].filter((term) => !inQuestion[term])
  const unasked = shared.filter((term) => !inQuestion[term])
  const askedOnlyOlder = shareOf(onlyOlder)
  const missesNone = onlyOlder.length === 0
  const names = (one: PairText, other: PairText) =>
    Math.min(2, one.words.filter((word) => isNamed(question, word) && !other.words.includes(word)).length)
  return [
    first.asked,
    second.asked,
    shareOf(askedOlder),
    shareOf(askedNewer),
    askedOnlyOlder,
    shareOf(onlyNewer),
    shareOf(askedOlder.filter((term) => inNewer[term])),
    names(first.text, second.text),
    names(second.text, first.text),
    second.rank - first.rank,
    first.rank,
    second.rank,
    residualCosine(cosine, first.asked, second.asked),
    sumOf(unasked, terms.idf) / Math.max(1e-6, sumOf(value, terms.idf)),
    Math.min(1, unasked.length / 3),
    Number(wanted.length > askedNewer.length && !missesNone),
    askedOnlyOlder * cosine,
    Number(span.isOne && missesNone),
    Number(span.isSameKind && missesNone),
    Math.log(1 + first.text.words.length),
    sumOf(askedOlder, terms.idf) / (terms.sums[older] as number),
    sumOf(askedNewer, terms.idf) / (terms.sums[newer] as number),
    1,
  ]
}

function isNamed({ names, numbers }: PairText, word: string): boolean {
  return names.has(word) || numbers.has(word)
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

/** Inputs are cut at so many standard deviations. */
const CUT = 4

/** Returns the standardised inputs of a model; unknown features (NaN) stand at their means. */
export function standardised(features: readonly number[], { mean, scale }: PairModel): Float64Array {
  return Float64Array.from(features, (value, i) => {
    if (Number.isNaN(value)) return 0
    return Math.max(-CUT, Math.min(CUT, (value - (mean[i] as number)) / (scale[i] as number)))
  })
}

/** Returns the logit of a model for features in the order of `FEATURES`. */
export function judge(features: readonly number[], model: PairModel): number {
  const inputs = standardised(features, model)
  let z = 0
  for (const { hidden, hiddenBias, out, outBias } of model.nets) {
    z += outBias
    for (const [h, row] of hidden.entries()) {
      let sum = hiddenBias[h] as number
      for (let i = 0; i < inputs.length; i++) sum += (inputs[i] as number) * (row[i] as number)
      z += Math.tanh(sum) * (out[h] as number)
    }
  }
  return z / model.nets.length
}
