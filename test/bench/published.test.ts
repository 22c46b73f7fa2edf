import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { benches } from '../../bench/benches.ts'
import type { Bench } from '../../bench/lib/bench.ts'
import { commandOf, type Result } from '../../bench/lib/result.ts'
import {
  PAGE,
  PUBLISHED,
  publishedJson,
  readPublished,
  renderPage,
  withResults,
} from '../../bench/published.ts'

const published = readPublished()
const page = readFileSync(PAGE, 'utf8')

test('the page of benchmarks shows every part of bench/published.json and no other number', () => {
  expect(renderPage(page, published)).toBe(page)
  for (const [bench, parts] of Object.entries(published))
    for (const part of Object.keys(parts)) expect(page).toContain(`<!-- bench:${bench}/${part} -->`)
  expect(readFileSync(PUBLISHED, 'utf8')).toBe(publishedJson(published))
})

test('every published bench exists, and its origin names its command', () => {
  const names = benches.map(({ name }) => name)
  for (const [name, { origin }] of Object.entries(published)) {
    expect(names).toContain(name)
    expect(origin).toContain(`npm run bench -- ${name}`)
  }
})

const counting: Bench = {
  name: 'counting',
  summary: 'counts',
  flags: {
    data: { type: 'string', place: 'FILE', description: 'A file' },
    size: { type: 'string', default: '10', description: 'A size' },
  },
  run: async () => ({ report: '', data: {} }),
  present: ({ count }: { readonly count: number }) => [
    { name: 'table', body: { head: ['what', 'n'], rows: [['a | b', String(count)]] } },
  ],
}

const result: Result = {
  bench: 'counting',
  command: commandOf(counting, counting.flags, { data: '/home/me/file.json', size: '20' }),
  machine: {
    ...{ node: 'v24.1.0', sqlite: '3.50.0', cpu: 'Some CPU', cores: 2 },
    ...{ kernel: 'simd', commit: 'abc1234', date: '2026-01-01' },
  },
  data: { count: 7 },
}

test('a result replaces the parts that are published of its bench, and leaves the others', () => {
  const before = { counting: { table: 'old', words: 'kept', origin: 'old' }, other: { table: 'kept' } }
  const results = new Map([['counting', result]])
  const after = withResults(before, { benches: [counting], results })
  expect(after).toEqual({
    counting: {
      table: { head: ['what', 'n'], rows: [['a | b', '7']] },
      words: 'kept',
      origin: expect.stringMatching(
        /^`npm run bench -- counting --data FILE --size 20`: Node 24\.1\.0 .*2026/,
      ),
    },
    other: { table: 'kept' },
  })
  expect(JSON.parse(publishedJson(after))).toEqual(after)
  const marks = '# Page\n<!-- bench:counting/table -->\nold\n<!-- /bench -->\nProse.\n'
  expect(renderPage(marks, after)).toContain('| a \\| b | 7 |\n<!-- /bench -->\nProse.')
  expect(() => renderPage(marks.replace('table', 'deeds'), after)).toThrow('counting/deeds')
})
