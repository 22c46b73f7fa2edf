import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Memory, openMemory } from '../../src/memory.ts'
import { createTestClock } from '../helpers/clock.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'
import { openOn, openStore } from '../helpers/scoped.ts'
import { nextTurn } from '../helpers/timer.ts'
import { statements } from '../helpers/words.ts'

async function learn(memory: Memory, ...contents: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const content of contents) ids.push((await memory.remember({ content })).blockId)
  await memory.dream()
  return ids
}

test('the same words in two scopes and in none are three blocks, and each is found in its own', async () => {
  const store = await openStore()
  const whole = await openOn(store)
  const content = 'Staging listens on port 4210.'
  const kept = [
    await whole.remember({ content }),
    await whole.remember({ content, scope: 'atlas' }),
    await (await openOn(store, { scope: 'borealis' })).remember({ content }),
  ]
  expect(new Set(kept.map(({ blockId }) => blockId)).size).toBe(3)
  expect(kept.map(({ status }) => status)).toEqual(['created', 'created', 'created'])
  expect(kept[0]?.blockId).toBe(createHash('sha256').update(content.toLowerCase()).digest('hex').slice(0, 16))
  expect((await whole.remember({ content, scope: 'atlas' })).status).toBe('duplicate')
  await whole.dream()
  const { block } = await whole.show({ blockId: kept[1]?.blockId ?? '' })
  expect(block).toMatchObject({ scope: 'atlas', status: 'active' })
  for (const [at, scope] of ['atlas', 'borealis'].entries()) {
    const found = await whole.recall({ query: 'which port does staging use', scope })
    expect(found.blocks.map(({ id }) => id)).toEqual([kept[at + 1]?.blockId])
  }
  const all = await whole.recall({ query: 'which port does staging use' })
  expect(new Set(all.blockIds)).toEqual(new Set(kept.map(({ blockId }) => blockId)))
  expect(all.blocks.map(({ scope }) => scope).sort()).toEqual(['atlas', 'borealis', undefined])
})

test('a memory opened for a scope knows no block of another by any id or argument', async () => {
  const store = await openStore()
  const whole = await openOn(store)
  const [theirs = '', other = ''] = await learn(await openOn(store, { scope: 'theirs' }), ...statements(2))
  const [loose = ''] = await learn(whole, 'Nobody in particular owns this one.')
  const memory = await openOn(store, { scope: 'mine' })
  const [own = ''] = await learn(memory, 'The lighthouse keeper whistles at dusk.')
  const before = await whole.show({ blockId: theirs })
  for (const id of [theirs, theirs.slice(0, 8), loose, loose.slice(0, 6)]) {
    const calls = [
      memory.show({ blockId: id }),
      memory.edit({ blockId: id, content: 'changed' }),
      memory.forget({ blockId: id }),
      memory.restore({ blockId: id }),
      memory.graph({ blockId: id }),
      memory.history({ blockId: id }),
      memory.connect({ source: own, target: id }),
      memory.resolve({ a: own, b: id, keep: 'a' }),
      memory.remember({ content: 'Another one entirely.', supersedes: id }),
    ]
    for (const call of calls) expect((await refusal(call)).code).toBe('NOT_FOUND')
    const reported = await memory.outcome({ blockIds: [id], signal: 0 })
    expect(reported.skipped.map(({ reason }) => reason)).toEqual(['unknown'])
    expect((await memory.recordUse({ blockIds: [id] })).blocksReinforced).toBe(0)
    expect((await memory.disconnect({ source: theirs, target: other })).action).toBe('not_found')
  }
  const looks = [
    await memory.recall({ query: statements(1)[0] ?? '', minStrength: 0 }),
    await memory.recall({ frame: 'self' }),
    await memory.ls({ limit: 500 }),
    await memory.ls({ status: 'archived' }),
    await memory.inbox({}),
    await memory.graph({}),
    await memory.history({ lastN: 1_000 }),
    await memory.status(),
  ]
  const text = JSON.stringify(looks)
  for (const id of [theirs, other, loose]) expect(text).not.toContain(id.slice(0, 8))
  expect(await memory.status()).toMatchObject({ scope: 'mine', activeCount: 1 })
  expect(await memory.status()).not.toHaveProperty('scopes')
  expect(await whole.show({ blockId: theirs })).toEqual(before)
})

test('a memory opened for a scope refuses another one on a call and takes its own', async () => {
  const store = await openStore()
  const memory = await openOn(store, { scope: 'mine' })
  expect(memory.scope).toBe('mine')
  const kept = await memory.remember({ content: 'Tea is at four.', scope: ' mine ' })
  expect((await memory.show({ blockId: kept.blockId })).block.scope).toBe('mine')
  for (const call of [
    memory.remember({ content: 'Tea is at five.', scope: 'theirs' }),
    memory.recall({ query: 'tea', scope: 'theirs' }),
    memory.dream({ scope: 'theirs' }),
    memory.status({ scope: 'Mine' }),
  ]) {
    const { code, recovery } = await refusal(call)
    expect(code).toBe('OUT_OF_SCOPE')
    expect(recovery).toContain('scope')
  }
  expect((await refusal(memory.ls({ scope: 'two words' }))).code).toBe('INVALID_INPUT')
  const path = join(temporaryFolder(), 'memory.db')
  expect((await refusal(openMemory(path, { scope: ' ' }))).code).toBe('INVALID_INPUT')
  expect(existsSync(path)).toBe(false)
})

test('dreaming over all scopes takes no fact of one for a repetition or a relative of another', async () => {
  const memory = await openOn(await openStore())
  const content = 'The release of the project goes out on Tuesday afternoon after the tests have passed.'
  await memory.remember({ content, scope: 'atlas' })
  await memory.dream()
  for (const scope of ['borealis', 'cygnus']) await memory.remember({ content, scope })
  await memory.remember({ content })
  const nothingAlike = { deduplicated: 0, edgesCreated: 0, nearDuplicatesFlagged: 0 }
  expect(await memory.dream()).toMatchObject({ promoted: 3, ...nothingAlike })
  const { blockId } = await memory.remember({ content: 'Tea is at four.', scope: 'cygnus' })
  await memory.edit({ blockId, content })
  expect(await memory.dream()).toMatchObject({ promoted: 0, deduplicated: 1 })
})

test('sessions of one name in two scopes lend each other nothing', async () => {
  /** How well a reply matches a question about what was said before it, in a memory of everything. */
  const replyStrength = async (scope: string, session: string): Promise<number> => {
    const memory = await openOn(await openStore())
    await memory.remember({
      content: 'The kettle in the kitchen descales itself.',
      session: 'standup',
      scope: 'atlas',
    })
    const reply = await memory.remember({ content: 'The kettle in the kitchen is blue.', session, scope })
    await memory.dream()
    const { blocks } = await memory.recall({ query: 'what descales itself', minStrength: 0 })
    return blocks.find(({ id }) => id === reply.blockId)?.strength ?? 0
  }
  const apart = await replyStrength('borealis', 'standup')
  expect(apart).toBe(await replyStrength('borealis', 'another'))
  expect(await replyStrength('atlas', 'standup')).toBeGreaterThan(apart)
})

test('who an agent is belongs to the scope it was said in', async () => {
  const store = await openStore()
  const whole = await openOn(store)
  await whole.setup({ seed: true })
  expect(
    (await whole.setup({ identity: 'I keep the atlas.', seed: true, scope: 'atlas' })).blocksCreated,
  ).toBe(11)
  expect((await whole.setup({ seed: true, scope: 'atlas' })).blocksCreated).toBe(0)
  expect((await whole.setup({ seed: true })).blocksCreated).toBe(0)
  await whole.dream({ maxSeconds: 30 })
  const atlas = await whole.recall({ frame: 'self', scope: 'atlas' })
  const bare = await whole.recall({ frame: 'self', scope: 'borealis' })
  const own = await whole.recall({ frame: 'self' })
  expect(atlas.text).toContain('I keep the atlas.')
  expect(bare.blocks).toEqual([])
  const guaranteed = own.blocks.filter((block) => block.guaranteed)
  expect(guaranteed.length).toBeGreaterThan(0)
  expect(guaranteed.filter(({ scope }) => scope !== undefined)).toEqual([])
})

test('status names the scopes of a whole store and of one what it is about', async () => {
  const store = await openStore()
  const memory = await openOn(store)
  expect(await memory.status()).not.toHaveProperty('scopes')
  await memory.remember({ content: statements(1)[0] ?? '', scope: 'small' })
  for (const content of statements(3)) await memory.remember({ content, scope: 'big' })
  await memory.dream({ scope: 'big' })
  const status = await memory.status()
  expect(status.scopes).toEqual([
    { scope: 'big', active: 3, inbox: 0 },
    { scope: 'small', active: 0, inbox: 1 },
  ])
  expect(status).not.toHaveProperty('moreScopes')
  const big = await memory.status({ scope: 'big' })
  expect(big).toMatchObject({ scope: 'big', activeCount: 3, inboxCount: 0 })
  expect(big).not.toHaveProperty('scopes')
  expect(big.summary).toContain('scope big')
  for (let at = 0; at < 60; at++) await memory.remember({ content: 'Tea is at four.', scope: `scope-${at}` })
  const many = await memory.status()
  expect(many.scopes).toHaveLength(50)
  expect(many.moreScopes).toBe(true)
})

test('lists and blocks say which scope they are of', async () => {
  const memory = await openOn(await openStore())
  await memory.remember({ content: 'Tea is at four.', scope: 'atlas' })
  await memory.remember({ content: 'Tea is at five.' })
  const { blocks } = await memory.inbox({})
  expect(blocks.map(({ scope }) => scope)).toEqual(['atlas', undefined])
  const listed = await memory.ls({ status: 'inbox', scope: 'atlas' })
  expect(listed.blocks.map(({ content, scope }) => [content, scope])).toEqual([['Tea is at four.', 'atlas']])
  const shown = await memory.show({ blockId: listed.blocks[0]?.id ?? '' })
  expect(shown.summary).toContain('scope atlas')
  const { operations } = await memory.history({})
  expect(operations.map(({ scope }) => scope)).toEqual(['atlas', undefined])
})

test('an agent that sees everything may join blocks of two scopes, which neither scope shows', async () => {
  const store = await openStore()
  const whole = await openOn(store)
  const atlas = await openOn(store, { scope: 'atlas' })
  const [one = '', mate = ''] = await learn(atlas, ...statements(2))
  const [other = ''] = await learn(
    await openOn(store, { scope: 'borealis' }),
    'Gravity pulls on maps as well.',
  )
  await whole.connect({ source: one, target: other, relation: 'supports' })
  await atlas.connect({ source: one, target: mate, relation: 'supports' })
  expect((await whole.show({ blockId: one })).edgesTotal).toBe(2)
  expect((await atlas.show({ blockId: one })).edges.map((edge) => edge.other)).toEqual([mate])
  expect((await atlas.graph({})).edges).toHaveLength(1)
  await atlas.forget({ blockId: one })
  expect((await whole.show({ blockId: other })).edgesTotal).toBe(0)
  await whole.restore({ blockId: one })
  expect((await whole.show({ blockId: one })).edgesTotal).toBe(2)
})

test('curating one scope lets the others be', async () => {
  const store = await openStore()
  const clock = createTestClock()
  const [atlas, borealis] = [
    await openOn(store, { scope: 'atlas', clock }),
    await openOn(store, { scope: 'borealis', clock }),
  ]
  await learn(atlas, ...statements(4))
  await learn(borealis, ...statements(4))
  clock.advance({ hours: 100_000 })
  expect((await atlas.curate({})).archived.length).toBeGreaterThan(0)
  expect(await borealis.status()).toMatchObject({ activeCount: 4, archivedCount: 0 })
  expect((await borealis.curate({})).archived.length).toBeGreaterThan(0)
})

test('a recall in one scope takes no more statements than one in a store of its own', async () => {
  const store = await openStore()
  const memory = await openOn(store)
  for (const [at, content] of statements(60).entries())
    await memory.remember({
      content,
      ...(at % 3 === 0 ? {} : { scope: at % 3 === 1 ? 'atlas' : 'borealis' }),
    })
  await memory.dream({ maxSeconds: 30 })
  const cost = async (scope: string) => {
    const before = store.statements
    expect((await memory.recall({ query: 'who repairs copper pipes', scope })).blocks.length).toBeGreaterThan(
      1,
    )
    await nextTurn()
    return store.statements - before
  }
  await cost('atlas')
  expect(await cost('atlas')).toBeLessThanOrEqual(22)
})

test('more scopes than are held in mind answer as if they were', async () => {
  const memory = await openOn(await openStore(), { settings: { store: { scopesHeld: 2 } } })
  const scopes = ['a', 'b', 'c', 'd']
  for (const scope of scopes)
    await memory.remember({ content: `The secret word of this place is ${scope}${scope}.`, scope })
  await memory.dream()
  for (const scope of [...scopes, ...scopes.toReversed()]) {
    const { blocks } = await memory.recall({ query: 'what is the secret word', scope, reinforce: false })
    expect(blocks.map((block) => block.scope)).toEqual([scope])
  }
})
