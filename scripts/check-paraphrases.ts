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

const pairs = readJson<readonly Pair[]>('paraphrases.json')
const notes = readJson<readonly string[]>('notes.json')
const blocks = pairs.map((pair) => pair.block)

/** A note that holds half of a question's content words, and at least two, might answer it. */
function notesNear(question: string): string[] {
  const wanted = stemsOf(question).size
  return notes.filter((note) => {
    const shared = sharedStems(question, note).length
    return shared >= 2 && shared * 2 >= wanted
  })
}

const offenders = [
  ...pairs.flatMap(({ block, question }) => {
    const shared = sharedStems(question, block)
    return shared.length > 0 ? [`shared (${shared.join(', ')}): ${block} | ${question}`] : []
  }),
  ...repeated([...blocks, ...notes, ...pairs.map((pair) => pair.question)]).map(
    (text) => `repeated: ${text}`,
  ),
  ...outside(blocks, 8, 20).map((text) => `block is not 8-20 words: ${text}`),
  ...outside(notes, 8, 25).map((text) => `note is not 8-25 words: ${text}`),
  ...pairs.flatMap(({ question }) => notesNear(question).map((note) => `may answer "${question}": ${note}`)),
  ...(pairs.length < 72 ? [`only ${pairs.length} pairs`] : []),
  ...(notes.length < 400 ? [`only ${notes.length} notes`] : []),
]

for (const offender of offenders) console.log(offender)
console.log(
  offenders.length === 0
    ? `${pairs.length} pairs share no content word; ${notes.length} notes differ`
    : `${offenders.length} offenders`,
)
process.exitCode = offenders.length === 0 ? 0 : 1
