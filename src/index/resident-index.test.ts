import { expect, test } from 'vitest'
import { aBlock } from '../../test/store/harness.ts'
import { loadScanKernel } from '../adapters/system/scan-kernel.ts'
import type { Block } from '../block/block.ts'
import { createAnalysis, LANGUAGE } from '../language/question.ts'
import { packUnit } from './columns.ts'
import { ResidentIndex } from './resident-index.ts'

const indexEntry = createAnalysis(LANGUAGE).entry

function block(id: string, content: string, more: Partial<Block> = {}): Block {
  return { ...aBlock(id), content, session: id, position: 0, ...more }
}

function index(): ResidentIndex {
  return new ResidentIndex(loadScanKernel(), createAnalysis(LANGUAGE))
}

function found(resident: ResidentIndex, text: string, filter = {}): string[] {
  return resident
    .rank(resident.read(text), undefined, 5, filter)
    .filter(({ strength }) => strength > 0)
    .map(({ facts }) => facts.id)
}

const put = (resident: ResidentIndex, ...blocks: Block[]) =>
  resident.apply(blocks.map((each) => ({ block: each, index: indexEntry(each) })))

function unit(axis: number, dimensions: number): Float32Array {
  return Float32Array.from({ length: dimensions }, (_, i) => Number(i === axis))
}

/** A text of four passages, the third of which has the words. */
const longText = (words: string) =>
  [0, 1, 2, 3].map((i) => `${'Other '.repeat(44)}${i === 2 ? words : 'nothing'}.`).join(' ')

test('nearest compares a long block by the vector of the whole, and names it once', () => {
  const resident = index()
  const [one, two] = [unit(0, 16), unit(1, 16)]
  const long = block('a', longText('redis'))
  const passages = Uint8Array.from([two, two, two, two].flatMap((each) => [...packUnit(each)]))
  resident.apply([{ block: long, index: indexEntry(long, { vector: one, passages }) }])
  const near = (vector: Float32Array) => resident.nearest([{ vector }], { count: 5, floor: 0.5 })[0]
  expect(near(one)?.map(({ id }) => id)).toEqual(['a'])
  expect(near(two)).toEqual([])
  const [best] = resident.rank(resident.read('anything'), two, 5)
  expect(best?.cosine).toBeCloseTo(1, 2)
})

test('rank finds a long block once when two names lead to two of its passages', () => {
  const resident = index()
  const said = (id: string, content: string, vector: Float32Array) => {
    const each = block(id, content, { createdAt: `2026-05-08T10:00:${id}.000Z` })
    return { block: each, index: indexEntry(each, { vector }) }
  }
  const fillers = Array.from({ length: 50 }, (_, i) =>
    said(String(i + 1).padStart(2, '0'), 'tea', unit(2, 16)),
  )
  const [one, two] = ['Ada Lovelace', 'Grace Hopper'].map((name) =>
    Array.from({ length: 20 }, (_, i) => `Then ${name} did thing number ${i} on that day.`).join(' '),
  )
  resident.apply([
    ...fillers,
    said('58', 'The garden was planted by Ada Lovelace and Grace Hopper.', unit(0, 16)),
    said('59', `${one}\n${two}`, unit(1, 16)),
  ])
  const matches = resident.rank(resident.read('Who planted the garden?'), unit(0, 16), 5)
  const long = matches.filter(({ facts }) => facts.id === '59')
  expect(long.map(({ name = 0 }) => name > 0)).toEqual([true])
})

test('rank finds a block by the date at which it was said again', () => {
  const resident = index()
  const first = block('a', 'redis cache')
  put(resident, first, block('b', 'postgres'))
  expect(found(resident, 'July')).toEqual([])
  const again = { ...first, lastAt: '2026-07-03T10:00:00.000Z', lastToldAt: '2026-07-03T10:00:00.000Z' }
  resident.apply([{ block: again, indexUnchanged: true }])
  expect(found(resident, 'July')).toEqual(['a'])
  resident.apply([{ block: first, indexUnchanged: true }])
  expect(found(resident, 'July')).toEqual([])
})
