import { type Comparing, type ShownBlock, usedBlocks } from '../../src/frames/index.ts'
import { LANGUAGE } from '../../src/search/language/choose.ts'

/** A way to tell from what was said which of the shown blocks were used: their ids. */
export interface Rule {
  readonly name: string
  readonly used: (shown: readonly ShownBlock[], did: string, asked: string) => readonly string[]
}

const comparing = (enoughWords: number, firstBlocks: number): Comparing => ({
  terms: (text) => LANGUAGE.terms(text),
  enoughWords,
  firstBlocks,
})

const byWords =
  (enoughWords: number, firstBlocks: number): Rule['used'] =>
  (shown, did, asked) =>
    usedBlocks(shown, did, asked, comparing(enoughWords, firstBlocks))
      .filter(({ kind }) => kind === 'words')
      .map(({ id }) => id)

/** The shipped rule, its parts, and plainer ones. */
export const RULES: readonly Rule[] = [
  { name: 'credit every block shown', used: (shown) => shown.map(({ id }) => id) },
  { name: 'credit the first block', used: (shown) => shown.slice(0, 1).map(({ id }) => id) },
  { name: 'one distinctive word, any place', used: byWords(1, 0) },
  { name: 'two distinctive words', used: byWords(2, 0) },
  { name: 'two, or one among the first two (clocks)', used: byWords(2, 2) },
  {
    name: 'an identifier, path or number (verdicts)',
    used: (shown, did, asked) =>
      usedBlocks(shown, did, asked, comparing(2, 2))
        .filter(({ kind }) => kind === 'identifier')
        .map(({ id }) => id),
  },
  {
    name: 'either (usedBlocks)',
    used: (shown, did, asked) => usedBlocks(shown, did, asked, comparing(2, 2)).map(({ id }) => id),
  },
]
