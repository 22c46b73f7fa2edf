import { wordsOf } from './words.ts'

/** Function words of English, and English words that other languages have as function words. */
const ENGLISH = new Set(
  (
    'a about all also am an and any are as at be been but by can con could did die do does for from ' +
    'had has have he her him his how i if in into is it its just man me mine more most my no not of ' +
    'on one or our out over per pour she sin so some son sur than that the their them then there ' +
    'these they this those to too up us via war was we were what when where which who whom why will ' +
    'with would you your'
  ).split(' '),
)

/** So many function words at least, and more than are English, tell a language. */
const ENOUGH = 2
const CYRILLIC = /\p{Script=Cyrillic}/gu
const LETTER = /\p{L}/gu

/**
 * Tells the language of a text by its script and its function words; `english` where too little tells. Ties go to
 * English, then to the first. Cost: one look a word and language.
 *
 * @param stopWords of each language, space-separated
 */
export function createDetector(stopWords: Readonly<Record<string, string>>): (text: string) => string {
  const languages = Object.entries(stopWords).map(([name, words]) => [name, new Set(wordsOf(words))] as const)
  return (text) => {
    const cyrillic = text.match(CYRILLIC)?.length ?? 0
    if (cyrillic > 0 && cyrillic * 2 >= (text.match(LETTER)?.length ?? 0)) return 'russian'
    const words = new Set(wordsOf(text))
    let best = 'english'
    let most = Math.max(ENOUGH - 1, hits(words, ENGLISH))
    for (const [name, known] of languages) {
      const found = hits(words, known)
      if (found <= most) continue
      best = name
      most = found
    }
    return best
  }
}

function hits(words: ReadonlySet<string>, known: ReadonlySet<string>): number {
  let found = 0
  for (const word of words) if (known.has(word)) found++
  return found
}
