import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { parseGivenSettings } from '../../src/adapters/project/settings-schema.ts'
import { type OpenMemory, openLifetime } from '../../src/engine/open-memory.ts'
import { ElfmemError } from '../../src/errors.ts'
import { table } from '../../src/operations/table.ts'
import type { Holder } from '../../src/surfaces/service/holders.ts'
import { Memories } from '../../src/surfaces/service/memories.ts'
import { memoriesOf, openService } from '../../src/surfaces/service/open.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'

const settings = parseGivenSettings({ embeddings: { provider: 'hashing' }, memory: { autoDream: 'off' } })

function holder(memory: string, name = memory): Holder {
  return { name, memory, capability: 'owner', tools: 'all', sha256: '' }
}

/** The memories of a new folder, of which about `most` small ones stay open. */
async function service(most = 100) {
  const folder = temporaryFolder()
  const project = { settings, database: { path: ':memory:', rule: '--db' }, env: {} } as const
  const failures: unknown[] = []
  const failed = (error: unknown) => void failures.push(error)
  const options = { project, bytes: most * 1_800_000, bounds: {}, failed }
  const opened = openService(await memoriesOf({ kind: 'folder', path: folder }, project), options)
  onTestFinished(() => opened.close())
  const remember = (memory: string, content: string) =>
    opened.memories.use(holder(memory), (open) => open.call(table.remember, { content }))
  const recall = async (memory: string, query: string) => {
    const found = await opened.memories.use(holder(memory), (open) => open.call(table.recall, { query }))
    return (found as { blocks: { content: string }[] }).blocks.map(({ content }) => content)
  }
  return { folder, failures, ...opened, remember, recall }
}

test('each name is a memory of its own, made when it is first written', async () => {
  const { folder, remember, recall } = await service()
  expect(await recall('ann', 'tea')).toEqual([])
  expect(readdirSync(folder)).toEqual([])
  await remember('ann', 'Tea is at four')
  await remember('ben', 'Coffee is at nine')
  expect(await recall('ann', 'when is coffee or tea')).toEqual(['Tea is at four'])
  expect(await recall('ben', 'when is coffee or tea')).toEqual(['Coffee is at nine'])
  expect(readdirSync(folder).filter((name) => name.endsWith('.db'))).toEqual(['ann.db', 'ben.db'])
})

test('the memories used longest ago are closed by their bytes, and are read from their packed index again', async () => {
  const { folder, memories, remember, recall } = await service(2)
  const blocks = Array.from({ length: 1_000 }, (_, n) => ({ content: `Valve ${n} is in hall ${n % 7}` }))
  await memories.use(holder('one'), (memory) => memory.call(table.rememberMany, { blocks }))
  expect(await recall('one', 'where is valve 7')).toContain('Valve 7 is in hall 0')
  expect(memories.bytes).toBe(2_500_000)
  for (const name of ['two', 'three']) await remember(name, `This is memory ${name}`)
  expect(memories.open).toBe(2)
  expect(memories.bytes).toBeLessThanOrEqual(3_600_000)
  expect(await recall('one', 'where is valve 7')).toContain('Valve 7 is in hall 0')
  expect(existsSync(join(folder, 'one.db-index'))).toBe(true)
})

test('a memory in use stays open, and is closed when it is released', async () => {
  const { memories, remember, failures } = await service(1)
  await remember('one', 'This is memory one')
  const held = await memories.hold('one')
  await remember('two', 'This is memory two')
  await remember('three', 'This is memory three')
  expect(await held.memory.call(table.recall, { query: 'memory' })).toMatchObject({ blocks: [{}] })
  held.release()
  held.release()
  await remember('two', 'It is still there')
  expect(memories.open).toBe(1)
  expect(await refusal(held.memory.call(table.recall, { query: 'memory' }))).toMatchObject({ code: 'CLOSED' })
  expect(failures).toEqual([])
})

/** Memories of which none stays open, each opened by `open`; `use` writes to one of them. */
function unkept(open: (name: string) => Promise<OpenMemory>) {
  const failures: unknown[] = []
  const memories = new Memories({ bytes: 0, failed: (error) => failures.push(error), open })
  onTestFinished(() => memories.close())
  const use = () => memories.use(holder('one'), (memory) => memory.call(table.remember, { content: 'x y z' }))
  const folder = temporaryFolder()
  return { memories, failures, use, folder }
}

function openIn(folder: string, name: string): Promise<OpenMemory> {
  const database = { path: join(folder, `${name}.db`), rule: '--db' } as const
  return openLifetime({ settings, database, env: {} }, { embedder: createHashingEmbedder(), as: 'owner' })
}

test('calls of one name at once open it once, and it is not opened again before it is closed', async () => {
  let [open, most, openings] = [0, 0, 0]
  const { use, folder } = unkept(async (name) => {
    openings += 1
    open += 1
    most = Math.max(most, open)
    const memory = await openIn(folder, name)
    const close = memory.close.bind(memory)
    memory.close = () => close().finally(() => (open -= 1))
    return memory
  })
  await Promise.all([use(), use(), use()])
  expect([openings, most]).toEqual([1, 1])
  await use()
  await Promise.all([use(), use()])
  expect(openings).toBeGreaterThan(1)
  expect(most).toBe(1)
})

test('a failed opening is not kept, and a failed closing is told and keeps nobody from opening again', async () => {
  const error = new ElfmemError('STORE_FAILED', 'No.', { recovery: 'Wait.' })
  let fails: 'open' | 'close' = 'open'
  const { memories, failures, use, folder } = unkept(async (name) => {
    if (fails === 'open') throw error
    const memory = await openIn(folder, name)
    const close = memory.close.bind(memory)
    memory.close = () => close().then(() => Promise.reject(error))
    return memory
  })
  expect(await refusal(use())).toMatchObject({ code: 'STORE_FAILED' })
  expect(memories.open).toBe(0)
  fails = 'close'
  expect(await use()).toMatchObject({ status: 'created' })
  expect(await use()).toMatchObject({ status: 'duplicate' })
  expect(failures).toContain(error)
})

test('closing waits for running calls, and nothing is opened afterwards', async () => {
  const { memories, remember, recall } = await service()
  const running = remember('one', 'Tea is at four')
  await memories.close()
  expect(await running).toMatchObject({ status: 'created' })
  expect(await refusal(recall('one', 'tea'))).toMatchObject({ code: 'CLOSED' })
})
