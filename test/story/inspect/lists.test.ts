import { expect, test } from 'vitest'
import { readBlocks } from '../../../src/store/blocks.ts'
import { join } from '../../helpers/edges.ts'
import { openTestMemory, refusal } from '../../helpers/memory.ts'
import { insertBlock } from '../../helpers/rows.ts'
import { statements } from '../../helpers/words.ts'

const NO_SIMILARITY = { memory: { similarityEdgesPerBlock: 0 } }

const idsOf = ({ blocks }: { readonly blocks: readonly { readonly id: string }[] }) =>
  blocks.map(({ id }) => id)

/** Three blocks by different speakers, a day apart, of which the first two are joined. */
async function threeBlocks() {
  const opened = await openTestMemory({ settings: NO_SIMILARITY })
  const { memory, clock } = opened
  const remember = async (content: string, more: Partial<Parameters<typeof memory.remember>[0]> = {}) => {
    const { blockId } = await memory.remember({ content, ...more })
    await memory.dream()
    clock.advance({ hours: 24 })
    return blockId
  }
  const tea = await remember('Tea is at four', { session: 'house', tags: ['house/tea'] })
  const ferry = await remember('The FERRY leaves from Zürich', {
    source: 'timetable',
    sourceClass: 'document',
  })
  const rain = await remember('It rains', { category: 'observation', cue: 'when asked for ÖRE' })
  await join(opened, [tea, ferry], { weight: 0.5 })
  return { ...opened, tea, ferry, rain }
}

test('show takes an id cut short as long as it is unique', async () => {
  const { memory, store, learn } = await openTestMemory()
  const [id = ''] = await learn('one apple')
  const { block } = await memory.show({ blockId: ` ${id.slice(0, 4)} ` })
  expect(block.id).toBe(id)
  await store.write(async (tx) => {
    const [apple] = await readBlocks(tx, [id])
    if (apple) await insertBlock(tx, { ...apple, id: `${id.slice(0, 12)}zzzz`, content: 'two pears' })
  })
  expect((await refusal(memory.forget({ blockId: id.slice(0, 12) }))).code).toBe('AMBIGUOUS_ID')
  expect((await memory.show({ blockId: id })).block.id).toBe(id)
  expect((await refusal(memory.show({ blockId: id.slice(0, 3) }))).code).toBe('INVALID_INPUT')
  expect((await refusal(memory.forget({ blockId: 'ffffffff' }))).code).toBe('NOT_FOUND')
})

test('ls filters by tag, category, status and session and pages', async () => {
  const { memory, clock } = await openTestMemory()
  for (const [i, content] of statements(5).entries()) {
    const category = i < 2 ? 'decision' : 'knowledge'
    await memory.remember({ content, tags: [`n/${i}`], category, session: `s${i % 2}` })
    await memory.dream()
    clock.advance({ hours: 1 })
  }
  await memory.remember({ content: 'one apple' })
  const contents = async (input: Parameters<typeof memory.ls>[0]) =>
    (await memory.ls(input)).blocks.map(({ tags }) => tags[0])
  expect(await contents({})).toEqual(['n/4', 'n/3', 'n/2', 'n/1', 'n/0'])
  expect(await contents({ tag: ' N/3 ' })).toEqual(['n/3'])
  expect(await contents({ tag: 'n/*', category: 'decision' })).toEqual(['n/1', 'n/0'])
  expect(await contents({ session: 's1' })).toEqual(['n/3', 'n/1'])
  expect((await memory.ls({ status: 'inbox' })).blocks).toMatchObject([
    { content: 'one apple', status: 'inbox' },
  ])
  const page = await memory.ls({ limit: 3 })
  expect(await contents({ limit: 3, cursor: page.cursor as string })).toEqual(['n/1', 'n/0'])
})

test('ls filters by words, speaker, source, tier, time, edges and open pairs', async () => {
  const { memory, tea, ferry, rain } = await threeBlocks()
  const found = async (input: Parameters<typeof memory.ls>[0]) => idsOf(await memory.ls(input))
  expect(await found({ words: 'ferry' })).toEqual([ferry])
  expect(await found({ words: 'ZÜRICH leaves' })).toEqual([ferry])
  expect(await found({ words: 'öre' })).toEqual([rain])
  expect(await found({ words: 'ferry tea' })).toEqual([])
  expect(await found({ words: 't_a' })).toEqual([])
  expect(await found({ sourceClass: 'document' })).toEqual([ferry])
  expect(await found({ source: 'timetable' })).toEqual([ferry])
  expect(await found({ tier: 'ephemeral' })).toEqual([rain])
  expect(await found({ isolated: true })).toEqual([rain])
  const { createdAt } = (await memory.show({ blockId: ferry })).block
  expect(await found({ since: createdAt })).toEqual([rain, ferry])
  expect(await found({ until: createdAt })).toEqual([tea])
  expect(await found({ words: 'ferry', sourceClass: 'user' })).toEqual([])
  await memory.connect({ source: tea, target: rain, relation: 'contradicts' })
  expect((await found({ undecided: true })).toSorted()).toEqual([tea, rain].toSorted())
})

test('ls with count gives the total, with offset begins anywhere', async () => {
  const { memory, learn } = await openTestMemory({ settings: NO_SIMILARITY })
  const ids = (await learn(...statements(7))).reverse()
  const page = await memory.ls({ limit: 2, offset: 3, count: true })
  expect(idsOf(page)).toEqual(ids.slice(3, 5))
  expect(page).toMatchObject({ total: 7 })
  const { cursor = '' } = page
  expect(idsOf(await memory.ls({ limit: 9, cursor }))).toEqual(ids.slice(5))
  expect((await memory.ls({ limit: 2, offset: 7 })).blocks).toEqual([])
  expect('total' in (await memory.ls({ limit: 2 }))).toBe(false)
  expect((await refusal(memory.ls({ cursor, offset: 1 }))).code).toBe('INVALID_INPUT')
  expect((await refusal(memory.ls({ words: 'a b c d e f g h i' }))).code).toBe('INVALID_INPUT')
})

test('ls with details gives the numbers of show', async () => {
  const { memory, tea, ferry } = await threeBlocks()
  await memory.outcome({ helped: [ferry] })
  const { blocks, archiveFloor } = await memory.ls({ details: true })
  for (const { id, details } of blocks) {
    const shown = await memory.show({ blockId: id })
    expect(details).toMatchObject({
      belief: shown.belief,
      successes: shown.block.successes,
      freshness: shown.freshness,
      tier: shown.tier,
      archivedAfterHours: shown.archivedAfterHours,
      degree: shown.edgesTotal,
    })
    expect(archiveFloor).toBe(shown.archiveFloor)
  }
  expect(blocks.find(({ id }) => id === tea)?.details?.strength).toBeCloseTo(0.5, 6)
  expect((await memory.ls()).blocks.every((block) => !('details' in block))).toBe(true)
})

test('curate archives a block at the hour that show foretold', async () => {
  const { memory, learn, clock } = await openTestMemory({ settings: NO_SIMILARITY })
  const [id = ''] = await learn('one apple')
  clock.advance({ hours: 30 })
  const { archivedAfterHours: left = 0, freshness, archiveFloor } = await memory.show({ blockId: id })
  expect(freshness).toBeCloseTo(Math.exp(-0.3), 6)
  expect(freshness * Math.exp(-0.01 * left)).toBeCloseTo(archiveFloor, 6)
  clock.advance({ hours: left - 0.01 })
  expect((await memory.curate()).archived).toEqual([])
  clock.advance({ hours: 0.02 })
  expect((await memory.show({ blockId: id })).archivedAfterHours).toBe(0)
  expect((await memory.curate()).archived).toEqual([id])
  expect('archivedAfterHours' in (await memory.show({ blockId: id }))).toBe(false)
})

test('facets counts the blocks that fit', async () => {
  const { memory, ferry } = await threeBlocks()
  await memory.remember({ content: 'Not dreamt of yet' })
  const all = await memory.facets()
  expect(all).toMatchObject({
    total: 3,
    tag: { values: [{ value: 'house/tea', blocks: 1 }], distinct: 1 },
    source: { values: [{ value: 'timetable', blocks: 1 }] },
    status: {
      values: [
        { value: 'active', blocks: 3 },
        { value: 'inbox', blocks: 1 },
      ],
    },
  })
  const narrow = await memory.facets({ sourceClass: 'document', limit: 1 })
  expect(narrow).toMatchObject({ total: 1, category: { distinct: 1 }, tag: { values: [], distinct: 0 } })
  await memory.forget({ blockId: ferry })
  expect((await memory.facets({ sourceClass: 'document' })).total).toBe(0)
})

test('show has the strongest edges of a block, as many as the call wants', async () => {
  const opened = await openTestMemory({
    settings: { memory: { similarityEdgesPerBlock: 0, edgeDegreeCap: 40 } },
  })
  const { memory, learn } = opened
  const [hub = '', ...leaves] = await learn(...statements(26))
  for (const [i, leaf] of leaves.entries()) await join(opened, [hub, leaf], { weight: 1 - i / 100 })
  const { edges } = await memory.show({ blockId: hub, edgeLimit: 30 })
  expect(edges.map(({ other }) => other)).toEqual(leaves)
  expect(edges.every(({ createdAt, preview }) => createdAt !== '' && preview !== '')).toBe(true)
  expect((await memory.show({ blockId: hub })).edges).toHaveLength(20)
})
