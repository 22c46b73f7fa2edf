import { describe, expect, test } from 'vitest'
import { parseSource } from '../scripts/counts/sources.ts'
import { passagesOf } from '../scripts/prose/markdown.ts'
import { commentProblems, MAX_WORDS, pageProblems } from '../scripts/prose/problems.ts'
import { sentencesOf, wordCount } from '../scripts/prose/sentences.ts'

const textsOf = (page: string) => passagesOf(page).map(({ text }) => text)
const linesOf = (page: string) => passagesOf(page).map(({ line }) => line)
const sentencesIn = (text: string) => sentencesOf({ line: 1, text }).map((sentence) => sentence.text)
const found = (text: string) => pageProblems({ file: 'a.md', text })
const commentsOf = (text: string) => commentProblems(parseSource('a.ts', text))

/** So many words that end with a stop. */
const words = (count: number) => `${Array.from({ length: count }, () => 'word').join(' ')}.`

describe('the texts of a page', () => {
  test('paragraphs, headings, list items and table cells are texts of their own', () => {
    const page =
      '# Head\n\nOne\ntwo.\n\n- three\n- four\n  - five\n\n> six\n\n| a | b |\n|---|---|\n| c | d |\n'
    expect(textsOf(page)).toEqual(['Head', 'One\ntwo.', 'three', 'four', 'five', 'six', 'a', 'b', 'c', 'd'])
    expect(linesOf(page)).toEqual([1, 3, 6, 7, 8, 10, 12, 12, 14, 14])
  })

  test('a code block, a comment and the address of a link are none', () => {
    const page = '```ts\nconst a = 1\n```\n\n<!-- mark -->\n\nSee [the page](docs/page.md#part).\n'
    expect(passagesOf(page)).toEqual([{ line: 7, text: 'See the page.' }])
  })

  test('two items that read alike have each its own line, and so have the paragraphs of one item', () => {
    expect(linesOf('- same\n- same\n\n  more\n\n1. same\n')).toEqual([1, 2, 4, 6])
  })
})

describe('sentences', () => {
  test('a sentence ends at a stop before white space, whatever begins the next one', () => {
    expect(sentencesIn('One. elfmem is two! (Three?) "Four." Five')).toEqual([
      'One.',
      'elfmem is two!',
      '(Three?)',
      '"Four."',
      'Five',
    ])
  })

  test('a colon, a number, an abbreviation and inline code end none', () => {
    const [{ text = '' } = {}] = passagesOf('Node 22.13 has it: e.g. `a. B` and x et al. say so.')
    expect(sentencesIn(text)).toHaveLength(1)
  })

  test('a sentence has the line on which it begins', () => {
    const [passage] = passagesOf('\nOne\n`a\nb` one. Two\ntwo. Three\n')
    expect(sentencesOf(passage!).map(({ line }) => line)).toEqual([2, 4, 5])
  })

  test('inline code is one word, and a dash is none', () => {
    const [passage] = passagesOf('Call `npm run check` — or *do not*, 2,760 times.')
    expect(wordCount(passage!.text)).toBe(7)
  })
})

describe('pages', () => {
  test(`a sentence of ${MAX_WORDS} words may stand, one of more may not`, () => {
    expect(found(words(MAX_WORDS))).toEqual([])
    expect(found(`Short.\n${words(MAX_WORDS + 1)}\n`)).toEqual([
      {
        rule: 'long',
        file: 'a.md',
        line: 2,
        message: `31 words in a sentence, more than 30: ${words(31)}`,
      },
    ])
  })

  test('the items of a list and the cells of a table are counted one by one', () => {
    const long = words(20)
    expect(found(`- ${long}\n- ${long}\n\n| a | b |\n|---|---|\n| ${long} | ${long} |\n`)).toEqual([])
  })

  test('a word of the house is refused with a word of the field, and inside inline code it is not', () => {
    expect(found('The call is `told`.\nNobody is told.')).toEqual([
      {
        rule: 'word',
        file: 'a.md',
        line: 2,
        message: 'instead of "told" use a word such as "reported": Nobody is told.',
      },
    ])
    expect(found('It untold.')).toEqual([])
  })
})

describe('doc comments', () => {
  test.each(['/** What it is. */', '/**\n * Whether it is.\n */'])(
    '%s does not say what is returned',
    (text) => {
      expect(commentsOf(`\n${text}\nconst a = 1`)).toMatchObject([
        { rule: 'opening', file: 'src/a.ts', line: 2 },
      ])
    },
  )

  test.each([
    '/** True if it is. */',
    '/** Whatever it is. */',
    '/**\n * Returns it.\n * @param told is called with it\n */',
    '// What it is, told to nobody.',
    '/* What it is. */',
    "const a = '/** What it is, told. */'",
  ])('%s may stand', (text) => {
    expect(commentsOf(text)).toEqual([])
  })

  test('a word of the house is found on its line', () => {
    expect(commentsOf('/**\n * Returns one.\n * Two is told.\n */\nconst a = 1')).toMatchObject([
      { rule: 'word', line: 3 },
    ])
  })
})
