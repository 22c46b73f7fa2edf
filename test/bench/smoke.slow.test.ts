import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { expect, test } from 'vitest'
import { PLAN } from '../../bench/all.ts'
import { benches } from '../../bench/benches.ts'
import { chartsOf } from '../../bench/charts/charts.ts'
import { type Machine, machineFacts } from '../../bench/lib/machine.ts'
import { type Result, resultJson } from '../../bench/lib/result.ts'
import type { PeersData } from '../../bench/peers/peers.ts'
import { temporaryFolder } from '../helpers/memory.ts'

const machine: Machine = machineFacts()
const silent = () => {}

/** A short conversation in LoCoMo's format, of which every question has its answer. */
function conversation(): string {
  const talk = (speaker: string, texts: readonly string[], session: number) =>
    texts.map((text, i) => ({ speaker, dia_id: `D${session}:${i + 1}`, text }))
  const sample = {
    sample_id: 'conv-1',
    conversation: {
      session_1: talk(
        'Ada',
        ['I adopted a grey parrot last week.', 'The kitchen is being painted green.'],
        1,
      ),
      session_1_date_time: '1:56 pm on 8 May, 2023',
      session_2: talk('Bo', ['My train to Lisbon leaves on Friday.', 'Tickets were cheap.'], 2),
      session_2_date_time: '9:10 am on 1 June, 2023',
    },
    qa: [
      { question: 'Who adopted a grey parrot?', category: 4, evidence: ['D1:1'] },
      { question: 'Where does the train go?', category: 4, evidence: ['D2:1'] },
    ],
  }
  const path = join(temporaryFolder(), 'conversation.json')
  writeFileSync(path, JSON.stringify([sample]))
  return path
}

/** Runs a bench as the command line does, and gives its result as it would be read from a file. */
async function run(name: string, ...args: string[]): Promise<{ report: string; result: Result }> {
  const bench = benches.find((each) => each.name === name)!
  const { values } = parseArgs({ args, options: bench.flags, strict: true })
  const { report, data } = await bench.run(values, silent)
  const result = JSON.parse(resultJson({ bench: name, command: '', machine, data })) as Result
  return { report, result }
}

/** The parts that the page could show, by name; reading them from JSON must give what was printed. */
function partsOf({ report, result }: Awaited<ReturnType<typeof run>>): Set<string> {
  const parts = benches.find(({ name }) => name === result.bench)!.present!(result.data as never)
  for (const { body } of parts)
    if (typeof body !== 'string') for (const [first = ''] of body.rows) expect(report).toContain(first)
  return new Set(parts.map(({ name }) => name))
}

test('the speed bench measures every operation and dreams into several sizes', async () => {
  const sizes = ['--sizes', '100,150', '--dream-sizes', '0,100', '--dreamt', '20']
  const measured = await run(
    'speed',
    '--only',
    'engine,dream',
    ...sizes,
    '--questions',
    '10',
    '--writes',
    '5',
    '--runs',
    '1',
  )
  expect(partsOf(measured)).toEqual(new Set(['engine', 'dream', 'promises']))
  expect(measured.report).toContain('recall simulate, reinforce false')
  expect(measured.report).not.toContain('NaN')
  const charts = chartsOf(new Map([['speed', measured.result]]))
  expect(Object.keys(charts).sort()).toEqual(['dream.svg', 'recall-time.svg'])
})

test('the peers bench measures those it can drive, and says why it left others out', async () => {
  // A file where the folder should be: nothing can be installed, whatever the network.
  const cache = join(temporaryFolder(), 'file')
  writeFileSync(cache, '')
  const measured = await run(
    'peers',
    ...['--only', 'elfmem,mem0,python-elfmem,fts5,cosine', '--cache', cache, '--parts', 'speed,quality'],
    ...['--sizes', '40,60', '--searches', '5', '--adds', '3', '--data', conversation()],
  )
  expect(partsOf(measured)).toEqual(
    new Set(['contenders', 'search', 'ratio', 'adding', 'found', 'missing', 'wins']),
  )
  const { peers } = measured.result.data as PeersData
  const of = (key: string) => peers.find((peer) => peer.key === key)!
  for (const key of ['elfmem', 'fts5', 'cosine']) {
    expect(of(key).notMeasured).toEqual([])
    expect(of(key).quality?.recall20).toBe(1)
    expect(of(key).speed?.sizes.map(({ texts }) => texts)).toEqual([40, 60])
    for (const { found } of of(key).speed?.sizes ?? []) expect(found).toBeGreaterThan(0.5)
  }
  for (const key of ['mem0', 'python-elfmem'])
    expect(of(key).notMeasured[0]).toContain('could not be installed')
  const results = new Map([['peers', measured.result]])
  expect(Object.keys(chartsOf(results)).sort()).toEqual(['quality.svg', 'search-time.svg'])
}, 120_000)

test('the locomo bench runs on any file in its format', async () => {
  const measured = await run('locomo', '--data', conversation(), '--ablate', 'windows')
  expect([...partsOf(measured)]).toEqual([
    'summary',
    'systems',
    'served',
    'categories',
    'ablations',
    'abstained',
    'cost',
  ])
})

test.each(PLAN)('the whole run gives $name only flags it has', ({ name, flags, quick, data, cache }) => {
  const bench = benches.find((each) => each.name === name)!
  for (const args of [flags, quick])
    expect(() => parseArgs({ args: [...args], options: bench.flags, strict: true })).not.toThrow()
  if (data !== 'none') expect(bench.flags).toHaveProperty('data')
  if (cache) expect(bench.flags).toHaveProperty('cache')
})

test('the whole run leaves no bench out but that of the dashboard, which needs a browser and a built page', () => {
  const names = [...PLAN.map(({ name }) => name), 'dashboard']
  expect(names.sort()).toEqual(benches.map(({ name }) => name).sort())
})
