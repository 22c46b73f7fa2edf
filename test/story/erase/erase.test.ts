import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../../src/engine/memory.ts'
import type { SettingsInput } from '../../../src/engine/settings.ts'
import { createTestClock } from '../../helpers/clock.ts'
import { refusal, temporaryFolder } from '../../helpers/memory.ts'
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
  return { folder, path, open, memory: await open() }
}

test('erase chooses blocks by id or words, archived and waiting ones too', async () => {
  const { memory } = await openOwners()
  const say = async (content: string, cue?: string) =>
    (await memory.remember({ content, ...(cue === undefined ? {} : { cue }) })).blockId
  const a = await say('The party was loud')
  const b = await say('Art hangs in the hall')
  const c = await say('山田さんは港にいます', 'When asked about the harbour')
  await memory.dream()
  await memory.forget({ blockId: b })
  const d = await say('Loud art is a party')
  const chosen = async (input: Parameters<typeof memory.erase>[0]) =>
    (await memory.erase(input)).blocks.map(({ id }) => id)
  expect(await chosen({ blockIds: [a.slice(0, 6), b] })).toEqual([a, b])
  expect(await chosen({ query: 'ART' })).toEqual([b, d])
  expect(await chosen({ query: 'loud party' })).toEqual([a, d])
  expect(await chosen({ query: '"loud art"' })).toEqual([d])
  expect(await chosen({ query: 'harbour' })).toEqual([c])
  expect(await chosen({ query: '港' })).toEqual([c])
})

test('erase of nothing, of two choices at once or of an unknown id is refused', async () => {
  const { memory } = await openOwners()
  await memory.remember({ content: 'The ferry is red' })
  expect(await refusal(memory.erase({}))).toMatchObject({ code: 'INVALID_INPUT' })
  expect(await refusal(memory.erase({ blockIds: ['aaaa'], query: 'b' }))).toMatchObject({
    code: 'INVALID_INPUT',
  })
  expect(await refusal(memory.erase({ query: '…' }))).toMatchObject({ code: 'INVALID_INPUT' })
  expect(await refusal(memory.erase({ blockIds: ['ffffffff'], yes: true }))).toMatchObject({
    code: 'NOT_FOUND',
  })
  expect(await refusal(memory.erase({ query: 'submarine', yes: true }))).toMatchObject({ code: 'NOT_FOUND' })
  expect(await memory.status()).toMatchObject({ inboxCount: 1 })
})

test('erase in a memory that is in no file removes every row with the words', async () => {
  const memory = await openMemory(':memory:', { as: 'owner', embedder: createHashingEmbedder() })
  onTestFinished(() => memory.close())
  const { blockId } = await memory.remember({ content: 'Evangeline hid in the bilge', tags: ['bilge'] })
  const { blockId: kept } = await memory.remember({ content: 'The ferry is red' })
  await memory.dream()
  await memory.connect({ source: blockId, target: kept, note: 'because Evangeline took it' })
  await memory.edit({ blockId, content: 'Evangeline left the bilge' })
  await memory.items('log').put({ key: 'day', value: 'Evangeline left the bilge' })
  const plan = await memory.erase({ query: 'evangeline' })
  expect(plan).toMatchObject({ erased: false, files: [], copies: [], others: [] })
  const done = await memory.erase({ query: 'evangeline', yes: true })
  expect(done).toMatchObject({ erased: true, finished: true, files: [] })
  const { operations } = await memory.history({ lastN: 100 })
  const items = await memory.items('log').list({ limit: 9 })
  const { blocks } = await memory.ls({ limit: 50 })
  expect(JSON.stringify([operations, items, blocks])).not.toMatch(/evangeline|bilge/i)
  expect(JSON.stringify(operations)).not.toContain(blockId)
  expect((await memory.history({ blockId: kept })).operations.length).toBeGreaterThan(0)
  expect(await refusal(memory.history({ blockId }))).toMatchObject({ code: 'NOT_FOUND' })
  expect(await refusal(memory.erase({}))).toMatchObject({ code: 'INVALID_INPUT' })
  expect(await memory.doctor({})).toMatchObject({ outcome: 'ok' })
})

test('erase by query finds where a secret is kept', async () => {
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

test('erase of a block in a chain of versions leaves nothing that names it', async () => {
  const { memory } = await openOwners()
  const first = await memory.remember({ content: 'The office is in Lyon' })
  const second = await memory.remember({ content: 'The office moved to Nantes', supersedes: first.blockId })
  const third = await memory.remember({ content: 'The office moved to Brest', supersedes: second.blockId })
  await memory.dream()
  await memory.erase({ blockIds: [second.blockId], yes: true })
  for (const { blockId } of [first, third])
    expect(JSON.stringify(await memory.show({ blockId }))).not.toContain(second.blockId)
})

test('erase by query names a backup that holds only the end of a long text, as it was before an edit', async () => {
  const { memory } = await openOwners()
  const kept = 'The harbour master wrote down each boat that came in with the evening tide. '.repeat(6)
  const { blockId } = await memory.remember({
    content: `${kept}Rosalinde hides the key behind the crimson lantern.`,
  })
  const { name } = await memory.backup()
  await memory.edit({ blockId, content: kept })
  const done = await memory.erase({ query: 'rosalinde lantern', yes: true })
  expect(done.copies.map((path) => path.endsWith(name))).toEqual([true])
  expect((await memory.show({ blockId })).block.content).toBe(kept)
})

test('elfmem erase shows what would go, and erases only after yes', async () => {
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
