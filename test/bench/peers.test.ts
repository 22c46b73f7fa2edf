import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sizeOf } from '../../bench/lib/folder-size.ts'
import type { Result } from '../../bench/lib/result.ts'
import type { Table } from '../../bench/lib/table.ts'
import { CONTENDERS, type Contender } from '../../bench/peers/contenders.ts'
import { readCorpus, writeCorpus } from '../../bench/peers/corpus.ts'
import { PeerDriver } from '../../bench/peers/driver.ts'
import { measureTools } from '../../bench/peers/footprint/footprint.ts'
import { McpProcess } from '../../bench/peers/footprint/mcp-process.ts'
import { defaultCache } from '../../bench/peers/install.ts'
import { withKept } from '../../bench/peers/kept.ts'
import type { PeerResult } from '../../bench/peers/peers.ts'
import { partsOf } from '../../bench/peers/present.ts'
import { chosenQuestions } from '../../bench/peers/quality-part.ts'
import { reasonIn } from '../../bench/peers/reason.ts'
import { measurePeerSpeed, writeSentences } from '../../bench/peers/speed-part.ts'
import { winsOf } from '../../bench/peers/wins.ts'
import { temporaryFolder } from '../helpers/memory.ts'

const SIZE = 5_000
const times = (p50: number) => ({ p50, p95: 2 * p50, max: 3 * p50, calls: 10 })

interface Figures {
  readonly search?: number
  readonly add?: number
  readonly found?: number
  readonly megabytes?: number
  readonly peak?: number
  readonly recall10?: number
}

/** A result in which everything is 1 but for what is said. */
function result(key: string, figures: Figures = {}): PeerResult {
  const { search = 1, add = 1, found = 1, megabytes = 1, peak = 1, recall10 = 0.5 } = figures
  const quality = { recall5: 0.5, recall20: 0.5, hit5: 0.5, reciprocalRank: 0.5 }
  return {
    key,
    name: key,
    version: '1',
    note: '',
    notMeasured: [],
    speed: {
      version: '1',
      computed: 0,
      peakMegabytes: peak,
      sizes: [
        {
          texts: SIZE,
          search: times(search),
          searchCpu: search,
          add: times(add),
          settle: 0,
          found,
          megabytes,
        },
      ],
    },
    quality: { ...quality, recall10, questions: 10 },
  }
}

test('whoever is ahead of elfmem in anything is named with both numbers', () => {
  const peers = [
    result('elfmem'),
    result('quick', { search: 0.25, megabytes: 3 }),
    result('wise', { recall10: 0.75, add: 5 }),
    result('same'),
  ]
  expect(winsOf(peers, SIZE).split('\n')).toEqual([
    '- search among 5,000 texts, p50: quick 0.25 ms; elfmem 1.00 ms',
    '- search among 5,000 texts, p95: quick 0.50 ms; elfmem 2.00 ms',
    '- recall@10: wise 75.0 %; elfmem 50.0 %',
  ])
})

test('finding nothing quickly is no win, but little memory is', () => {
  const peers = [result('elfmem'), result('blind', { search: 0.1, found: 0, peak: 0.5 })]
  expect(winsOf(peers, SIZE)).toBe('- peak memory: blind 0.5 MB; elfmem 1.0 MB')
  expect(winsOf([result('elfmem'), result('slow', { search: 9 })], SIZE)).toContain('Nobody is ahead')
})

test('a ratio that is wanted says whether it is kept', () => {
  const ratios = (search: number) => {
    const peers = [result('elfmem'), result('mem0', { search }), result('fts5', { search: 0.5 })]
    const part = partsOf({ topK: 5, conversations: 0, peers }).find(({ name }) => name === 'ratio')!
    return (part.body as Table).rows
  }
  expect(ratios(80)).toEqual([
    ['mem0', '80×', '80×', '80×', '≥ 80×: kept'],
    ['fts5', '0.5×', '0.5×', '0.5×', ''],
  ])
  expect(ratios(79)[0]?.at(-1)).toBe('≥ 80×: MISSED')
})

test('who was not measured is named with the reason, and stands in the tables without numbers', () => {
  const absent: PeerResult = {
    key: 'mem0',
    name: 'mem0',
    version: '',
    note: '',
    notMeasured: ['speed: no network'],
  }
  const parts = partsOf({ topK: 5, conversations: 0, peers: [result('elfmem'), absent] })
  const bodyOf = (name: string) => parts.find((part) => part.name === name)?.body
  expect(bodyOf('missing')).toBe('- mem0 not measured: speed: no network.')
  expect(bodyOf('search')).toMatchObject({
    rows: [
      ['elfmem', '1.00 / 2.00'],
      ['mem0', '–'],
    ],
  })
})

const footprintOf = (installBytes: number, characters?: number) => ({
  installBytes,
  ...(characters === undefined ? {} : { tools: { count: 1, characters, promptCharacters: characters } }),
  lacking: ['command: its package has no command'],
})

test('what it takes to have a memory stands in a table, and what could not be measured says so', () => {
  const peers = [
    { ...result('elfmem'), footprint: { ...footprintOf(50_000_000, 400), listed: times(200) } },
    { ...result('small'), footprint: footprintOf(500_000) },
  ]
  const parts = partsOf({ topK: 5, conversations: 0, peers })
  const bodyOf = (name: string) => parts.find((part) => part.name === name)?.body
  expect((bodyOf('footprint') as Table).rows).toEqual([
    ['elfmem', '50', '200 / 400', 'not measured', 'not measured'],
    ['small', '0.5', 'not measured', 'not measured', 'not measured'],
  ])
  expect((bodyOf('tools') as Table).rows[0]).toEqual(['elfmem', '1', '400', '100', '100'])
  expect(bodyOf('missing')).toContain('small not measured: command: its package has no command.')
  expect(bodyOf('wins')).toBe('- install: small 0.5 MB; elfmem 50 MB')
})

test('tools are counted as they come over the wire, and once more as a model gets them', () => {
  const tool = { name: 'say', description: 'Says 😀', inputSchema: {}, outputSchema: { type: 'object' } }
  const { outputSchema: _, ...prompt } = tool
  expect(measureTools([tool])).toEqual({
    count: 1,
    characters: [...JSON.stringify([tool])].length,
    promptCharacters: [...JSON.stringify([prompt])].length,
  })
})

test('parts that were not measured now are those of an earlier result, and say where they come from', () => {
  const machine = { node: '1', sqlite: '1', cpu: '', cores: 1, kernel: '', commit: 'a', date: '2026-01-01' }
  const origin = { bench: 'peers', command: 'c', machine }
  const { speed, quality, ...bare } = result('elfmem')
  const now = { topK: 5, conversations: 0, peers: [{ ...bare, footprint: footprintOf(1) }] }
  const before = { topK: 5, conversations: 3, peers: [{ ...bare, speed, quality }, result('mem0')] }
  const earlier = { ...origin, data: before } as Result
  const { peers, kept, conversations } = withKept(now, { earlier, measured: ['footprint'] })
  expect(peers).toMatchObject([
    { key: 'elfmem', speed, quality, footprint: { installBytes: 1 } },
    { key: 'mem0' },
  ])
  expect([conversations, kept]).toEqual([
    3,
    [
      { ...origin, part: 'speed' },
      { ...origin, part: 'quality' },
    ],
  ])
  const again = { bench: 'peers', command: 'd', machine, data: { ...now, peers, kept } } as Result
  expect(withKept(now, { earlier: again, measured: ['footprint'] }).kept).toEqual(kept)
})

test('a folder is as large as its files, and a link in it is not followed', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'lib'))
  writeFileSync(join(folder, 'lib', 'file'), '12345')
  expect(sizeOf(folder)).toBe(5)
  symlinkSync('lib', join(folder, 'lib64'))
  expect(sizeOf(folder)).toBe(5 + 'lib'.length)
})

test('a server that ends without an answer says why instead of hanging', async () => {
  const args = ['-e', 'throw new Error("no memory here")']
  await using server = new McpProcess({ command: process.execPath, args, env: {}, cwd: temporaryFolder() })
  await expect(server.greet()).rejects.toThrow('no memory here')
})

test('given vectors are found by their texts, and other texts are embedded and counted', async () => {
  const folder = temporaryFolder()
  const vectors = [Float32Array.of(1, 0), Float32Array.of(0, 1)]
  writeCorpus(folder, { texts: ['One'], questions: ['two?'], dimensions: 2, embedder: 'hashing', vectors })
  const corpus = readCorpus(folder)
  expect(await corpus.embed(['two?', ' ONE '])).toEqual([vectors[1], vectors[0]])
  expect(corpus.computed).toBe(0)
  const [other] = await corpus.embed(['three'])
  expect(other).toHaveLength(2)
  expect(corpus.computed).toBe(1)
})

const ghost: Contender = { key: 'nobody', name: 'nobody', install: { from: 'nothing' }, note: '' }

test('a driver that cannot be started or does not know its system says so instead of hanging', async () => {
  const ask = async (command: string) => {
    await using driver = new PeerDriver(ghost, { command, packages: '' })
    await driver.ask<'open'>({ op: 'open', corpus: '', folder: '', packages: '' })
  }
  await expect(ask('/no/such/program')).rejects.toThrow('ENOENT')
  await expect(ask(process.execPath)).rejects.toThrow('no driver knows nobody')
})

test('the telling line of a long complaint is the reason', () => {
  expect(reasonIn('warning: slow\nTypeError: no fetch\n  at x\n')).toBe('TypeError: no fetch')
  expect(reasonIn(' # Assertion failed: env\n10: 0x19c77d1 [node]')).toBe('# Assertion failed: env')
  expect(reasonIn('first\nlast\n\n')).toBe('last')
  expect(reasonIn('')).toBe('it did not say why')
})

test('fewer questions are chosen evenly from the whole conversation', () => {
  const path = join(temporaryFolder(), 'many.json')
  const qa = Array.from({ length: 10 }, (_, i) => ({ question: `q${i}`, category: 4, evidence: ['D1:1'] }))
  const session = [{ speaker: 'Ada', dia_id: 'D1:1', text: 'Hello' }]
  writeFileSync(path, JSON.stringify([{ sample_id: 'c', conversation: { session_1: session }, qa }]))
  const asked = (most: number) => chosenQuestions(path, most)[0]?.questions.map(({ text }) => text)
  expect(asked(5)).toEqual(['q0', 'q2', 'q4', 'q6', 'q8'])
  expect(asked(3)).toHaveLength(3)
  expect(asked(100)).toHaveLength(10)
})

test('others are installed among the caches of the user, pinned to a version', () => {
  expect(defaultCache({ XDG_CACHE_HOME: '/caches' })).toBe(join('/caches', 'elfmem-bench'))
  for (const { install } of CONTENDERS) if ('spec' in install) expect(install.spec).toMatch(/(@|==)\d+\.\d+/)
})

test('a system that cannot be filled in time is measured where it came to, and the rest says why it is missing', async () => {
  const folder = temporaryFolder()
  const plan = {
    folder: join(folder, 'speed'),
    topK: 5,
    sizes: [40, 5_000],
    searches: 2,
    adds: 1,
    fillSeconds: 0.001,
    searchSeconds: 1,
  }
  mkdirSync(plan.folder)
  await writeSentences(join(folder, 'sentences'), plan)
  const fts5 = CONTENDERS.find(({ key }) => key === 'fts5')!
  const { sizes, stopped } = await measurePeerSpeed(
    fts5,
    { command: process.execPath, packages: '' },
    { plan, corpus: join(folder, 'sentences'), log: () => {} },
  )
  expect(sizes.map(({ texts }) => texts)).toEqual([40])
  expect(stopped).toMatch(/texts/)
})
