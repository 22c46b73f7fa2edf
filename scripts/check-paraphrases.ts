/**
 * Checks the bench's texts: no pair shares a content word or its stem, sizes are as documented, nothing is repeated.
 * `node scripts/check-paraphrases.ts` prints every offender and exits 1, or prints one line and exits 0.
 */
import { readFileSync } from 'node:fs'
import { stem } from 'porter2'

interface Pair {
  readonly block: string
  readonly question: string
}

/** Function words only; anything that names a thing, a deed or a quality counts as content. */
const STOP_WORDS = new Set(
  `a about after again all am an and any anything are around as at away be because been before being both but by can
  could did do does doing done don down during each else ever every everything few for from get gets got had has
  have having he her here hers herself him himself his how i if in instead into is it its itself just let ll may me
  might mine more most must my myself no nobody nor not nothing now of off on once one ones only onto or other our
  ours ourselves out over own re s same shall she should so some somebody something such t than that the their
  theirs them themselves then there these they this those through to too under unless until up us ve very was we
  were what whatever when whenever where which while who whom whose why will with within without would you your
  yours yourself`
    .split(/\s+/)
    .filter((word) => word !== ''),
)

/** Lower-cased words without possessives and punctuation. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Stem to the word it came from, stop words left out. */
function stemsOf(text: string): Map<string, string> {
  const content = wordsOf(text).filter((word) => !STOP_WORDS.has(word))
  return new Map(content.map((word) => [stem(word), word]))
}

function sharedStems(a: string, b: string): string[] {
  const other = stemsOf(b)
  return [...stemsOf(a)].filter(([key]) => other.has(key)).map(([, word]) => word)
}

function repeated(texts: readonly string[]): string[] {
  const seen = new Set<string>()
  return texts.filter((text) => {
    const key = wordsOf(text).join(' ')
    const known = seen.has(key)
    seen.add(key)
    return known
  })
}

/** Texts whose number of space-separated words lies outside the range. */
function outside(texts: readonly string[], least: number, most: number): string[] {
  return texts.filter((text) => {
    const count = text.trim().split(/\s+/).length
    return count < least || count > most
  })
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../bench/data/${name}`, import.meta.url), 'utf8')) as T
}

/** A file of pairs and how many words its blocks may have, both ends included. */
interface PairFile {
  readonly name: string
  readonly leastWords: number
  readonly mostWords: number
}

const PAIR_FILES: readonly PairFile[] = [
  { name: 'paraphrases.json', leastWords: 8, mostWords: 20 },
  { name: 'plain-paraphrases.json', leastWords: 7, mostWords: 18 },
]

const sets = PAIR_FILES.map((file) => ({ file, pairs: readJson<readonly Pair[]>(file.name) }))
const notes = readJson<readonly string[]>('notes.json')
const allPairs = sets.flatMap(({ pairs }) => pairs)
const hay = [...notes, ...allPairs.map(({ block }) => block)]

/** A note or another pair's block that holds half of a question's content words, and at least two, might answer it. */
function hayNear(question: string): string[] {
  const wanted = stemsOf(question).size
  return hay.filter((text) => {
    const shared = sharedStems(question, text).length
    return shared >= 2 && shared * 2 >= wanted
  })
}

function offendersOf({ name, leastWords, mostWords }: PairFile, pairs: readonly Pair[]): string[] {
  const blocks = pairs.map(({ block }) => block)
  const found = [
    ...pairs.flatMap(({ block, question }) => {
      const shared = sharedStems(question, block)
      return shared.length > 0 ? [`shared (${shared.join(', ')}): ${block} | ${question}`] : []
    }),
    ...outside(blocks, leastWords, mostWords).map(
      (text) => `block is not ${leastWords}-${mostWords} words: ${text}`,
    ),
    ...pairs.flatMap(({ question }) => hayNear(question).map((text) => `may answer "${question}": ${text}`)),
    ...(pairs.length < 72 || pairs.length > 80 ? [`${pairs.length} pairs, not 72-80`] : []),
  ]
  return found.map((offender) => `${name}: ${offender}`)
}

const offenders = [
  ...sets.flatMap(({ file, pairs }) => offendersOf(file, pairs)),
  ...repeated([...hay, ...allPairs.map(({ question }) => question)]).map((text) => `repeated: ${text}`),
  ...outside(notes, 8, 25).map((text) => `note is not 8-25 words: ${text}`),
  ...(notes.length < 400 ? [`only ${notes.length} notes`] : []),
]

const sizes = sets.map(({ file, pairs }) => `${pairs.length} pairs of ${file.name}`).join(' and ')
for (const offender of offenders) console.log(offender)
console.log(
  offenders.length === 0
    ? `${sizes} share no content word; ${notes.length} notes differ`
    : `${offenders.length} offenders`,
)
process.exitCode = offenders.length === 0 ? 0 : 1
