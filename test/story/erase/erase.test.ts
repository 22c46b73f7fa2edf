import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import type { SettingsInput } from '../../../src/config/settings.ts'
import { openMemory } from '../../../src/memory.ts'
import { createTestClock } from '../../helpers/clock.ts'
import { openTestMemory, refusal, temporaryFolder } from '../../helpers/memory.ts'
import { tracesIn } from '../../helpers/traces.ts'
import { elfmem } from '../../surfaces/helpers/cli.ts'

async function openOwners(config: SettingsInput = {}) {
  const folder = temporaryFolder()
  const clock = createTestClock()
  const path = join(folder, 'memory.db')
  const open = async (as: 'owner' | 'agent' = 'owner') => {
    const memory = await openMemory(path, { as, config, clock, embedder: createHashingEmbedder() })
    onTestFinished(() => memory.close())
    return memory
  }
  return { folder, path, clock, open, memory: await open() }
}

test('erase chooses blocks by id, tag, source, session or words', async () => {
  const { memory } = await openOwners()
  const party = { content: 'The party was loud', tags: ['town/square'], source: 'diary' }
  const one = await memory.remember({ ...party, session: 'spring' })
  const two = await memory.remember({ content: 'Art hangs in the hall', tags: ['town'], session: 'summer' })
  const three = await memory.remember({ content: '山田さんは港にいます', cue: 'about the harbour' })
  await memory.dream()
  await memory.forget({ blockId: two.blockId })
  const waiting = await memory.remember({ content: 'Loud art is a party', source: 'diary' })
  const chosen = async (input: Parameters<typeof memory.erase>[0]) =>
    (await memory.erase(input)).blocks.map(({ id }) => id)
  const [a, b, c, d] = [one, two, three, waiting].map(({ blockId }) => blockId)
  expect(await chosen({ blockIds: [String(a).slice(0, 6), String(b)] })).toEqual([a, b])
  expect(await chosen({ tags: ['town'] })).toEqual([b])
  expect(await chosen({ tags: ['town*'] })).toEqual([a, b])
  expect(await chosen({ sources: ['diary'] })).toEqual([a, d])
  expect(await chosen({ sessions: ['summer'] })).toEqual([b])
  expect(await chosen({ query: 'ART' })).toEqual([b, d])
  expect(await chosen({ query: 'loud party' })).toEqual([a, d])
  expect(await chosen({ query: '"loud art"' })).toEqual([d])
  expect(await chosen({ query: 'harbour' })).toEqual([c])
  expect(await chosen({ query: '港' })).toEqual([c])
  expect(await memory.status()).toMatchObject({ activeCount: 2, inboxCount: 1, archivedCount: 1 })
})

test('erase leaves no trace of a block in the file, its log, its index and its backups', async () => {
  const { memory, folder } = await openOwners()
  const { blockId } = await memory.remember({ content: 'Evangeline hid in the bilge' })
  const { blockId: kept } = await memory.remember({ content: 'The quay is wet' })
  await memory.dream()
  await memory.edit({ blockId, content: 'Evangeline hid in the galley' })
  await memory.recall({ query: 'where did Evangeline hide' })
  await memory.backup()
  expect(tracesIn(folder, ['Evangeline']).length).toBeGreaterThan(0)
  const done = await memory.erase({ blockIds: [blockId], yes: true, copies: 'delete' })
  expect(done).toMatchObject({ erased: true, finished: true })
  expect(tracesIn(folder, ['Evangeline', 'evangelin', 'bilge', 'galley'])).toEqual([])
  expect((await memory.recall({ query: 'quay' })).blockIds).toEqual([kept])
})

test('erase refuses no choice, two choices and what is not there', async () => {
  const { memory } = await openOwners()
  await memory.remember({ content: 'The ferry is red' })
  expect(await refusal(memory.erase({}))).toMatchObject({ code: 'INVALID_INPUT' })
  expect(await refusal(memory.erase({ tags: ['a'], query: 'b' }))).toMatchObject({ code: 'INVALID_INPUT' })
  expect(await refusal(memory.erase({ query: '…' }))).toMatchObject({ code: 'INVALID_INPUT' })
  expect(await refusal(memory.erase({ blockIds: ['ffffffff'], yes: true }))).toMatchObject({
    code: 'NOT_FOUND',
  })
  expect(await refusal(memory.erase({ query: 'submarine', yes: true }))).toMatchObject({ code: 'NOT_FOUND' })
  expect(await memory.status()).toMatchObject({ inboxCount: 1 })
})

test('erase needs the owner of a whole memory in a file', async () => {
  const { memory, open, path } = await openOwners()
  const { blockId } = await memory.remember({ content: 'The ferry is red' })
  const agent = await open('agent')
  expect(await refusal(agent.erase({ blockIds: [blockId] }))).toMatchObject({ code: 'OWNER_ONLY' })
  const scoped = await openMemory(path, { as: 'owner', scope: 'a', embedder: createHashingEmbedder() })
  onTestFinished(() => scoped.close())
  expect(await refusal(scoped.erase({ blockIds: [blockId] }))).toMatchObject({ code: 'OUT_OF_SCOPE' })
  const nowhere = await openMemory(':memory:', { as: 'owner', embedder: createHashingEmbedder() })
  onTestFinished(() => nowhere.close())
  expect(await refusal(nowhere.erase({ query: 'ferry' }))).toMatchObject({ code: 'STORE_FAILED' })
})

test('erase finds a kept secret by itself', async () => {
  const { memory, folder } = await openOwners({ memory: { secrets: 'keep' } })
  const key = ['AKIA', 'Q3EGR7ZXW5TPLM2N'].join('')
  await memory.remember({ content: `The key of the bucket is ${key}` })
  await memory.close()
  const redacting = await openMemory(join(folder, 'memory.db'), {
    as: 'owner',
    embedder: createHashingEmbedder(),
  })
  onTestFinished(() => redacting.close())
  expect(await redacting.erase({ query: key, yes: true })).toMatchObject({ finished: true })
  expect(tracesIn(folder, [key, key.toLowerCase()])).toEqual([])
})

test('curate erases what the owner forgot longer ago than keepForgottenDays', async () => {
  const { memory, open, clock, folder } = await openOwners({ memory: { keepForgottenDays: 30 } })
  const agent = await open('agent')
  const { blockId: mine } = await memory.remember({ content: 'Evangeline hid in the bilge' })
  const { blockId: theirs } = await agent.remember({ content: 'The agent noted a draught' })
  const { blockId: back } = await memory.remember({ content: 'The lamp burns until dawn' })
  const { blockId: later } = await memory.remember({ content: 'The quay is wet' })
  await memory.dream()
  for (const blockId of [mine, back]) await memory.forget({ blockId })
  await agent.forget({ blockId: theirs })
  await memory.restore({ blockId: back })
  clock.advance({ hours: 29 * 24 })
  await memory.forget({ blockId: later })
  expect(await memory.curate()).toMatchObject({ erased: 0 })
  clock.advance({ hours: 2 * 24 })
  expect(await memory.curate()).toMatchObject({ erased: 1 })
  const left = (await memory.ls({ status: 'archived', limit: 50 })).blocks.map(({ id }) => id)
  expect(left).toEqual(expect.arrayContaining([theirs, later]))
  expect(left).not.toContain(mine)
  expect(tracesIn(folder, ['Evangeline', 'evangelin', 'bilge'])).toEqual([])
})

test('curate erases nothing by default', async () => {
  const { memory, clock, learn } = await openTestMemory()
  const [id = ''] = await learn('The ferry is red')
  await memory.forget({ blockId: id })
  clock.advance({ hours: 24 * 36_000 })
  expect(await memory.curate()).toMatchObject({ erased: 0 })
  expect(await memory.restore({ blockId: id })).toMatchObject({ restored: true })
})

test('elfmem erase shows what would go and erases only after yes', async () => {
  const { memory, path, folder } = await openOwners()
  await memory.remember({ content: 'Evangeline hid in the bilge' })
  await memory.close()
  const world = { cwd: folder, home: folder }
  const no = await elfmem(['erase', '--query', 'evangeline', '--db', path], { ...world, answer: 'no' })
  expect([no.code, no.out]).toEqual([1, expect.stringContaining('Evangeline hid in the bilge')])
  expect(tracesIn(folder, ['Evangeline']).length).toBeGreaterThan(0)
  const yes = await elfmem(['erase', '--query', 'evangeline', '--db', path], { ...world, answer: 'yes' })
  expect([yes.code, yes.out]).toEqual([0, expect.stringContaining('1 block erased.')])
  expect(tracesIn(folder, ['Evangeline'])).toEqual([])
})
