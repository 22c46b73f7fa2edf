import { expect } from 'vitest'
import type { Block } from '../../src/block/block.ts'
import {
  insertBlocks,
  readBlocks,
  readPage,
  readSameTexts,
  readVectors,
  reinforceBlocks,
  saveBlocks,
  saveIndex,
} from '../../src/store/blocks.ts'
import { readLinks, reinforceEdgesAmong, saveEdges } from '../../src/store/graph.ts'
import type { Store } from '../../src/store/transaction.ts'
import { insertBlock } from '../helpers/rows.ts'
import { AT, aBlock, anEdge, anIndex, blocksOf, idsIn, insertAll } from './harness.ts'
import type { Suite } from './suite.ts'

/** A block with every field, in letters that a careless database would spoil. */
const FULL: Block = {
  id: 'full',
  content: 'Zürich — 東京 👩‍💻\n"quoted" \\ back\\slash \'single\' % _ * \u2028 e\u0301 \t end ',
  summary: 'עברית',
  cue: 'wann immer …',
  category: 'décision',
  tags: ['päckchen/größe', 'self/goal'],
  source: "it's $1; DROP TABLE blocks --",
  sourceClass: 'tool',
  status: 'archived',
  archiveReason: 'superseded',
  supersededBy: 'other',
  supersedes: 'nobody',
  judgementPending: true,
  createdAt: AT,
  occurredAt: '1999-12-31T23:59:59.999Z',
  session: 'sitzung ü',
  position: 0,
  alignment: 0.123456789012345,
  scoredAt: AT,
  successes: 1 / 3,
  failures: 0.1 + 0.2,
  reinforcementCount: 7,
  lastReinforcedAt: 1234.5678901234567,
  lastUsefulAt: 1e-9,
  decayLambda: 0.00001,
  tokenCount: 12,
  lastAt: '1999-12-31T23:59:59.999Z',
  lastToldAt: '2026-03-01T12:00:00.001Z',
}

/** Registers tests of blocks, their vectors and the ways to find them. */
export function checkBlocks({ check }: Suite): void {
  check('insertBlock and saveBlocks give a block back exactly as it was given', async (store) => {
    const { position: _position, ...block } = FULL
    expect(await store.write((tx) => insertBlock(tx, block))).toEqual({ inserted: true, block: FULL })
    expect(await blocksOf(store, 'full')).toEqual([FULL])
    const bare = { ...aBlock('full', { content: '' }), position: 3 }
    await store.write((tx) => saveBlocks(tx, [bare]))
    expect(await blocksOf(store, 'full')).toStrictEqual([bare])
  })

  check(
    'insertBlocks counts places in each session and leaves blocks alone that are there',
    async (store) => {
      const [there] = await insertAll(store, ['there'], { session: 'one' })
      const answers = await store.write((tx) =>
        insertBlocks(tx, [
          aBlock('a', { session: 'one' }),
          aBlock('there', { content: 'other', session: 'two' }),
          aBlock('b', { session: 'two', tags: ['t'], status: 'inbox' }),
          aBlock('a', { content: 'again', session: 'two' }),
          aBlock('c', { session: 'one' }),
        ]),
      )
      expect(answers.map(({ inserted, block }) => [block.id, inserted, block.position])).toEqual([
        ['a', true, 1],
        ['there', false, 0],
        ['b', true, 0],
        ['a', false, 1],
        ['c', true, 2],
      ])
      const page = await store.read((tx) => readPage(tx, { order: 'arrival', limit: 9 }))
      expect(page.blocks).toEqual([there, answers[0]?.block, answers[2]?.block, answers[4]?.block])
    },
  )

  check('every call takes 40,000 ids at once', async (store) => {
    const ids = Array.from({ length: 40_000 }, (_, index) => `x${index}`)
    await insertAll(store, ['x39999', 'x7'])
    await store.write((tx) => saveEdges(tx, [anEdge('x39999', 'x7')]))
    const answers = await store.write(async (tx) => [
      idsIn(await readBlocks(tx, ids)),
      await reinforceBlocks(tx, ids, 1),
      (await readLinks(tx, ids)).edges.length,
      (await tx.queries.strengths(ids)).size,
      await reinforceEdgesAmong(tx, ids, 1),
    ])
    expect(answers).toEqual([['x7', 'x39999'], ['x7', 'x39999'], 1, 2, 1])
  })

  check('vectors are kept to the bit, and go when the index is saved without one', async (store) => {
    await insertAll(store, ['a', 'b', 'c'])
    const vector = new Float32Array([0.1, -1, 3.4e38, 1e-45, 0])
    const one = { vector: new Float32Array([1, 2]), passages: new Uint8Array([1, 2, 255, 4]) }
    const save = (...given: Parameters<typeof anIndex>[]) =>
      store.write((tx) =>
        saveIndex(
          tx,
          given.map((each) => anIndex(...each)),
        ),
      )
    const vectors = () => store.read((tx) => readVectors(tx, ['c', 'a', 'b', 'nobody']))
    await save(['a', { vectors: one }], ['b'], ['c', { vectors: { vector } }])
    expect(await vectors()).toEqual(
      new Map<string, object>([
        ['c', { vector }],
        ['a', one],
      ]),
    )
    await save(['a'])
    expect([...(await vectors()).keys()]).toEqual(['c'])
  })

  check('sameTexts finds the same text in its scope unless it is archived or edited', async (store) => {
    const content = 'The gate opens at six'
    await insertAll(store, ['a'], { content })
    await insertAll(store, ['b'], { content: `${content} `, status: 'inbox' })
    await insertAll(store, ['c'], { content, scope: 'there' })
    await insertAll(store, ['d'], { content, status: 'archived' })
    await insertAll(store, ['e'], { content: 'The gate opens at seven' })
    const same = async (of: Store, fields: { readonly scope?: string } = {}) =>
      idsIn(await of.read((tx) => readSameTexts(tx, [{ content, ...fields }])))
    expect(await same(store)).toEqual(['a', 'b'])
    expect(await same(store, { scope: 'there' })).toEqual(['c'])
    expect(await same(store.within('there'))).toEqual([])
    const [a] = await blocksOf(store, 'a')
    await store.write((tx) => saveBlocks(tx, [{ ...(a as Block), content: 'The gate opens at nine' }]))
    expect(await same(store)).toEqual(['b'])
  })

  check(
    'idsByPrefix finds at most two ids, an exact match alone, and takes signs literally',
    async (store) => {
      await insertAll(store, ['ab1', 'ab2', 'ab3', 'b', 'a%b', 'A_B'])
      await insertAll(store, ['ab'], { status: 'archived' })
      const found = await store.read((tx) =>
        tx.queries.idsByPrefix(['ab', 'a', 'ab3', 'z', 'a%', '%', '_', 'A']),
      )
      expect(Object.fromEntries(found)).toEqual({
        ab: ['ab'],
        a: ['a%b', 'ab'],
        ab3: ['ab3'],
        z: [],
        'a%': ['a%b'],
        '%': [],
        _: [],
        A: ['A_B'],
      })
    },
  )

  check('replacing follows chains of supersedes both ways, the nearest first', async (store) => {
    await insertAll(store, ['v0', 'apart'])
    for (let n = 1; n < 30; n++)
      await insertAll(store, [`v${n}`], { supersedes: `v${n - 1}`, status: n % 2 ? 'inbox' : 'active' })
    await insertAll(store, ['gone'], { supersedes: 'v29', status: 'archived' })
    await insertAll(store, ['there'], { supersedes: 'apart', scope: 'there' })
    const replacing = async (ids: readonly string[], limit: number, of: Store = store) =>
      idsIn(await of.read((tx) => tx.queries.replacing(ids, limit)))
    const chain = Array.from({ length: 29 }, (_, i) => `v${i + 1}`)
    for (const id of ['v0', 'v14', 'v29']) expect(await replacing([id], 99)).toEqual(chain)
    expect(await replacing(['v0'], 4)).toEqual(['v1', 'v2', 'v3', 'v4'])
    expect(await replacing(['v14'], 3)).toEqual(['v14', 'v15', 'v16'])
    expect(await replacing(['v0', 'apart'], 9, store.within('there'))).toEqual(['there'])
  })
}
