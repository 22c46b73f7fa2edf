import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { readBlocks } from '../../../src/store/blocks.ts'
import { openTestMemory, refusal } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'
import { nextTurn } from '../../helpers/timer.ts'

test('recall with topK answers as many blocks as that, best first, and names the others as dropped', async () => {
  const { memory, learn } = await openTestMemory()
  const ids = await learn(...Array.from({ length: 8 }, (_, n) => `The red kettle number ${n} boils.`))
  const found = await memory.recall({ query: 'red kettle', topK: 3 })
  expect(found.blocks).toHaveLength(3)
  expect(found.blockIds).toEqual(found.blocks.map(({ id }) => id))
  const scores = found.blocks.map(({ score }) => score)
  expect(scores).toEqual([...scores].sort((a, b) => b - a))
  for (const { content } of found.blocks) expect(found.text).toContain(content)
  expect([...found.blockIds, ...found.dropped.map(({ id }) => id)].sort()).toEqual([...ids].sort())
  expect(memory.lastRecallBlockIds).toEqual(found.blockIds)
})

test('recall with reinforce false changes nothing in the store', async () => {
  const { memory, store, learn } = await openTestMemory()
  const [id] = await learn('The red kettle boils.', 'A red kettle whistles.')
  const state = () =>
    store.read(async (tx) => ({
      blocks: await readBlocks(tx, [id as string]),
      counts: await tx.queries.counts(),
      operations: await tx.queries.operations({ limit: 100 }),
      clock: (await tx.state()).clock,
    }))
  const before = await state()
  const crumbs = memory.lastRecallBlockIds
  await memory.recall({ query: 'red kettle', reinforce: false })
  expect(await state()).toEqual(before)
  expect(memory.lastRecallBlockIds).toEqual(crumbs)
  await memory.recall({ query: 'red kettle' })
  await nextTurn()
  const [block] = (await state()).blocks
  expect(block?.reinforcementCount).toBe((before.blocks[0]?.reinforcementCount ?? 0) + 1)
})

test('recall ranks a block no higher for having been returned before', async () => {
  const { memory, learn } = await openTestMemory({
    embedder: createPlacedEmbedder(),
    settings: { memory: { similarityEdgesPerBlock: 0 } },
  })
  const [first = '', second = '', third = ''] = await learn('disk @0 is full', 'disk @50 new', 'disk @80 old')
  const order = async () => (await memory.recall({ query: 'disk @0 is full', limit: 3 })).blockIds
  expect(await order()).toEqual([first, second, third])
  for (let n = 0; n < 20; n++) await memory.recall({ query: 'disk @80 old', topK: 1 })
  expect(await order()).toEqual([first, second, third])
})

test('recall with tags, category or session answers only what has them', async () => {
  const { memory } = await openTestMemory()
  for (let n = 0; n < 30; n++) await memory.remember({ content: `The red kettle number ${n}.` })
  const wanted = await memory.remember({
    content: 'A red kettle in the office.',
    tags: ['ops/kitchen'],
    category: 'decision',
    session: 'talk',
  })
  await memory.dream()
  for (const filter of [{ tags: ['ops/*'] }, { category: 'decision' }, { session: 'talk' }])
    expect((await memory.recall({ query: 'red kettle', ...filter })).blockIds).toEqual([wanted.blockId])
})

test('recall embeds only the beginning of a long question and looks up all of its words', async () => {
  const texts: string[] = []
  const hashing = createHashingEmbedder()
  const embedder = {
    ...hashing,
    embed: (given: readonly string[]) => {
      texts.push(...given)
      return hashing.embed(given)
    },
  }
  const { memory } = await openTestMemory({ embedder })
  await memory.remember({ content: 'The tea is kept in a blue tin' })
  await memory.dream()
  texts.length = 0
  await memory.recall({ query: '['.repeat(19_000) })
  const { blocks } = await memory.recall({
    query: `${'Lorem ipsum dolor sit amet. '.repeat(500)}Where is the tea?`,
  })
  expect(texts.map((text) => text.length > 500 && text.length < 5_000)).toEqual([true, true])
  expect(blocks).toHaveLength(1)
})

const PORT = 'Staging listens on port 4210.'
const SHIP = 'Staging is shipped with scripts/ship.sh.'
const QUERY = 'where does staging listen and how is staging shipped'

test('recall leaves out the blocks of without, and names them as dropped', async () => {
  const { memory, learn } = await openTestMemory()
  const [port = '', ship = ''] = await learn(PORT, SHIP)
  expect((await memory.recall({ query: QUERY })).blockIds.toSorted()).toEqual([port, ship].toSorted())

  const answer = await memory.recall({ query: QUERY, without: [port] })
  expect(answer.blockIds).toEqual([ship])
  expect(answer.text).not.toContain('4210')
  expect(answer.dropped).toContainEqual(expect.objectContaining({ id: port, reason: 'without' }))
  expect(answer.note).toContain('1 known to you')
})

test('recall takes an id, its first eight characters or a hash of words as without', async () => {
  const { memory, learn } = await openTestMemory()
  const [port = ''] = await learn(PORT, SHIP)
  const hash = createHash('sha256').update(PORT).digest('hex')
  for (const known of [port.slice(0, 8), `#${hash}`, `#${hash.slice(0, 8)}`])
    expect((await memory.recall({ query: QUERY, without: [known] })).blocks).toMatchObject([
      { content: SHIP },
    ])
  for (const without of [[''], ['#']])
    expect((await refusal(memory.recall({ query: 'x', without }))).code).toBe('INVALID_INPUT')
})
