import { readdirSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openTestMemory, refusal, type TestMemoryOptions } from '../helpers/memory.ts'
import { statements } from '../helpers/words.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'

type Fields = Record<string, unknown>

async function served(settings: TestMemoryOptions['settings'] = {}) {
  const opened = await openTestMemory({ settings })
  const client = await connectClient(opened.memory)
  const call = async (tool: string, args: Fields = {}) =>
    (await client.callTool({ name: `elfmem_${tool}`, arguments: args })).structuredContent as Fields
  const namesIn = (folder: string) => {
    const names = readdirSync(`${opened.path}.${folder}`)
    return names.sort()
  }
  return { ...opened, owner: opened.memory, call, namesIn }
}

test('however often an agent backs up, the owner’s backups stay, and of the agent’s the newest few', async () => {
  const { owner, call, namesIn, clock } = await served({ store: { keepBackups: 2 } })
  await owner.remember({ content: 'Tea is at four.' })
  const owners = [(await owner.backup()).name]
  clock.advance({ minutes: 1 })
  owners.push((await owner.backup()).name)
  const made: string[] = []
  for (let turn = 0; turn < 12; turn += 1) {
    clock.advance({ minutes: 1 })
    made.push(String((await call('backup')).name))
  }
  expect(namesIn('backups')).toEqual([...owners, ...made.slice(-3)].sort())
  await Promise.all(Array.from({ length: 8 }, () => call('backup')))
  expect(namesIn('backups').filter((name) => !name.includes('-agent'))).toEqual(owners.sort())
  expect(namesIn('backups')).toHaveLength(5)
  const { removed } = await owner.backup()
  expect(removed).toEqual([owners[0]])
  expect(namesIn('backups').filter((name) => name.includes('-agent'))).toHaveLength(3)
})

test('the owner restores what an agent backed up by its name', async () => {
  const { owner, call } = await served()
  await owner.remember({ content: 'Tea is at four.' })
  const { name } = await call('backup')
  await owner.remember({ content: 'Coffee is at five.' })
  await owner.restoreBackup({ name: String(name) })
  expect((await owner.status()).inboxCount).toBe(1)
})

test('an agent makes so many exports and no more, also all at once, and they are told from the owner’s', async () => {
  const { owner, call, namesIn } = await served({ store: { agentExports: 4 } })
  await owner.remember({ content: 'Tea is at four.' })
  await owner.export({ name: 'owners.jsonl' })
  const answers = await Promise.all(
    Array.from({ length: 9 }, (_, at) => call('export', { name: `e${at}.jsonl` })),
  )
  expect(answers.filter(({ code }) => code === undefined)).toHaveLength(4)
  expect(answers.filter(({ code }) => code === 'LIMIT_EXCEEDED')).toHaveLength(5)
  expect(answers.find(({ code }) => code !== undefined)).toMatchObject({
    error: expect.stringContaining('store.agent_exports'),
    recovery: expect.stringContaining('elfmem export'),
  })
  expect(namesIn('exports')).toEqual(
    ['e0', 'e1', 'e2', 'e3'].map((name) => `${name}.agent.jsonl`).concat('owners.jsonl'),
  )
  await owner.export({ name: 'more.jsonl' })
  expect(namesIn('exports')).toHaveLength(6)
  expect(await call('import', { name: 'e0.jsonl' })).toMatchObject({ blocks_known: 1 })
  expect(await call('import', { name: 'owners.jsonl' })).toMatchObject({ blocks_known: 1 })
})

test('an agent’s files have so many bytes together and no more; what does not fit leaves no file behind', async () => {
  const { owner, call, namesIn, path } = await served({
    store: { agentFileBytes: 1_048_576, agentExports: 100 },
  })
  await owner.rememberMany({
    blocks: statements(600).map((content) => ({ content: `${content} ${'and so on '.repeat(60)}` })),
  })
  expect(statSync(path).size + statSync(`${path}-wal`).size).toBeGreaterThan(1_048_576)
  expect(await call('backup')).toMatchObject({
    code: 'LIMIT_EXCEEDED',
    error: expect.stringContaining('store.agent_file_bytes'),
  })
  let bytes = 0
  let answer = await call('export')
  for (let turn = 0; answer.code === undefined && turn < 20; turn += 1) {
    bytes += Number(answer.bytes)
    answer = await call('export', { name: `again-${turn}.jsonl` })
  }
  expect(answer).toMatchObject({ code: 'LIMIT_EXCEEDED' })
  expect(bytes).toBeLessThanOrEqual(1_048_576)
  expect(namesIn('exports').filter((name) => name.includes('.part-'))).toEqual([])
  const { bytes: whole } = await owner.export()
  expect(whole).toBeGreaterThan(0)
  expect((await owner.backup()).name).not.toContain('agent')
})

test('a program that is an agent has the same quota', async () => {
  const { memory } = await openTestMemory({ as: 'agent', settings: { store: { agentExports: 1 } } })
  await memory.remember({ content: 'Tea is at four.' })
  await memory.export({ name: 'one.jsonl' })
  expect((await refusal(memory.export({ name: 'two.jsonl' }))).code).toBe('LIMIT_EXCEEDED')
})
