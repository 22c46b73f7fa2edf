import { expect, test } from 'vitest'
import { join } from '../helpers/edges.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { statements } from '../helpers/words.ts'

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

test('a list is narrowed by words, speaker, source, tier, time and edges', async () => {
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
  expect((await memory.ls({ words: 'ferry', sourceClass: 'user' })).summary).toBe('No active block fits.')
})

test('a list of undecided blocks has both sides of each pair until it is settled', async () => {
  const { memory, tea, ferry } = await threeBlocks()
  await memory.connect({ source: tea, target: ferry, relation: 'contradicts' })
  expect(idsOf(await memory.ls({ undecided: true })).toSorted()).toEqual([tea, ferry].toSorted())
  await memory.resolve({ a: tea, b: ferry, keep: 'a' })
  expect(idsOf(await memory.ls({ undecided: true }))).toEqual([])
})

test('a list begins with what helped, what misled, what fades or what is joined best', async () => {
  const { memory, tea, ferry, rain } = await threeBlocks()
  await memory.outcome({ helped: [ferry] })
  await memory.outcome({ misled: [tea] })
  expect(idsOf(await memory.ls({ sort: 'proved' }))).toEqual([ferry, rain, tea])
  expect(idsOf(await memory.ls({ sort: 'doubted' }))).toEqual([tea, rain, ferry])
  const fading = await memory.ls({ sort: 'fading', details: true })
  const left = fading.blocks.map(({ details }) => details?.freshness ?? Number.NaN)
  expect(left).toEqual(left.toSorted((one, other) => one - other))
  expect(new Set(left).size).toBe(3)
  expect(idsOf(await memory.ls({ sort: 'joined' })).at(-1)).toBe(rain)
})

test('a list says how many fit, and is entered at any place', async () => {
  const { memory, learn } = await openTestMemory({ settings: NO_SIMILARITY })
  const ids = (await learn(...statements(7))).reverse()
  const page = await memory.ls({ limit: 2, offset: 3, count: true })
  expect(idsOf(page)).toEqual(ids.slice(3, 5))
  expect(page).toMatchObject({ total: 7, summary: '2 of 7 active blocks.' })
  const { cursor = '' } = page
  expect(idsOf(await memory.ls({ limit: 9, cursor }))).toEqual(ids.slice(5))
  expect(await memory.ls({ limit: 2, offset: 7 })).toMatchObject({
    blocks: [],
    summary: 'No more active block fits.',
  })
  expect('total' in (await memory.ls({ limit: 2 }))).toBe(false)
  expect((await refusal(memory.ls({ cursor, offset: 1 }))).code).toBe('INVALID_INPUT')
  expect((await refusal(memory.ls({ words: 'a b c d e f g h i' }))).code).toBe('INVALID_INPUT')
})

test('a row with details stands as show says it stands', async () => {
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

test('a curation archives a block at the hour that was foretold, and not before', async () => {
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

test('a principle is never archived, and its tier says so', async () => {
  const { memory } = await openTestMemory()
  const { blockIds } = await memory.setup({ principles: ['Never delete data.'] })
  await memory.dream()
  const shown = await memory.show({ blockId: blockIds[0] as string })
  expect(shown.tier).toBe('permanent')
  expect('archivedAfterHours' in shown).toBe(false)
})

test('facets count the blocks that fit, and of statuses the others, too', async () => {
  const { memory, ferry } = await threeBlocks()
  await memory.remember({ content: 'Not dreamt of yet' })
  const all = await memory.facets()
  expect(all).toMatchObject({
    total: 3,
    tag: { values: [{ value: 'house/tea', blocks: 1 }], distinct: 1 },
    source: { values: [{ value: 'timetable', blocks: 1 }] },
    tier: {
      values: [
        { value: 'standard', blocks: 2 },
        { value: 'ephemeral', blocks: 1 },
      ],
    },
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

test('a list of a past day is that of what was known and joined then', async () => {
  const { memory, clock, ferry, tea } = await threeBlocks()
  const then = new Date(clock.now()).toISOString()
  clock.advance({ hours: 1 })
  await memory.disconnect({ source: tea, target: ferry })
  expect(idsOf(await memory.ls({ isolated: true }))).toHaveLength(3)
  expect(idsOf(await memory.ls({ isolated: true, knownAt: then }))).toHaveLength(1)
  expect((await memory.facets({ isolated: true, knownAt: then })).total).toBe(1)
})

test('all edges of a block come in pages, with when each was made', async () => {
  const opened = await openTestMemory({
    settings: { memory: { similarityEdgesPerBlock: 0, edgeDegreeCap: 40 } },
  })
  const { memory, learn } = opened
  const [hub = '', ...leaves] = await learn(...statements(26))
  for (const [i, leaf] of leaves.entries()) await join(opened, [hub, leaf], { weight: 1 - i / 100 })
  const pages = [0, 10, 20].map((edgeOffset) => memory.show({ blockId: hub, edgeLimit: 10, edgeOffset }))
  const edges = (await Promise.all(pages)).flatMap((page) => page.edges)
  expect(edges.map(({ other }) => other)).toEqual(leaves)
  expect(edges.every(({ createdAt, preview }) => createdAt !== '' && preview !== '')).toBe(true)
  expect((await memory.show({ blockId: hub })).edges).toHaveLength(20)
})

test('columns of the graph say what its objects say', async () => {
  const { memory, tea, ferry } = await threeBlocks()
  await memory.outcome({ helped: [tea] })
  const { nodes, edges } = await memory.graph()
  const drawn = await memory.graph({ columns: true, textLength: 80 })
  expect(drawn).toMatchObject({ nodes: [], edges: [], text: '' })
  const { columns } = drawn
  if (columns === undefined) throw new Error('no columns')
  expect(columns.nodes.id).toEqual(nodes.map(({ id }) => id))
  expect(columns.nodes.text).toEqual(nodes.map(({ preview }) => preview))
  expect(columns.nodes.degree).toEqual([1, 1])
  const at = columns.nodes.id.indexOf(tea)
  expect(columns.nodes.tags[at]?.map((tag) => columns.tags[tag])).toEqual(['house/tea'])
  expect(columns.nodes.belief[at]).toBe(Math.round(100 * (await memory.show({ blockId: tea })).belief))
  expect(columns.nodes.sourceClass.map((place) => columns.sourceClasses[place]).toSorted()).toEqual([
    'agent',
    'document',
  ])
  const ends = columns.edges.a.map((a, i) => [
    columns.nodes.id[a],
    columns.nodes.id[columns.edges.b[i] ?? -1],
  ])
  expect(ends).toEqual(edges.map(({ from, to }) => [from, to]))
  expect(ends[0]?.toSorted()).toEqual([tea, ferry].toSorted())
  expect(columns.edges.relation.map((place) => columns.relations[place])).toEqual(
    edges.map(({ relation }) => relation),
  )
  expect(columns.edges.weight).toEqual(edges.map(({ weight }) => Math.round(100 * weight)))
  const made = Date.parse(columns.begin) + 3_600_000 * (columns.edges.createdAt[0] ?? 0)
  expect(new Date(made).toISOString()).toBe(edges[0]?.createdAt)
})

test('where a limit cuts the graph, the heaviest edges stay', async () => {
  const opened = await openTestMemory({ settings: NO_SIMILARITY })
  const { memory, learn } = opened
  const [a = '', b = '', c = '', d = ''] = await learn(...statements(4))
  for (const [other, weight] of [
    [b, 0.2],
    [c, 0.9],
    [d, 0.5],
  ] as const)
    await join(opened, [a, other], { weight })
  const { edges, truncated } = await memory.graph({ limit: 2 })
  expect(edges.map(({ weight }) => weight)).toEqual([0.9, 0.5])
  expect(truncated).toBe(true)
})
