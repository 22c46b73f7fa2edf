import { expect } from 'vitest'
import { readBlocks, readPage, saveBlocks } from '../../src/store/blocks.ts'
import type { BlockFilter } from '../../src/store/database.ts'
import { saveEdges } from '../../src/store/graph.ts'
import type { Store } from '../../src/store/transaction.ts'
import { insertBlock } from '../helpers/rows.ts'
import { aBlock, anEdge, idsIn } from './harness.ts'
import type { Suite } from './suite.ts'

/** The ids of all pages of a list, one page after the other. */
async function walk(store: Store, filter: Omit<BlockFilter, 'cursor'>): Promise<string[][]> {
  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const page = await store.read((tx) => readPage(tx, cursor === undefined ? filter : { ...filter, cursor }))
    pages.push(idsIn(page.blocks))
    cursor = page.cursor
  } while (cursor !== undefined && pages.length < 50)
  return pages
}

const ORDERS = {
  arrival: ['helped', 'misled', 'once', 'never'],
  newest: ['never', 'once', 'misled', 'helped'],
  recent: ['helped', 'misled', 'never', 'once'],
  proved: ['helped', 'once', 'never', 'misled'],
  doubted: ['misled', 'never', 'once', 'helped'],
  fading: ['misled', 'once', 'helped', 'never'],
  joined: ['once', 'never', 'helped', 'misled'],
} as const

/** Registers tests of `page`. */
export function checkPages({ check }: Suite): void {
  check('page lists each block once in every order, by cursor and by offset', async (store) => {
    await store.write(async (tx) => {
      await insertBlock(tx, aBlock('helped', { successes: 3, lastReinforcedAt: 40 }))
      await insertBlock(tx, aBlock('misled', { failures: 2, decayLambda: 0.05 }))
      await insertBlock(tx, aBlock('once', { successes: 1 }))
      await insertBlock(tx, aBlock('never', { decayLambda: 0 }))
      await saveEdges(tx, [
        anEdge('once', 'never', { weight: 0.9 }),
        anEdge('once', 'helped', { weight: 0.2 }),
      ])
    })
    for (const [order, ids] of Object.entries(ORDERS)) {
      const filter = { order: order as keyof typeof ORDERS, hours: 50 }
      expect(await walk(store, { ...filter, limit: 1 }), order).toEqual(ids.map((id) => [id]))
      const page = await store.read((tx) => readPage(tx, { ...filter, limit: 2, offset: 1 }))
      expect(idsIn(page.blocks)).toEqual(ids.slice(1, 3))
      const whole = await store.read((tx) => readPage(tx, { ...filter, limit: 4 }))
      expect('cursor' in whole).toBe(false)
    }
  })

  check('page reads a tag literally, as a prefix only with a final star, and as it is now', async (store) => {
    const tags = ['self/goal', 'selfish', 'Self/goal', 's_lf/x', 'self', 'ünï/코드', 'ünï/한']
    await store.write(async (tx) => {
      for (const tag of tags) await insertBlock(tx, aBlock(tag, { tags: [tag] }))
      await insertBlock(tx, aBlock('without'))
    })
    const tagged = async (tag: string) => (await walk(store, { tag, order: 'arrival', limit: 99 })).flat()
    const expected = {
      'self/*': ['self/goal'],
      'self*': ['self/goal', 'selfish', 'self'],
      self: ['self'],
      'self/': [],
      's_lf/*': ['s_lf/x'],
      'Self/*': ['Self/goal'],
      'ünï/*': ['ünï/코드', 'ünï/한'],
      '*': tags,
    }
    for (const [tag, ids] of Object.entries(expected)) expect(await tagged(tag), tag).toEqual(ids)
    const [block] = await store.read((tx) => readBlocks(tx, ['self']))
    await store.write((tx) => saveBlocks(tx, [{ ...block, tags: ['new'] } as typeof block & object]))
    expect([await tagged('self'), await tagged('new')]).toEqual([[], ['self']])
  })
}
