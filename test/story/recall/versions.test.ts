import { expect, test } from 'vitest'
import { openTestMemory, type TestMemory } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'

/** A port that was changed eleven times, each time with a word of what it replaces; dreamt unless it is to wait. */
async function openChain(isWaiting: boolean) {
  const opened = await openTestMemory()
  const ids: string[] = []
  for (let n = 0; n < 12; n++) {
    const content = `The staging server of Atlas listens on port ${4200 + n}.`
    const supersedes = ids.at(-1)
    const told = await opened.memory.remember({ content, ...(supersedes ? { supersedes } : {}) })
    opened.clock.advance({ hours: 1 })
    ids.push(told.blockId)
  }
  if (!isWaiting) await opened.memory.dream()
  return { ...opened, ids }
}

test.each([
  ['were dreamt', false],
  ['wait', true],
])(
  'recall of a chain of supersedes that %s answers the newest, with all others as its versions',
  async (_, isWaiting) => {
    const { memory, ids } = await openChain(isWaiting)
    for (const query of [
      'Which port does staging use?',
      'The staging server of Atlas listens on port 4203.',
    ]) {
      const { blocks, dropped, counterpoints } = await memory.recall({ query, reinforce: false })
      expect(blocks.map(({ id }) => id)).toEqual([ids.at(-1)])
      expect(blocks[0]?.versions?.map(({ id }) => id)).toEqual(ids.slice(0, -1).toReversed())
      expect(new Set(blocks[0]?.versions?.map(({ why }) => why))).toEqual(new Set(['superseded']))
      expect([dropped, counterpoints]).toEqual([[], []])
    }
  },
)

test('recall with tags answers an older version where the newer lacks the tag', async () => {
  const { memory } = await openTestMemory({ embedder: createPlacedEmbedder() })
  const old = await memory.remember({ content: 'cake @0 is in room 1', tags: ['plan'] })
  await memory.remember({ content: 'cake @0 is in room 2', supersedes: old.blockId })
  await memory.dream()
  expect((await memory.recall({ query: 'cake @0', tags: ['plan'] })).blockIds).toEqual([old.blockId])
})

test('recall shows only the id of a version without an identity tag under an identity entry', async () => {
  const { memory, clock } = await openTestMemory({ embedder: createPlacedEmbedder() })
  const old = await memory.remember({ content: 'cake @0 is what I bake on Mondays' })
  clock.advance({ hours: 1 })
  const said = await memory.remember({
    content: 'cake @0 is what I bake on Fridays',
    tags: ['self/style'],
    supersedes: old.blockId,
  })
  await memory.dream()
  const { text, blocks } = await memory.recall({ frame: 'simulate', query: 'cake @0' })
  expect(blocks).toMatchObject([{ id: said.blockId, versions: [{ id: old.blockId }] }])
  expect(text).not.toContain('Mondays')
  expect(text).toContain(`↳ 1 version: ${old.blockId.slice(0, 8)}`)
})

/** An older and a newer block that answer the same question and contradict each other. */
async function openContradiction(tags: readonly string[] = []) {
  const opened = await openPlaced()
  const { memory } = opened
  const content = ['port @0 is 4210', 'port @40 is 4310'] as const
  const older = (await memory.remember({ content: content[0], at: '2025-01-01', tags: [...tags] })).blockId
  const newer = (await memory.remember({ content: content[1], at: '2025-06-01' })).blockId
  await memory.dream()
  await memory.connect({ source: newer, target: older, relation: 'contradicts' })
  return { ...opened, older, newer, content }
}

/** A memory in which similarity is what a test says and joins nothing by itself. */
function openPlaced(): Promise<TestMemory> {
  const settings = { memory: { similarityEdgesPerBlock: 0 } }
  return openTestMemory({ embedder: createPlacedEmbedder(), settings })
}

test('recall of two blocks that contradict each other answers both, each with a mark', async () => {
  const { memory, older, newer, content } = await openContradiction()
  for (const query of ['port @10 is', content[0], content[1]]) {
    const { blocks, counterpoints, text } = await memory.recall({ query, limit: 2, reinforce: false })
    expect(counterpoints).toEqual([])
    expect(new Map(blocks.map(({ id, contradicts }) => [id, contradicts]))).toEqual(
      new Map([
        [older, [newer]],
        [newer, [older]],
      ]),
    )
    expect(text.match(/contradicts \[[12]\]/g)?.toSorted()).toEqual(['contradicts [1]', 'contradicts [2]'])
  }
})

test('recall of two blocks that contradict each other gives the one that reports speak for first', async () => {
  const { memory, older, newer } = await openContradiction()
  await memory.outcome({ helped: [newer] })
  expect((await memory.recall({ query: 'port @0 is' })).blockIds).toEqual([newer, older])
})

test('recall shows what contradicts an entry as its counterpoint, with both confidences', async () => {
  const { memory, learn } = await openPlaced()
  const [said = '', against = ''] = await learn('port @0 is 4210', 'ops moved everything')
  await memory.connect({ source: against, target: said, relation: 'contradicts', weight: 1 })
  await memory.outcome({ helped: [said] })
  const { blocks, counterpoints } = await memory.recall({ query: 'port @0 is' })
  expect(blocks).toMatchObject([{ id: said }])
  expect(counterpoints).toEqual([
    {
      id: against,
      content: 'ops moved everything',
      sourceClass: 'agent',
      contradicts: said,
      confidence: 0.5,
      contradictedConfidence: 0.75,
    },
  ])
  expect((await memory.show({ blockId: against })).block.reinforcementCount).toBe(1)
})

test('recall without room for a counterpoint answers none, and the entry names what contradicts it', async () => {
  const { memory, learn } = await openPlaced()
  const [said = '', against = ''] = await learn('port @0 is 4210', `ops moved ${'everything '.repeat(40)}`)
  await memory.connect({ source: against, target: said, relation: 'contradicts', weight: 1 })
  const query = 'port @0 is'
  expect((await memory.recall({ query, reinforce: false })).text).toContain('ops moved')
  const short = await memory.recall({ query, reinforce: false, tokenBudget: 60 })
  expect(short.counterpoints).toEqual([])
  expect(short.text).not.toContain('ops moved')
  expect(short.blocks).toMatchObject([{ id: said, contradicts: [against] }])
  expect(short.text).toContain(against.slice(0, 8))
  const { shown } = await memory.why({ query, block: against, tokenBudget: 60 })
  expect(shown).toBeUndefined()
})

test('recall keeps a guaranteed block, whatever contradicts it', async () => {
  const { memory, older, newer } = await openContradiction(['self/goal'])
  const { blocks } = await memory.recall({ frame: 'task', query: 'port @10 is' })
  expect(blocks).toContainEqual(expect.objectContaining({ id: older, guaranteed: true }))
  expect(blocks).toContainEqual(expect.objectContaining({ id: newer, contradicts: [older] }))
})
