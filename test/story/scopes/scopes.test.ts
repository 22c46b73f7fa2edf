import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Memory, openMemory } from '../../../src/engine/memory.ts'
import { refusal, temporaryFolder } from '../../helpers/memory.ts'
import { openOn, openStore } from '../../helpers/scoped.ts'
import { statements } from '../../helpers/words.ts'

async function learn(memory: Memory, ...contents: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const content of contents) ids.push((await memory.remember({ content })).blockId)
  await memory.dream()
  return ids
}

test('remember of the same words in two scopes and in none makes three blocks', async () => {
  const whole = await openOn(await openStore())
  const content = 'Staging listens on port 4210.'
  const kept = [
    await whole.remember({ content }),
    await whole.remember({ content, scope: 'atlas' }),
    await whole.remember({ content, scope: 'borealis' }),
  ]
  expect(new Set(kept.map(({ blockId }) => blockId)).size).toBe(3)
  expect(kept.map(({ status }) => status)).toEqual(['created', 'created', 'created'])
  expect((await whole.remember({ content, scope: 'atlas' })).status).toBe('duplicate')
  await whole.dream()
  const query = 'which port does staging use'
  const inAtlas = await whole.recall({ query, scope: 'atlas' })
  expect(inAtlas.blockIds).toEqual([kept[1]?.blockId])
  const all = await whole.recall({ query })
  expect(all.blocks.map(({ scope }) => scope).sort()).toEqual(['atlas', 'borealis', undefined])
})

test('a memory opened for a scope refuses another scope on a call', async () => {
  const store = await openStore()
  const memory = await openOn(store, { scope: 'mine' })
  expect(memory.scope).toBe('mine')
  expect(await memory.status()).not.toHaveProperty('scopes')
  const kept = await memory.remember({ content: 'Tea is at four.', scope: ' mine ' })
  expect((await memory.show({ blockId: kept.blockId })).block.scope).toBe('mine')
  for (const call of [
    memory.remember({ content: 'Tea is at five.', scope: 'theirs' }),
    memory.recall({ query: 'tea', scope: 'theirs' }),
    memory.dream({ scope: 'theirs' }),
    memory.status({ scope: 'Mine' }),
  ])
    expect((await refusal(call)).code).toBe('OUT_OF_SCOPE')
  expect((await refusal(memory.ls({ scope: 'two words' }))).code).toBe('INVALID_INPUT')
  const path = join(temporaryFolder(), 'memory.db')
  expect((await refusal(openMemory(path, { scope: ' ' }))).code).toBe('INVALID_INPUT')
  expect(existsSync(path)).toBe(false)
})

test('dream over all scopes joins nothing across them', async () => {
  const memory = await openOn(await openStore())
  const content = 'The release of the project goes out on Tuesday afternoon after the tests have passed.'
  await memory.remember({ content, scope: 'atlas' })
  await memory.dream()
  for (const scope of ['borealis', 'cygnus']) await memory.remember({ content, scope })
  await memory.remember({ content })
  const nothingAlike = { deduplicated: 0, edgesCreated: 0, nearDuplicatesFlagged: 0 }
  expect(await memory.dream()).toMatchObject({ promoted: 3, ...nothingAlike })
})

test('recall of the self frame shows the identity of its scope alone', async () => {
  const store = await openStore()
  const whole = await openOn(store)
  await whole.setup({ seed: true })
  await whole.setup({ identity: 'I keep the atlas.', seed: true, scope: 'atlas' })
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

test('connect across scopes shows its edge in neither scope', async () => {
  const store = await openStore()
  const whole = await openOn(store)
  const atlas = await openOn(store, { scope: 'atlas' })
  const [one = '', mate = ''] = await learn(atlas, ...statements(2))
  const [other = ''] = await learn(await openOn(store, { scope: 'borealis' }), 'Gravity pulls on maps.')
  await whole.connect({ source: one, target: other, relation: 'supports' })
  await atlas.connect({ source: one, target: mate, relation: 'supports' })
  expect((await whole.show({ blockId: one })).edgesTotal).toBe(2)
  expect((await atlas.show({ blockId: one })).edges.map((edge) => edge.other)).toEqual([mate])
  expect((await atlas.graph({})).edges).toHaveLength(1)
})
