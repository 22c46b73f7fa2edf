import fc from 'fast-check'
import { expect, test } from 'vitest'
import { identifiersIn } from './tokens.ts'
import { type Comparing, type ShownBlock, type UsedBlock, usedBlocks } from './used-blocks.ts'

const COMPARING: Comparing = {
  terms: (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [],
  enoughWords: 2,
  firstBlocks: 2,
}

const VOCABULARY = [
  ...['4210', 'localhost:4210', 'scripts/ship.sh', 'max_retries', 'openMemory'],
  ...['harbour', 'kitchen', 'the', 'of', '.', 'v1.2.3', '名前', '🦊', '['],
]
const text = fc.array(fc.constantFrom(...VOCABULARY), { maxLength: 8 }).map((words) => words.join(' '))
const blocks = fc
  .array(text, { maxLength: 6 })
  .map((texts) => texts.map((content, at): ShownBlock => ({ id: idOf(at), content })))

function idOf(at: number): string {
  return (0xabc00000 + at).toString(16).padEnd(16, '0')
}

const use = (shown: readonly ShownBlock[], did: string, asked: string) =>
  usedBlocks(shown, did, asked, COMPARING)

test('usedBlocks finds the identifiers that a slow model finds: neither in the question nor in another block', () => {
  fc.assert(
    fc.property(blocks, text, text, (shown, did, asked) => {
      const naive = shown.flatMap(({ id, content }): UsedBlock[] => {
        const others = shown.filter((other) => other.id !== id).map((other) => identifiersIn(other.content))
        const evidence = [...identifiersIn(content)]
          .filter((token) => identifiersIn(did).has(token) && !identifiersIn(asked).has(token))
          .filter((token) => !others.some((other) => other.has(token)))
        return evidence.length === 0 ? [] : [{ id, kind: 'identifier', evidence: evidence.sort() }]
      })
      expect(use(shown, did, asked).filter(({ kind }) => kind === 'identifier')).toEqual(naive)
    }),
  )
})

test('usedBlocks gives no evidence that the question holds', () => {
  fc.assert(
    fc.property(blocks, text, text, (shown, did, asked) => {
      const known = new Set([...identifiersIn(asked), ...COMPARING.terms(asked)])
      for (const { evidence } of use(shown, did, asked))
        expect(evidence.filter((token) => known.has(token))).toEqual([])
    }),
  )
})

test('usedBlocks counts a citation by place or id, and no brackets of code', () => {
  const shown = [
    { id: 'c1760a9500000000', content: 'Tea is at four.' },
    { id: 'b7d041aa00000000', content: 'Coffee is at five.' },
  ]
  const kinds = (did: string) => use(shown, did, '').map(({ id, kind }) => [id.slice(0, 8), kind])
  expect(kinds('It is at four [1].')).toEqual([['c1760a95', 'cited']])
  expect(kinds('See b7d041aa for it.')).toEqual([['b7d041aa', 'cited']])
  expect(kinds('run `rows[2]`')).toEqual([])
})

test('usedBlocks counts two words of a block, or one of the first two blocks', () => {
  const shown = ['The harbour opens late.', 'Biscuits are cheap.', 'The kitchen sells almonds.'].map(
    (content, at) => ({ id: idOf(at), content }),
  )
  const used = (did: string) => use(shown, did, '').map(({ id, kind }) => [id, kind])
  expect(used('the harbour')).toEqual([[idOf(0), 'words']])
  expect(used('a kitchen')).toEqual([])
  expect(used('a kitchen with almonds')).toEqual([[idOf(2), 'words']])
})

test.each([
  ['Staging listens on 4210.', ['4210']],
  ['It costs 4,210 crowns.', ['4210']],
  ['call http://localhost:4210/health', ['4210', 'localhost:4210', 'localhost:4210/health']],
  ['Run ./scripts/ship.sh first.', ['scripts/ship.sh', 'ship.sh']],
  ['C:\\work\\app\\main.ts', ['main.ts', 'app/main.ts', 'work/app/main.ts']],
  ['set max_retries and openMemory', ['max_retries', 'openmemory']],
  ['pass --no-cache to it', ['--no-cache']],
  ['mail ops@example.test about v1.2.3', ['ops@example.test', 'example.test', 'v1.2.3']],
  ['Ｐｏｒｔ ４２１０', ['4210']],
  ['It takes 20 minutes and 99 tries, e.g. at 7 p.m., and/or yes/no, iPhone, GitHub.', []],
  ['', []],
  ['. .. ... / // \\ : @ -- --- ~', []],
])('identifiersIn of %j gives %j', (text, identifiers) => {
  expect([...identifiersIn(text)]).toEqual(expect.arrayContaining(identifiers))
  if (identifiers.length === 0) expect([...identifiersIn(text)]).toEqual([])
})
