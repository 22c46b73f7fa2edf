import { expect, test } from 'vitest'
import { conversationFrames } from '../../src/frames/index.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'
import { connectClient } from './helpers/roads.ts'

const QUERY = 'Which port does staging use?'
const FIRST = /^Perhaps .*\(probability \d\.\d\d\)/
/** No answer is a match. */
const NO_MATCH = { recall: { matchFrom: 1 } }

async function openUnsure() {
  const { memory, learn } = await openTestMemory({ settings: NO_MATCH })
  await learn('Staging listens on port 4210.')
  return memory
}

/** Expects that a text says once how sure it is: in its first line. */
function expectDoubt(text: string): void {
  expect(text).toMatch(FIRST)
  expect(text.match(/probability/g)).toHaveLength(1)
  expect(text).toContain('port 4210')
}

test('recall of the library that is no match says so first in its text', async () => {
  const memory = await openUnsure()
  const { text, match } = await memory.recall({ query: QUERY })
  expect(match).toBe('perhaps')
  expectDoubt(text)
})

test('elfmem_recall over MCP that is no match says so first in its text, and nowhere else', async () => {
  const client = await connectClient(await openUnsure())
  const { content } = await client.callTool({ name: 'elfmem_recall', arguments: { query: QUERY } })
  const [first] = content as readonly { readonly text: string }[]
  expectDoubt(first?.text ?? '')
})

test('elfmem recall of the command line that is no match says so first, and nowhere else', async () => {
  const world = { home: temporaryDirectory(), env: { ELFMEM_RECALL_MATCH_FROM: '1' } }
  await elfmem(['remember', 'Staging listens on port 4210.'], world)
  await elfmem(['dream'], world)
  expectDoubt((await elfmem(['recall', QUERY], world)).out)
})

test('the frame behind a message that is no match says so first', async () => {
  const frames = conversationFrames(await openUnsure(), { conversation: 'c' })
  const [behind = ''] = await frames.behind([{ key: 'm', text: QUERY }])
  expectDoubt(behind.split('\n').slice(1).join('\n'))
})

test('a frame that was shown and is pasted back makes no copy, with the line that says how sure it is', async () => {
  const memory = await openUnsure()
  const { text, blockIds } = await memory.recall({ query: QUERY })
  const { blockId } = await memory.remember({ content: text })
  expect(blockId).toBe(blockIds[0])
})
