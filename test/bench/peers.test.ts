import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Table } from '../../bench/lib/table.ts'
import { CONTENDERS, type Contender } from '../../bench/peers/contenders.ts'
import { readCorpus, writeCorpus } from '../../bench/peers/corpus.ts'
import { PeerDriver } from '../../bench/peers/driver.ts'
import { defaultCache } from '../../bench/peers/install.ts'
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
  for (const { install } of CONTENDERS)
    if (install.from !== 'nothing') expect(install.spec).toMatch(/(@|==)\d+\.\d+/)
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
