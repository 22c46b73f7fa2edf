import { lineAt, type Source } from '../counts/sources.ts'
import { asWritten, passagesOf } from './markdown.ts'
import { type Sentence, sentencesOf, wordCount } from './sentences.ts'
import { WORDS_NOT_IN_PROSE } from './words.ts'

/** The most words that a sentence of a page may have. */
export const MAX_WORDS = 30

/** A page by its path in the repository. */
export interface Page {
  readonly file: string
  readonly text: string
}

/** One thing that the check refuses, and where it stands. */
export interface Problem {
  readonly rule: 'long' | 'word' | 'opening'
  readonly file: string
  readonly line: number
  readonly message: string
}

/** The words of the house in a sentence, inline code apart. */
function houseWordsIn(sentence: string): readonly string[] {
  const words =
    sentence
      .replaceAll(/`[^`]*`/g, ' ')
      .toLowerCase()
      .match(/[a-z]+/g) ?? []
  return [...new Set(words)].filter((word) => WORDS_NOT_IN_PROSE.has(word))
}

function wordProblems(file: string, { line, text }: Sentence): readonly Problem[] {
  return houseWordsIn(text).map((word) => ({
    rule: 'word',
    file,
    line,
    message: `instead of "${word}" use a word such as "${WORDS_NOT_IN_PROSE.get(word)}": ${asWritten(text)}`,
  }))
}

function lengthProblems(file: string, { line, text }: Sentence): readonly Problem[] {
  const words = wordCount(text)
  if (words <= MAX_WORDS) return []
  const message = `${words} words in a sentence, more than ${MAX_WORDS}: ${asWritten(text)}`
  return [{ rule: 'long', file, line, message }]
}

/** The sentences of a page that are too long, and those with a word of the house. */
export function pageProblems({ file, text }: Page): readonly Problem[] {
  return passagesOf(text)
    .flatMap(sentencesOf)
    .flatMap((sentence) => [...lengthProblems(file, sentence), ...wordProblems(file, sentence)])
}

/** The doc comments of a file that begin with "What" or "Whether", and those with a word of the house. */
export function commentProblems(source: Source): readonly Problem[] {
  const file = `src/${source.file}`
  const docs = source.comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
  return docs.flatMap(({ value, start }): readonly Problem[] => {
    const line = lineAt(source, start)
    // The name of a parameter is a name, not a word.
    const text = value.replaceAll(/^[ \t]*\*+ ?/gm, '').replaceAll(/(@param) \S+/g, '$1')
    const [opening] = /^(?:What|Whether)\b/.exec(text.trim()) ?? []
    const message = `begins with "${opening}"; say what the thing is or returns: ${asWritten(text)}`
    return [
      ...(opening === undefined ? [] : [{ rule: 'opening' as const, file, line, message }]),
      ...sentencesOf({ line, text }).flatMap((sentence) => wordProblems(file, sentence)),
    ]
  })
}
