import { wordsOf } from '../language/words.ts'

const QUOTED = /"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|「([^」]+)」/gu

/** The quoted parts of a question that hold a word, as folded words with single spaces between. */
export function phrasesOf(question: string): string[] {
  return [...question.matchAll(QUOTED)].flatMap(([, ...groups]) => {
    const words = wordsOf(groups.find((group) => group !== undefined) ?? '')
    return words.length === 0 ? [] : [words.join(' ')]
  })
}

/** Whether the text holds the words of every phrase next to each other, in order, whatever stands between them. */
export function holdsPhrases(text: string, phrases: readonly string[]): boolean {
  const words = ` ${wordsOf(text).join(' ')} `
  return phrases.every((phrase) => words.includes(` ${phrase} `))
}
