import { expect, test } from 'vitest'
import { openResting, QUIET_MS } from '../helpers/resting.ts'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'
import { connectClient } from './helpers/roads.ts'

test('a memory served over MCP dreams at rest as auto, and undo takes back the dream, then the agent', async () => {
  const { memory, timer, waiting } = await openResting()
  const client = await connectClient(memory)
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const answer = await client.callTool({ name: `elfmem_${name}`, arguments: args })
    return answer.structuredContent as Readonly<Record<string, unknown>>
  }
  for (let at = 0; at < 12; at++) {
    const told = await call('remember', { content: `Shelf ${at} holds maps.` })
    expect(told).toMatchObject({ pending: at + 1, should_dream: false })
  }
  await timer.pass(QUIET_MS)
  expect(await waiting()).toBe(0)
  expect(await call('inbox')).toMatchObject({ blocks: [] })
  expect(await call('history', { last_n: 1 })).toMatchObject({
    operations: [{ operation: 'dream', actor: 'auto' }],
  })
  expect(await call('status')).toMatchObject({ auto_dream: { mode: 'rules', elsewhere: false } })
  const refused = await call('undo')
  expect(refused).toMatchObject({ code: 'CONFLICT', details: { laterOperationId: expect.any(Number) } })
  const { laterOperationId } = refused.details as { readonly laterOperationId: number }
  await call('undo', { operation_id: laterOperationId })
  expect(await waiting()).toBe(12)
  await call('undo')
  expect(await waiting()).toBe(11)
})

test('a command never dreams by itself, and says when a dream is due', async () => {
  const home = temporaryDirectory()
  const env = { ELFMEM_MEMORY_INBOX_THRESHOLD: '2' }
  expect((await elfmem(['remember', 'Tea is at four'], { home, env })).out).not.toContain('elfmem dream')
  const { out } = await elfmem(['remember', 'Lunch is at one'], { home, env })
  expect(out).toContain('elfmem dream')
  const { out: json } = await elfmem(['status', '--json'], { home, env })
  expect(JSON.parse(json)).toMatchObject({ should_dream: true, auto_dream: { mode: 'off' } })
})
