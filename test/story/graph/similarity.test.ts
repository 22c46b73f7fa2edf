import { expect, test } from 'vitest'
import { openTestMemory } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'

/** How alike two blocks are, and how long after the first one the second comes. */
interface Pair {
  readonly cosine: number
  readonly tags?: readonly string[]
  readonly otherCategory?: boolean
  readonly hoursLater?: number
}

/** The edges that a dream gives to the second block of a pair that shares no word. */
async function edgesOf({ cosine, tags = [], otherCategory = false, hoursLater = 0 }: Pair) {
  const { memory, clock } = await openTestMemory({ embedder: createPlacedEmbedder() })
  await memory.remember({ content: 'note @0: tea is green', tags: [...tags], category: 'knowledge' })
  await memory.dream()
  clock.advance({ hours: hoursLater })
  const { blockId } = await memory.remember({
    content: `note @${(Math.acos(cosine) * 180) / Math.PI}: rooks fly south`,
    tags: [...tags],
    category: otherCategory ? 'preference' : 'knowledge',
  })
  await memory.dream()
  return (await memory.show({ blockId })).edges
}

/** After so many active hours two blocks are of different times, and neither has faded. */
const LONG = 50
const TAG = ['frame-selection']
const FIVE = ['one', 'two', 'three', 'four', 'five']

test.each<[string, Pair, number | undefined]>([
  ['.60 and nothing shared is too little', { cosine: 0.6, otherCategory: true, hoursLater: LONG }, undefined],
  ['.70 is enough alone', { cosine: 0.7, otherCategory: true, hoursLater: LONG }, 0.43],
  ['.50 with a tag, a category and a session', { cosine: 0.5, tags: TAG }, 0.725],
  ['.45 with five tags, a category and a session', { cosine: 0.45, tags: FIVE }, 0.6975],
  ['.60 with a category', { cosine: 0.6, hoursLater: LONG }, 0.48],
  ['.28 is too little, whatever is shared', { cosine: 0.28, tags: TAG }, undefined],
  ['.30 with a category and a session', { cosine: 0.3 }, 0.415],
])('dream weighs a similarity edge: a cosine of %s', async (_, pair, weight) => {
  const edges = await edgesOf(pair)
  expect(edges.map(({ relation, origin }) => [relation, origin])).toEqual(
    weight === undefined ? [] : [['similar', 'similarity']],
  )
  if (weight !== undefined) expect(edges[0]?.weight).toBeCloseTo(weight, 2)
})

test('dream joins blocks long after each other by a shared tag alone', async () => {
  expect(await edgesOf({ cosine: 0.45, tags: TAG, hoursLater: LONG })).toMatchObject([
    { relation: 'similar' },
  ])
  expect(await edgesOf({ cosine: 0.45, hoursLater: LONG })).toEqual([])
})

test('dream joins blocks of one dream as those of several, and none of two scopes', async () => {
  const joined = async (dreams: 'one' | 'several', scopes: readonly [string?, string?] = []) => {
    const { memory } = await openTestMemory({ embedder: createPlacedEmbedder() })
    const contents = ['note @0: tea is green', 'note @65: rooks fly south']
    for (const [at, content] of contents.entries()) {
      const scope = scopes[at]
      await memory.remember({ content, tags: TAG, ...(scope === undefined ? {} : { scope }) })
      if (dreams === 'several') await memory.dream()
    }
    await memory.dream()
    return (await memory.status()).graph.edges
  }
  expect([await joined('one'), await joined('several')]).toEqual([1, 1])
  expect([await joined('one', ['a', 'b']), await joined('several', ['a', 'b'])]).toEqual([0, 0])
})
