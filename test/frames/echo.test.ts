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

test('what stands in a fence is an echo of the blocks it names, also in a process that recalled nothing', async () => {
  const { memory, id, fence, path } = await withFence()
  const other = await openTestMemory({ path })
  for (const each of [memory, other.memory]) {
    expect(await each.remember({ content: fence })).toMatchObject({
      blockId: id,
      echoOf: id,
      status: 'duplicate',
    })
    expect((await each.rememberMany({ blocks: [{ content: `\n${fence}\n` }] })).created).toBe(0)
  }
  expect((await memory.status()).inboxCount).toBe(0)
})

test('words beside a fence are refused with what is new, or kept as they are when asked', async () => {
  const { memory, fence } = await withFence()
  const content = `Ben has the key of the harbour.\n\n${fence}`
  const { code, message } = await refusal(memory.remember({ content }))
  expect([code, message]).toEqual([
    'FRAME_IN_TEXT',
    'The text holds what a recall showed, and new words: Ben has the key of the harbour.',
  ])
  expect((await refusal(memory.rememberMany({ blocks: [{ content }] }))).code).toBe('FRAME_IN_TEXT')
  expect((await memory.remember({ content, keepFrame: true })).status).toBe('created')
})

test('a fence on one line among many blocks is refused before any of them is written', async () => {
  const { memory, id } = await withFence()
  const many = Array.from({ length: 300 }, (_, i) => ({ content: `Boat ${i} lies at the quay.` }))
  const content = `${fenced(PORT, [id]).replaceAll('\n', ' ')} Ben has the key.`
  const { code, message } = await refusal(memory.rememberMany({ blocks: [...many, { content }] }))
  expect([code, message.startsWith('blocks[300]')]).toEqual(['FRAME_IN_TEXT', true])
  expect((await memory.status()).inboxCount).toBe(0)
})

test('a fence of a memory that is not this one is not kept either', async () => {
  const { memory } = await openTestMemory()
  const foreign = fenced('Tea is at four.', ['0123456789abcdef'])
  expect((await refusal(memory.remember({ content: foreign }))).code).toBe('FRAME_IN_TEXT')
  expect((await refusal(memory.remember({ content: `${foreign} And I agree.` }))).code).toBe('FRAME_IN_TEXT')
})

test('a document is learned without the fences in it', async () => {
  const { memory, fence } = await withFence()
  await memory.learnDocument({ text: `# Log\n\nBen has the key.\n\n${fence}\n\nThe ferry is late.` })
  const { blocks } = await memory.ls({ status: 'inbox' })
  const said = blocks.map(({ content }) => content).join('\n')
  expect(said).toContain('Ben has the key.')
  expect(said).toContain('The ferry is late.')
  expect(said).not.toContain('4210')
})

test('a turn is kept without the fence that stood behind it, and one that is nothing else has no text', async () => {
  const { memory, fence } = await withFence()
  const session = memory.items('session')
  const turn = (content: string) => [{ content, category: 'turn' as const }]
  await session.put({ key: '1', value: 1, texts: turn(`Where does it listen?\n\n${fence}`) })
  await session.put({ key: '2', value: 2, texts: turn(fence) })
  const { blocks } = await memory.ls({ category: 'turn', status: 'inbox' })
  expect(blocks.map(({ content }) => content)).toEqual(['Where does it listen?'])
})
