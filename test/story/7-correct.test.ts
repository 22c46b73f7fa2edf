import { expect, test } from 'vitest'
import { openTestMemory, refusal, type TestMemory } from '../helpers/memory.ts'
import { statements } from '../helpers/words.ts'

const NO_SIMILARITY = { memory: { similarityEdgesPerBlock: 0 } }

/** Flags two blocks as near-duplicates, as a dream does. */
async function flag({ store }: TestMemory, one: string, other: string): Promise<void> {
  const [a = '', b = ''] = [one, other].sort()
  const createdAt = '2026-03-02T09:00:00.000Z'
  await store.write((tx) =>
    tx.savePairs([{ a, b, kind: 'near_duplicate', score: 0.93, resolved: false, createdAt }]),
  )
}

test('an edited block is found by its new words and no longer by the old ones', async () => {
  const { memory, learn } = await openTestMemory()
  const [id = ''] = await learn('Supper is at seven.', 'The orchestra rehearses on Mondays.')
  const result = await memory.edit({ blockId: id.slice(0, 8), content: 'Breakfast comes with marmalade.' })
  expect(result).toMatchObject({ blockId: id, changed: ['content'] })
  const found = await memory.recall({ query: 'marmalade' })
  expect(found.blocks[0]).toMatchObject({ id, content: 'Breakfast comes with marmalade.' })
  const lost = await memory.recall({ query: 'supper', minStrength: 0.2 })
  expect(lost.blocks.map((block) => block.id)).not.toContain(id)
})

test('an edit keeps what is known about a block, and the log keeps what it was', async () => {
  const { memory, learn } = await openTestMemory({ settings: NO_SIMILARITY })
  const [a = '', b = ''] = await learn(...statements(2))
  await memory.outcome({ helped: [a, b] })
  await memory.edit({
    blockId: a,
    content: 'Something else.',
    category: 'decision',
    tags: ['New'],
    cue: 'later',
  })
  const { block, edgesTotal } = await memory.show({ blockId: a })
  expect(block).toMatchObject({ successes: 1, category: 'decision', tags: ['new'], cue: 'later' })
  expect(edgesTotal).toBe(1)
  const { operations } = await memory.history({ blockId: a, operation: 'edit' })
  expect(operations[0]?.before).toEqual({ content: statements(1)[0], tags: [], category: 'knowledge' })
})

test('a waiting block can be corrected without embedding it', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: 'Supper is at sevn.', cue: 'evening' })
  await memory.edit({ blockId, content: 'Supper is at seven.', cue: '' })
  const { blocks } = await memory.inbox()
  expect(blocks).toMatchObject([{ id: blockId, content: 'Supper is at seven.' }])
  expect(blocks[0]?.cue).toBeUndefined()
  await memory.dream()
  expect((await memory.recall({ query: 'supper' })).blocks[0]?.id).toBe(blockId)
})

test('a changed cue finds an active block at once', async () => {
  const { memory, learn } = await openTestMemory()
  const [id = ''] = await learn('Supper is at seven.', 'The orchestra rehearses on Mondays.')
  await memory.edit({ blockId: id, cue: 'zanzibar' })
  expect((await memory.recall({ query: 'zanzibar' })).blocks[0]?.id).toBe(id)
})

test('an edit that says nothing is refused, one that changes nothing says so', async () => {
  const { memory, learn } = await openTestMemory()
  const [id = ''] = await learn('Supper is at seven.')
  expect((await refusal(memory.edit({ blockId: id }))).code).toBe('INVALID_INPUT')
  expect((await refusal(memory.edit({ blockId: id, content: ' ' }))).code).toBe('INVALID_INPUT')
  expect((await memory.edit({ blockId: id, content: 'Supper is at seven.' })).changed).toEqual([])
  await memory.forget({ blockId: id })
  const { code, recovery } = await refusal(memory.edit({ blockId: id, content: 'x' }))
  expect(code).toBe('WRONG_STATUS')
  expect(recovery).toContain('restore')
})

// W39
test('an edit that makes two blocks alike says which, and both stay', async () => {
  const { memory, learn } = await openTestMemory()
  const [a = '', b = ''] = await learn('Supper is at seven.', 'The orchestra rehearses on Mondays.')
  const result = await memory.edit({ blockId: b, content: '- Supper is at seven' })
  expect(result.sameAs).toBe(a)
  expect(result.summary).toContain(a.slice(0, 8))
  expect((await memory.status()).activeCount).toBe(2)
})

// W39
test('a principle is changed only when that is said, and the old words stay in the log', async () => {
  const { memory } = await openTestMemory()
  const { blockIds } = await memory.setup({ principles: ['Never delete data.'] })
  const blockId = blockIds[0] as string
  await memory.dream()
  expect((await refusal(memory.edit({ blockId, content: 'Delete.' }))).code).toBe('PROTECTED')
  expect((await refusal(memory.edit({ blockId, tags: [] }))).code).toBe('PROTECTED')
  await memory.edit({ blockId, content: 'Never delete data unasked.', allowConstitutional: true })
  const { operations } = await memory.history({ blockId, operation: 'edit' })
  expect(operations.map(({ before }) => before)).toEqual([{ content: 'Never delete data.' }])
})

// W5
test('no edit makes a principle', async () => {
  const { memory, learn } = await openTestMemory()
  const [id = ''] = await learn('Supper is at seven.')
  const call = memory.edit({ blockId: id, tags: ['self/constitutional'], allowConstitutional: true })
  expect((await refusal(call)).code).toBe('PROTECTED')
})

test('a block that becomes a goal stops fading like mere knowledge', async () => {
  const { memory, learn } = await openTestMemory()
  const [id = ''] = await learn('Ship in May.')
  await memory.edit({ blockId: id, tags: ['self/goal'] })
  expect((await memory.show({ blockId: id })).block.decayLambda).toBe(0.001)
})

// W40
test('what is forgotten is found no more, and comes back with tags, evidence and edges', async () => {
  const { memory, clock } = await openTestMemory({ settings: NO_SIMILARITY })
  const { blockId: id } = await memory.remember({ content: 'Supper is at seven.', tags: ['home'] })
  const { blockId: other } = await memory.remember({ content: 'The orchestra rehearses on Mondays.' })
  await memory.dream()
  await memory.outcome({ helped: [id, other] })
  expect(await memory.forget({ blockId: id, reason: 'wrong house' })).toMatchObject({
    blockId: id,
    status: 'forgotten',
  })
  const without = await memory.recall({ query: 'supper' })
  expect(without.blocks.map((block) => block.id)).not.toContain(id)
  expect((await memory.show({ blockId: other })).edgesTotal).toBe(0)
  expect((await memory.history({ operation: 'forget' })).operations).toMatchObject([
    { reason: 'wrong house' },
  ])
  clock.advance({ hours: 500 })
  const back = await memory.restore({ blockId: id })
  expect(back).toMatchObject({ status: 'active', restored: true, edgesRestored: 1, edgesLost: 0 })
  const { block } = await memory.show({ blockId: id })
  expect(block).toMatchObject({ tags: ['home'], successes: 1, status: 'active', lastReinforcedAt: 500 })
  expect(block.archiveReason).toBeUndefined()
  expect((await memory.recall({ query: 'supper' })).blocks[0]?.id).toBe(id)
})

test('edges come back only to blocks that are there and have room', async () => {
  const { memory, learn } = await openTestMemory({
    settings: { memory: { similarityEdgesPerBlock: 0, edgeDegreeCap: 1 } },
  })
  const [a = '', b = '', c = ''] = await learn(...statements(3))
  await memory.outcome({ helped: [a, b] })
  await memory.forget({ blockId: a })
  await memory.outcome({ helped: [b, c] })
  const back = await memory.restore({ blockId: a })
  expect(back).toMatchObject({ edgesRestored: 0, edgesLost: 1 })
  expect(back.summary).toContain('stayed away')
  expect((await memory.show({ blockId: b })).edges).toMatchObject([{ other: c }])
})

test('forgetting twice and restoring what is there change nothing and say so', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: 'Supper is at seven.' })
  expect((await memory.restore({ blockId })).restored).toBe(false)
  await memory.forget({ blockId })
  expect((await memory.forget({ blockId })).status).toBe('already_archived')
  expect(await memory.restore({ blockId })).toMatchObject({ status: 'inbox', restored: true })
  expect((await memory.inbox()).blocks).toHaveLength(1)
})

test('a restored block names the one that took over its words', async () => {
  const { memory } = await openTestMemory()
  const first = await memory.remember({ content: 'Supper is at seven.' })
  await memory.forget({ blockId: first.blockId })
  const second = await memory.remember({ content: 'Supper is at seven.' })
  expect((await memory.restore({ blockId: first.blockId })).sameAs).toBe(second.blockId)
})

test('a principle is let go only when that is said', async () => {
  const { memory } = await openTestMemory()
  const { blockIds } = await memory.setup({ principles: ['Never delete data.'] })
  const blockId = blockIds[0] as string
  expect((await refusal(memory.forget({ blockId }))).code).toBe('PROTECTED')
  expect((await memory.forget({ blockId, allowConstitutional: true })).status).toBe('forgotten')
})

// W7
test('a pair of near-duplicates is decided once: both stay, one stays, or the newer takes over', async () => {
  const opened = await openTestMemory({ settings: NO_SIMILARITY })
  const { memory } = opened
  const old = await memory.remember({
    content: 'one apple',
    tags: ['fruit'],
    cue: 'shopping',
    at: '2025-01-01',
  })
  const young = await memory.remember({ content: 'two pears', tags: ['green'], at: '2025-06-01' })
  await memory.dream()
  const [a, b] = [young.blockId, old.blockId]
  await flag(opened, a, b)
  expect((await memory.show({ blockId: a })).openPairs).toMatchObject([{ other: b, preview: 'one apple' }])
  expect((await memory.status()).suggestion).toBe(
    'Nothing is due; resolve() decides about 1 open pair, which inbox({ openPairs: 20 }) lists.',
  )
  expect(await memory.resolve({ a, b, keep: 'keep_both' })).toMatchObject({ kept: [a, b] })
  expect(await memory.status()).toMatchObject({ graph: { openPairs: 0 }, suggestion: 'Nothing to do.' })
  expect(await memory.resolve({ a, b, keep: 'both' })).toMatchObject({ kept: [a, b], wasNoted: true })
  expect((await refusal(memory.resolve({ a, b, keep: 'a' }))).code).toBe('NOT_FOUND')
})

// W7
test('merging twins keeps the newer with the tags of both and the cue it lacked', async () => {
  const opened = await openTestMemory({ settings: NO_SIMILARITY })
  const { memory } = opened
  const young = await memory.remember({ content: 'two pears', tags: ['green'], at: '2025-06-01' })
  const old = await memory.remember({
    content: 'one apple',
    tags: ['fruit'],
    cue: 'shopping',
    at: '2025-01-01',
  })
  await memory.dream()
  await flag(opened, old.blockId, young.blockId)
  const result = await memory.resolve({ a: old.blockId, b: young.blockId, keep: 'merge' })
  expect(result).toMatchObject({
    kept: [young.blockId],
    archived: old.blockId,
    mergedTags: ['fruit'],
    mergedCue: true,
  })
  const { block } = await memory.show({ blockId: young.blockId })
  expect(block).toMatchObject({ tags: ['fruit', 'green'], cue: 'shopping' })
  const gone = (await memory.show({ blockId: old.blockId })).block
  expect(gone).toMatchObject({ status: 'archived', archiveReason: 'superseded', supersededBy: young.blockId })
  const back = await memory.restore({ blockId: old.blockId })
  expect(back).toMatchObject({ status: 'active', pairsRestored: 0 })
})

// W7
test('keeping one of two twins archives the other, unless that is a principle', async () => {
  const opened = await openTestMemory({ settings: NO_SIMILARITY })
  const { memory, learn } = opened
  const [a = '', b = ''] = await learn(...statements(2))
  const principle = (await memory.setup({ principles: ['Never delete data.'] })).blockIds[0] as string
  await memory.dream()
  await flag(opened, a, b)
  await flag(opened, a, principle)
  expect((await refusal(memory.resolve({ a, b: principle, keep: 'a' }))).code).toBe('PROTECTED')
  expect((await memory.show({ blockId: principle })).openPairs).toHaveLength(1)
  expect(await memory.resolve({ a, b, keep: 'b' })).toMatchObject({ kept: [b], archived: a })
})

test('an id may be cut short as long as it stays unique', async () => {
  const { memory, store, learn } = await openTestMemory()
  const [id = ''] = await learn('one apple')
  const { block } = await memory.show({ blockId: ` ${id.slice(0, 4)} ` })
  expect(block.id).toBe(id)
  await store.write(async (tx) => {
    const [apple] = await tx.blocks([id])
    if (apple) await tx.insertBlock({ ...apple, id: `${id.slice(0, 12)}zzzz`, content: 'two pears' })
  })
  const ambiguous = await refusal(memory.forget({ blockId: id.slice(0, 12) }))
  expect(ambiguous.code).toBe('AMBIGUOUS_ID')
  expect(ambiguous.recovery).toContain(id)
  expect((await memory.show({ blockId: id })).block.id).toBe(id)
  expect((await refusal(memory.show({ blockId: id.slice(0, 3) }))).code).toBe('INVALID_INPUT')
  const unknown = await refusal(memory.forget({ blockId: 'ffffffff' }))
  expect(unknown.code).toBe('NOT_FOUND')
  expect(unknown.recovery).toContain('recall')
})

test('blocks are listed by tag, category, status and session, page by page', async () => {
  const { memory, clock } = await openTestMemory()
  for (const [i, content] of statements(5).entries()) {
    await memory.remember({
      content,
      tags: [`n/${i}`],
      category: i < 2 ? 'decision' : 'knowledge',
      session: `s${i % 2}`,
    })
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
  expect(page.summary).toContain('more')
  expect(await contents({ limit: 3, cursor: page.cursor as string })).toEqual(['n/1', 'n/0'])
})

// W50
test('nothing in a tag is a wildcard but a star at its end', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'one apple', tags: ['a_b'] })
  await memory.remember({ content: 'two pears', tags: ['axb', 'A%'] })
  await memory.dream()
  const found = async (tag: string) => (await memory.ls({ tag })).blocks.map(({ content }) => content)
  expect(await found('a_b')).toEqual(['one apple'])
  expect(await found('%')).toEqual([])
  expect(await found('a%')).toEqual(['two pears'])
  expect(await found('A_*')).toEqual(['one apple'])
  expect((await refusal(memory.ls({ tag: '*b' }))).code).toBe('INVALID_INPUT')
})

test('a list cuts long contents and says so; show gives all of it', async () => {
  const { memory, learn } = await openTestMemory()
  const long = `word ${'x'.repeat(2_000)}`
  const [id = ''] = await learn(long)
  const [listed] = (await memory.ls()).blocks
  expect(listed?.truncated).toBe(true)
  expect(listed?.content.length).toBeLessThan(600)
  expect((await memory.show({ blockId: id })).block.content).toBe(long)
})

test('an edge between two archived blocks comes back with the second of them, whichever that is', async () => {
  for (const isTurned of [false, true]) {
    const { memory, learn } = await openTestMemory({ settings: NO_SIMILARITY })
    const [one = '', other = ''] = await learn('one apple', 'two pears')
    await memory.connect({ source: one, target: other, relation: 'supports', note: 'fruit' })
    const order = isTurned ? [other, one] : [one, other]
    for (const blockId of [one, other]) await memory.forget({ blockId })
    expect(await memory.restore({ blockId: order[0] ?? '' })).toMatchObject({ edgesRestored: 0 })
    expect(await memory.restore({ blockId: order[1] ?? '' })).toMatchObject({
      edgesRestored: 1,
      edgesLost: 0,
    })
    expect((await memory.show({ blockId: one })).edges).toMatchObject([{ other, note: 'fruit' }])
  }
})
