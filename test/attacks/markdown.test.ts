import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { lexer, type Token } from 'marked'
import { expect, test } from 'vitest'
import { blocksOf } from '../../src/adapters/markdown/blocks.ts'

/** The same blocks as `marked` has them, a parser of others that takes quadratic time on some texts. */
function expected(text: string): string[] {
  return lexer(text).flatMap((token) =>
    token.type === 'space' ? [] : [`${kindOf(token)}: ${wordsOf(token)}`],
  )
}

function kindOf({ type }: Token): string {
  if (type === 'heading' || type === 'code' || type === 'list' || type === 'table') return type
  return type === 'hr' ? 'rule' : 'prose'
}

function wordsOf(token: Token): string {
  return token.type === 'heading' ? String(token.text).trim() : token.raw.replace(/^\n+/, '').trimEnd()
}

function found(text: string): string[] {
  return blocksOf(text).map(({ kind, text: words }) => `${kind}: ${words}`)
}

const root = join(import.meta.dirname, '../..')
const PAGES = globSync(
  ['*.md', 'docs/**/*.md', 'node_modules/{vitest,zod,yaml,marked,fast-check,knip,publint}/*.md'],
  {
    cwd: root,
  },
)

test.each(PAGES)('%s is cut into the blocks a parser of others finds', (page) => {
  const text = readFileSync(join(root, page), 'utf8')
  expect(found(text)).toEqual(expected(text))
})

/** Parts of documents as people write them, which stand apart by empty lines. */
const PART = fc.constantFrom(
  '# Title',
  '## Part ##',
  'Setext\n===',
  'Another\n---',
  'The gate opens at six.\nIt closes at nine.',
  'A sentence with `code`, *words* and a [link](http://a.b).',
  '- one\n- two\n  more of two\n  - nested\n- three',
  '1. first\n2. second\n\n   still second\n3. third',
  '* star\n\n* after an empty line',
  '- [ ] open\n- [x] done',
  '> quoted\n> lines\nthat go on',
  '> - a list\n> - quoted',
  '```js\nconst a = 1\n\n# no heading\n```',
  '~~~\ncode\n~~~',
  '    indented code\n\n    goes on',
  '| a | b |\n|---|:-:|\n| 1 | 2 |',
  'a | b\n- | -\n1 | 2',
  '***',
  '<div>\n<p>text</p>\n</div>',
  '<!-- a comment\n\n of two parts -->',
  '[name]: http://a.b "title"',
  'Text at once\n# before a heading',
  'Text at once\n- before a list',
)

test('documents put together of ordinary parts are cut alike', () => {
  const document = fc.array(PART, { minLength: 1, maxLength: 12 }).map((parts) => parts.join('\n\n'))
  fc.assert(
    fc.property(document, (text) => {
      expect(found(text)).toEqual(expected(text))
    }),
    { numRuns: 2_000 },
  )
})

test('whatever a text is made of, its blocks hold all its words in order', () => {
  const signs = fc.string({ unit: fc.constantFrom(...'a>-*#`~|[]<:=_+1. \t\n'), maxLength: 200 })
  fc.assert(
    fc.property(signs, (text) => {
      const kept = blocksOf(text)
        .map((block) => block.text.replaceAll(/[^a]/g, ''))
        .join('')
      expect(kept).toBe(text.replaceAll(/[^a]/g, ''))
    }),
    { numRuns: 3_000 },
  )
})
