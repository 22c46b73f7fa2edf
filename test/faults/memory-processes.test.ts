import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'

const child = join(import.meta.dirname, 'children/live.ts')

test('two agents live on one file at once: nothing is lost and no lock error reaches either', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const each = 60
  const agents = ['one', 'other'].map((name) =>
    spawn(process.execPath, ['--no-warnings', child, path, name, String(each)]),
  )
  const finished = agents.map(async (agent) => {
    let complaint = ''
    agent.stderr.on('data', (chunk) => {
      complaint += String(chunk)
    })
    agent.stdout.resume()
    const [code] = await once(agent, 'exit')
    return { code, complaint }
  })
  for (const agent of agents) agent.stdin.write('go\n')
  expect(await Promise.all(finished)).toEqual([
    { code: 0, complaint: '' },
    { code: 0, complaint: '' },
  ])
  const { memory } = await openTestMemory({ path })
  await memory.dream()
  const { activeCount, inboxCount, archivedCount } = await memory.status()
  expect([activeCount + archivedCount, inboxCount]).toEqual([2 * each, 0])
  const { blocks } = await memory.ls({ limit: 500 })
  for (const name of ['one', 'other'])
    expect(blocks.filter(({ content }) => content.startsWith(name)).length).toBeGreaterThan(0)
}, 120_000)

test('what one process learns, forgets or is told another recalls at once', async () => {
  const { memory, path } = await openTestMemory()
  const other = await openTestMemory({ path })
  const { blockId } = await memory.remember({ content: 'The red kettle boils.' })
  await other.memory.dream()
  const found = async (query: string) => (await memory.recall({ query, minStrength: 0.2 })).blockIds
  expect(await found('red kettle')).toEqual([blockId])
  await other.memory.edit({ blockId, content: 'The blue teapot steams.' })
  expect(await found('red kettle')).toEqual([])
  expect(await found('blue teapot')).toEqual([blockId])
  await other.memory.forget({ blockId })
  expect(await found('blue teapot')).toEqual([])
  await other.memory.restore({ blockId })
  expect(await found('blue teapot')).toEqual([blockId])
})

test('what one process takes back another no longer recalls, and what comes next it does', async () => {
  const { memory, path } = await openTestMemory()
  const other = await openTestMemory({ path })
  const [kettle = ''] = await other.learn('The red kettle boils.')
  const { blockId: teapot } = await other.memory.remember({ content: 'The blue teapot steams.' })
  const question = { query: 'kettle teapot samovar', minStrength: 0, reinforce: false }
  const found = async () => (await memory.recall(question)).blockIds
  expect((await found()).sort()).toEqual([kettle, teapot].sort())
  await other.memory.undo()
  const { blockId: samovar } = await other.memory.remember({ content: 'The samovar hums.' })
  expect((await found()).sort()).toEqual([kettle, samovar].sort())
  await other.memory.undo()
  expect(await found()).toEqual([kettle])
})
