import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { all } from '../../bench/all.ts'
import { benches } from '../../bench/benches.ts'
import type { Bench, Flag } from '../../bench/lib/bench.ts'
import type { Machine } from '../../bench/lib/machine.ts'
import { commandOf, RESULTS, type Result, readResults, resultJson } from '../../bench/lib/result.ts'
import { markdownTable, textTable } from '../../bench/lib/table.ts'
import { promiseTable } from '../../bench/speed/promises.ts'
import { renderBenchmarks } from '../../scripts/docs/benchmarks.ts'

const machine: Machine = {
  node: 'v24.1.0',
  sqlite: '3.50.0',
  cpu: 'Some CPU',
  cores: 2,
  kernel: 'simd',
  commit: 'abc1234',
  date: '2026-01-01',
}

const flags: Readonly<Record<string, Flag>> = {
  data: { type: 'string', place: 'FILE', description: 'A file' },
  size: { type: 'string', default: '10', description: 'A size' },
  loud: { type: 'boolean', description: 'Or not' },
}

const counting: Bench = {
  name: 'counting',
  summary: 'counts',
  flags,
  run: async () => ({ report: '', data: {} }),
  present: ({ count }: { readonly count: number }) => [
    { name: 'table', body: { head: ['what', 'n'], rows: [['a | b', String(count)]] } },
    { name: 'words', body: `There are ${count}.` },
  ],
}

function results(count: number): ReadonlyMap<string, Result> {
  const command = commandOf(counting, flags, { data: '/home/me/secret.json', size: '20', loud: true })
  const result = { bench: 'counting', command, machine, dataSha256: 'f'.repeat(64), data: { count } }
  return new Map([['counting', JSON.parse(resultJson(result)) as Result]])
}

const PAGE = `# Page

<!-- bench:counting/table -->
whatever stood here
<!-- /bench -->

Prose of somebody.

<!-- bench:counting/words -->
<!-- /bench -->

<!-- bench:counting/origin -->
<!-- /bench -->
`

test('what stands between the marks is made from the results, and the rest is left alone', () => {
  expect(renderBenchmarks(PAGE, { benches: [counting], results: results(7) })).toBe(`# Page

<!-- bench:counting/table -->

| what | n |
| --- | ---: |
| a \\| b | 7 |

<!-- /bench -->

Prose of somebody.

<!-- bench:counting/words -->

There are 7.

<!-- /bench -->

<!-- bench:counting/origin -->

\`npm run bench -- counting --data FILE --size 20 --loud\`: Node 24.1.0 (SQLite 3.50.0), 2 cores (Some CPU), kernel simd, commit abc1234, 2026-01-01, data sha256 ffffffffffff….

<!-- /bench -->
`)
})

test('making the page twice changes nothing, and other results change only what they say', () => {
  const once = renderBenchmarks(PAGE, { benches: [counting], results: results(7) })
  expect(renderBenchmarks(once, { benches: [counting], results: results(7) })).toBe(once)
  const other = renderBenchmarks(once, { benches: [counting], results: results(8) })
  expect(other).toBe(once.replace('| 7 |', '| 8 |').replace('are 7', 'are 8'))
})

test('a page that asks for what no result has is refused', () => {
  const source = { benches: [counting], results: results(1) }
  expect(() => renderBenchmarks(PAGE.replace('/words', '/deeds'), source)).toThrow('not deeds')
  expect(() => renderBenchmarks(PAGE.replaceAll('counting', 'dancing'), source)).toThrow('dancing')
  expect(() => renderBenchmarks(PAGE, { benches: [counting], results: new Map() })).toThrow('no result')
})

test('a table reads the same in a terminal and in Markdown', () => {
  const table = {
    head: ['one', 'two', 'three'],
    rows: [
      ['a', '1'],
      ['bb', '22', 'c'],
    ],
    textColumns: 1,
  }
  expect(textTable(table)).toBe('one  two  three\n---  ---  -----\na      1\nbb    22      c')
  expect(markdownTable(table)).toBe(
    '| one | two | three |\n| --- | ---: | ---: |\n| a | 1 |  |\n| bb | 22 | c |',
  )
})

test('every bench has a name and flags of its own, none of which the command line needs itself', () => {
  const names = [...benches, all].map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const { flags: own } of [...benches, all])
    for (const flag of Object.keys(own)) expect(['json', 'out', 'help']).not.toContain(flag)
})

test('each committed result is of a bench there is, named like its file, and holds no path', () => {
  const committed = readResults(RESULTS)
  expect(committed.size).toBeGreaterThan(0)
  expect([...committed.keys()].map((name) => `${name}.json`).sort()).toEqual(readdirSync(RESULTS).sort())
  for (const [name, { command }] of committed) {
    expect(benches.map((bench) => bench.name)).toContain(name)
    expect(command).not.toMatch(/\//)
  }
})

test('a promise is kept at its limit and missed beyond it, and says nothing of what was not measured', () => {
  const growth = (cpuMilliseconds: number) => {
    const dream = { dreamt: 1, perSecond: 1_000 }
    const measured = {
      engine: [],
      dream: [
        { ...dream, blocks: 1_000, cpuMilliseconds: 1 },
        { ...dream, blocks: 50_000, cpuMilliseconds },
      ],
      fresh: [],
      processes: [],
    }
    return promiseTable(measured).rows.map(([what, , , verdict]) => [what, verdict])
  }
  const name = 'a block dreamt into 50,000 against into 1,000, processor time'
  expect(growth(2)).toEqual([
    ['dream into 50,000 blocks', 'kept'],
    [name, 'kept'],
  ])
  expect(growth(2.1).at(-1)).toEqual([name, 'MISSED'])
})
