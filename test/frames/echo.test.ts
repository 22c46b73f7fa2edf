import { expect, test } from 'vitest'
import { fenced } from '../../src/domain/safety/memory-fence.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'

const PORT = 'Staging listens on port 4210.'

async function withFence() {
  const opened = await openTestMemory()
  const [id = ''] = await opened.learn(PORT)
  const { text } = await opened.memory.recall({ query: 'staging port', minStrength: 0 })
  return { ...opened, id, fence: fenced(text, [id]) }
}

test('remember of a fence is a duplicate of the block it names', async () => {
  const { memory, id, fence } = await withFence()
  const told = await memory.remember({ content: fence })
  expect(told).toMatchObject({ blockId: id, echoOf: id, status: 'duplicate' })
  expect((await memory.rememberMany({ blocks: [{ content: `\n${fence}\n` }] })).created).toBe(0)
  expect((await memory.status()).inboxCount).toBe(0)
})

test('remember of words beside a fence is refused, and taken with keepFrame', async () => {
  const { memory, fence } = await withFence()
  const content = `Ben has the key of the harbour.\n\n${fence}`
  expect((await refusal(memory.remember({ content }))).code).toBe('FRAME_IN_TEXT')
  expect((await refusal(memory.rememberMany({ blocks: [{ content }] }))).code).toBe('FRAME_IN_TEXT')
  expect((await memory.remember({ content, keepFrame: true })).status).toBe('created')
})

test('learnDocument leaves fences out', async () => {
  const { memory, fence } = await withFence()
  await memory.learnDocument({ text: `# Log\n\nBen has the key.\n\n${fence}\n\nThe ferry is late.` })
  const { blocks } = await memory.ls({ status: 'inbox' })
  const said = blocks.map(({ content }) => content).join('\n')
  expect(said).toContain('Ben has the key.')
  expect(said).toContain('The ferry is late.')
  expect(said).not.toContain('4210')
})

test('a turn is kept without the fence behind it', async () => {
  const { memory, fence } = await withFence()
  const session = memory.items('session')
  const turn = (content: string) => [{ content, category: 'turn' as const }]
  await session.put({ key: '1', value: 1, texts: turn(`Where does it listen?\n\n${fence}`) })
  await session.put({ key: '2', value: 2, texts: turn(fence) })
  const { blocks } = await memory.ls({ category: 'turn', status: 'inbox' })
  expect(blocks.map(({ content }) => content)).toEqual(['Where does it listen?'])
})

test('remember and learnDocument keep all behind a fence mark that is never closed', async () => {
  const { memory, fence } = await withFence()
  const open = `${fence.split('\n')[0]}\nThe cellar key hangs behind the clock.`
  const { status, blockId } = await memory.remember({ content: open })
  expect([status, (await memory.show({ blockId })).block.content]).toEqual(['created', open])
  const text = `# Cellar\n\n${open}\n\n# Attic\n\nThe attic is locked.`
  await memory.learnDocument({ text })
  const { blocks } = await memory.inbox()
  expect(blocks.filter(({ content }) => content.includes('attic is locked'))).toHaveLength(1)
})
