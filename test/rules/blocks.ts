import type { Block } from '../../src/domain/block/block.ts'
import { AT, aBlock, anEdge, anIndex, insertAll, type Suite } from '../../src/testing/harness.ts'

/** Everything a block can have, in letters a careless store would spoil. */
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
  createdAt: AT,
  occurredAt: '1999-12-31T23:59:59.999Z',
  session: 'sitzung ü',
  position: 0,
  alignment: 0.123456789012345,
  successes: 1 / 3,
  failures: 0.1 + 0.2,
  reinforcementCount: 7,
  lastReinforcedAt: 1234.5678901234567,
  lastUsefulAt: 1e-9,
  decayLambda: 0.00001,
  tokenCount: 12,
}

/** Promises about blocks, their vectors and their ids. */
export function checkBlocks({ check, expect }: Suite): void {
  check('gives back a block exactly as it was inserted', async (store) => {
    const { position, ...block } = FULL
    const outcome = await store.write((tx) => tx.insertBlock(block))
    expect(outcome).toEqual({ inserted: true, block: FULL })
    expect(await store.read((tx) => tx.blocks(['full']))).toEqual([FULL])
    expect(position).toBe(0)
  })

  check('gives back a block exactly as it was saved', async (store) => {
    await insertAll(store, ['full'])
    await store.write((tx) => tx.saveBlocks([FULL]))
    expect(await store.read((tx) => tx.blocks(['full']))).toEqual([FULL])
    const bare = { ...aBlock('full', { content: '' }), position: 3 }
    await store.write((tx) => tx.saveBlocks([bare]))
    const [saved] = await store.read((tx) => tx.blocks(['full']))
    expect(saved).toEqual(bare)
    expect(Object.keys(saved as Block).sort()).toEqual(Object.keys(bare).sort())
  })

  check('numbers blocks within their session from 0 without gaps', async (store) => {
    const one = await insertAll(store, ['a', 'b'], { session: 'one' })
    const other = await insertAll(store, ['c'], { session: 'other' })
    const more = await insertAll(store, ['d'], { session: 'one' })
    expect([...one, ...other, ...more].map((block) => block.position)).toEqual([0, 1, 0, 2])
  })

  check('leaves a block alone whose id is inserted again', async (store) => {
    const [first] = await insertAll(store, ['a'])
    const again = await store.write((tx) => tx.insertBlock(aBlock('a', { content: 'other', session: 'new' })))
    expect(again).toEqual({ inserted: false, block: first })
    const [next] = await insertAll(store, ['b'])
    expect(next?.position).toBe(1)
  })

  check(
    'inserts many blocks as one after the other, those that are there left as they are',
    async (store) => {
      const [there] = await insertAll(store, ['there'], { session: 'one' })
      const { position: _, ...full } = FULL
      const given = [
        aBlock('a', { session: 'one' }),
        aBlock('there', { content: 'other', session: 'two' }),
        full,
        aBlock('b', { session: 'two', tags: ['t'], status: 'inbox' }),
        aBlock('a', { content: 'again', session: 'two' }),
        aBlock('c', { session: 'one' }),
      ]
      const answers = await store.write((tx) => tx.insertBlocks(given))
      expect(
        answers.map(({ inserted, block }) => [block.id, inserted, block.session, block.position]),
      ).toEqual([
        ['a', true, 'one', 1],
        ['there', false, 'one', 0],
        ['full', true, 'sitzung ü', 0],
        ['b', true, 'two', 0],
        ['a', false, 'one', 1],
        ['c', true, 'one', 2],
      ])
      const stored = await store.read((tx) => tx.blocks(['a', 'there', 'full', 'b', 'c']))
      expect(stored).toEqual([0, 1, 2, 3, 5].map((at) => answers[at]?.block))
      expect([stored[1], stored[2]]).toEqual([there, FULL])
      const { blocks } = await store.read((tx) => tx.page({ order: 'arrival', limit: 9 }))
      expect(blocks.map(({ id }) => id)).toEqual(['there', 'a', 'full', 'b', 'c'])
      const tagged = await store.read((tx) => tx.page({ tag: 't', order: 'arrival', limit: 9 }))
      expect(tagged.blocks.map(({ id }) => id)).toEqual(['b'])
      expect(await store.write((tx) => tx.insertBlocks([]))).toEqual([])
    },
  )

  check('counts many blocks that are inserted at once as one change', async (store) => {
    await insertAll(store, ['a'])
    const before = await store.read((tx) => tx.sequence())
    await store.write((tx) =>
      tx.insertBlocks([aBlock('c'), aBlock('waits', { status: 'inbox' }), aBlock('b')]),
    )
    const changes = await store.read((tx) => tx.changes(before))
    expect(changes.blocks.map(({ block }) => block.id)).toEqual(['c', 'waits', 'b'])
    expect(changes.sequence).toBe(before + 1)
  })

  check('does not create blocks by saving them', async (store) => {
    await store.write(async (tx) => {
      await tx.saveBlocks([{ ...aBlock('nobody'), position: 0 }])
      await tx.saveIndex([anIndex('nobody')])
    })
    expect(await store.read((tx) => tx.blocks(['nobody']))).toEqual([])
    expect((await store.read((tx) => tx.counts())).active).toBe(0)
  })

  check('answers in the order of the ids, each once, without the unknown', async (store) => {
    await insertAll(store, ['a', 'b', 'c'])
    const blocks = await store.read((tx) => tx.blocks(['c', 'nobody', 'a', 'c', '']))
    expect(blocks.map((block) => block.id)).toEqual(['c', 'a'])
  })

  check('takes 40,000 ids at once', async (store) => {
    const ids = Array.from({ length: 40_000 }, (_, index) => `x${index}`)
    await insertAll(store, ['x39999', 'x7'])
    await store.write((tx) => tx.saveEdges([anEdge('x39999', 'x7')]))
    const answers = await store.write(async (tx) => [
      (await tx.blocks(ids)).map((block) => block.id),
      await tx.reinforceBlocks(ids, 1),
      (await tx.links(ids)).edges.length,
      [...(await tx.degrees(ids))],
      (await tx.vectors(ids)).size,
      await tx.reinforceEdgesAmong(ids, 1),
      await tx.takeQueuedOutcomes(ids),
    ])
    expect(answers).toEqual([
      ['x7', 'x39999'],
      ['x7', 'x39999'],
      1,
      [
        ['x7', 1],
        ['x39999', 1],
      ],
      0,
      1,
      [],
    ])
  })

  check('keeps vectors to the bit and leaves out blocks without one', async (store) => {
    await insertAll(store, ['a', 'b', 'c'])
    const vector = new Float32Array([0.1, -1, 3.4e38, 1e-45, 0])
    await store.write((tx) =>
      tx.saveIndex([
        anIndex('a', { vector: new Float32Array([1, 2]) }),
        anIndex('b'),
        anIndex('c', { vector: vector.subarray(0) }),
      ]),
    )
    const vectors = await store.read((tx) => tx.vectors(['c', 'a', 'b', 'nobody']))
    expect([...vectors.keys()].sort()).toEqual(['a', 'c'])
    expect([...(vectors.get('c') ?? [])]).toEqual([...vector])
    expect([...(vectors.get('a') ?? [])]).toEqual([1, 2])
  })

  check('forgets a vector when the index is saved without one', async (store) => {
    await insertAll(store, ['a'])
    await store.write((tx) => tx.saveIndex([anIndex('a', { vector: new Float32Array([1]) })]))
    await store.write((tx) => tx.saveIndex([anIndex('a')]))
    expect((await store.read((tx) => tx.vectors(['a']))).size).toBe(0)
  })

  check('reinforces active blocks only and says which', async (store) => {
    await insertAll(store, ['a', 'b'], { reinforcementCount: 2 })
    await insertAll(store, ['waiting'], { status: 'inbox' })
    const applied = await store.write((tx) => tx.reinforceBlocks(['b', 'waiting', 'nobody', 'a', 'b'], 4.5))
    expect(applied).toEqual(['b', 'a'])
    const blocks = await store.read((tx) => tx.blocks(['a', 'waiting']))
    expect(blocks.map((block) => [block.reinforcementCount, block.lastReinforcedAt])).toEqual([
      [3, 4.5],
      [0, 0],
    ])
  })

  check('commits a write that need not be durable as whole as any other', async (store) => {
    const write = (id: string, fail: boolean) =>
      store.write(
        async (tx) => {
          await tx.insertBlock(aBlock(id))
          if (fail) throw new Error('no')
        },
        { durable: false },
      )
    await write('a', false)
    await write('b', true).catch(() => undefined)
    expect((await store.read((tx) => tx.blocks(['a', 'b']))).map(({ id }) => id)).toEqual(['a'])
  })
}
