import { expect, test } from 'vitest'
import { fenced } from '../../src/block/text.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { fileOf } from '../imports/samples.ts'

const PORT = 'Staging listens on port 4210.'

/** Opens a memory with one block, and makes a fence around that block as another process may have written it. */
async function withFence() {
  const opened = await openTestMemory()
  const [id = ''] = await opened.learn(PORT)
  return { ...opened, id, fence: fenced(`[1] ${PORT}`, [id]) }
}

const turn = (content: string) => [{ content, category: 'turn' as const }]

test('a turn is kept without the fence behind it, and its item says how much was left out', async () => {
  const { memory, fence } = await withFence()
  const session = memory.items('session')
  const texts = turn(`Where does it listen?\n\n${fence}`)
  const own = await session.put({ key: '1', value: 1, texts })
  expect(own.leftOut).toEqual({ entries: 1, characters: `\n\n${fence}`.length })
  const alone = await session.put({ key: '2', value: 2, texts: turn(fence) })
  expect(alone.leftOut).toEqual({ entries: 1, characters: fence.length })
  const { blocks } = await memory.ls({ category: 'turn', status: 'inbox' })
  expect(blocks.map(({ content }) => content)).toEqual(['Where does it listen?'])
  expect(await session.get({ key: '1' })).not.toHaveProperty('leftOut')
})

test('importFrom leaves the fences of a chat out and says how much', async () => {
  const { memory, fence } = await withFence()
  const message = (text: string) => ({ sender: 'human', text })
  const chats = [
    { uuid: '1', name: 'Port', chat_messages: [message(`Where is it?\n\n${fence}`), message(fence)] },
  ]
  const path = fileOf('conversations.json', JSON.stringify(chats))
  const { created, leftOut, summary } = await memory.importFrom({ path })
  expect([created, leftOut]).toEqual([1, { entries: 2, characters: `\n\n${fence}${fence}`.length }])
  expect(summary).toContain('2 entries')
  const { blocks } = await memory.ls({ status: 'inbox' })
  expect(blocks.map(({ content }) => content)).toEqual(['Where is it?'])
})

test('all behind a fence mark that is never closed is kept as text', async () => {
  const { memory, fence } = await withFence()
  const open = `${fence.split('\n')[0]}\nThe cellar key hangs behind the clock.`
  const { status, blockId, leftOut } = await memory.remember({ content: open })
  expect([status, leftOut]).toEqual(['created', undefined])
  expect((await memory.show({ blockId })).block.content).toBe(open)
  const learnt = await memory.learnDocument({
    text: `# Cellar\n\n${open}\n\n# Attic\n\nThe attic is locked.`,
  })
  expect(learnt.leftOut).toBeUndefined()
  const put = await memory.items('session').put({ key: '1', value: 1, texts: turn(open) })
  expect(put.leftOut).toBeUndefined()
  const { blocks } = await memory.inbox()
  expect(blocks.filter(({ content }) => content.includes('attic is locked'))).toHaveLength(1)
  expect(blocks.filter(({ content }) => content === open)).toHaveLength(2)
})
