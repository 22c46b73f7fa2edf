import { LANGUAGE } from '../../src/language/question.ts'
import { loadTexts } from '../edges/texts.ts'
import { createRandom, type Random } from '../lib/random.ts'
import { loadPairs } from '../paraphrases/corpora.ts'

/** In which words a block is described. */
const KINDS = [
  'two words',
  'four words',
  'first half',
  'restated',
  'plain question',
  'oblique question',
] as const
export type Kind = (typeof KINDS)[number]

/** A block described in other words, or in some of its own. */
interface Description {
  readonly kind: Kind
  readonly text: string
  /** The place of the block it describes. */
  readonly meant: number
}

/** All blocks, in an order that tells nothing, and what describes them. */
export interface Described {
  readonly blocks: readonly string[]
  readonly descriptions: readonly Description[]
}

const WORD = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu

/** Notes, statements by topic, and the blocks that questions and restatements belong to, with everything that describes one. */
export function describeAll(): Described {
  const random = createRandom(64)
  const { notes, statements, restatements } = loadTexts()
  const given: { readonly kind: Kind; readonly block: string; readonly text: string }[] = [
    ...loadPairs('plain').map(({ block, question }) => ({
      kind: 'plain question' as const,
      block,
      text: question,
    })),
    ...loadPairs('oblique').map(({ block, question }) => ({
      kind: 'oblique question' as const,
      block,
      text: question,
    })),
    ...restatements.flatMap(({ text }, i) =>
      i % 2 === 0
        ? [{ kind: 'restated' as const, block: text, text: (restatements[i + 1] as { text: string }).text }]
        : [],
    ),
  ]
  const blocks = random.shuffled([
    ...[...notes, ...statements].map(({ text }) => text),
    ...given.map(({ block }) => block),
  ])
  const places = new Map(blocks.map((block, place) => [block, place]))
  return {
    blocks,
    descriptions: [
      ...given.map(({ kind, block, text }) => ({ kind, text, meant: places.get(block) as number })),
      ...blocks.flatMap((block, meant) => [
        { kind: 'two words' as const, text: someWords(block, 2, random), meant },
        { kind: 'four words' as const, text: someWords(block, 4, random), meant },
        { kind: 'first half' as const, text: firstHalf(block), meant },
      ]),
    ],
  }
}

/** So many of the text's different content words, in its order; all when it has fewer. */
function someWords(text: string, count: number, random: Random): string {
  const content = [...new Set(wordsOf(text).filter((word) => LANGUAGE.term(word) !== undefined))]
  const chosen = new Set(random.sample(content, count))
  return content.filter((word) => chosen.has(word)).join(' ')
}

/** The first half of the text's words, the greater one when they are odd. */
function firstHalf(text: string): string {
  const words = wordsOf(text)
  return words.slice(0, Math.ceil(words.length / 2)).join(' ')
}

function wordsOf(text: string): string[] {
  return text.match(WORD) ?? []
}
