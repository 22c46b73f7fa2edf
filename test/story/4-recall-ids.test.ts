import { expect, test } from 'vitest'
import { estimateTokens } from '../../src/domain/text/text.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'

const TEA = 'Tea is at four in the blue kitchen'
const PORT = 'Staging listens on port 8443'
const ASKED = { query: 'tea in the kitchen', minStrength: 0 }

async function known() {
  const opened = await openTestMemory()
  const [tea = '', port = ''] = await opened.learn(TEA, PORT)
  return { ...opened, tea, port }
}

test('a recall ends its entries with the ids of their blocks when asked to, and keeps [n]', async () => {
  const { memory, tea } = await known()
  const { text } = await memory.recall({ ...ASKED, ids: true })
  expect(text).toMatch(
    new RegExp(`^\\[1\\] ${TEA} \\(\\d{4}-\\d\\d-\\d\\d[^()]*\\) \\(${tea.slice(0, 8)}\\)$`, 'm'),
  )
  expect((await memory.recall(ASKED)).text).not.toContain(tea.slice(0, 8))
})

test('principles and goals, which have no stamp, get their ids, too', async () => {
  const { memory } = await openTestMemory()
  await memory.setup({ values: ['Tell the truth'], principles: ['Be kind, be brief'] })
  await memory.dream()
  const { text, blockIds } = await memory.recall({ frame: 'self', ids: true })
  expect(blockIds.length).toBeGreaterThan(1)
  for (const id of blockIds) expect(text).toContain(` (${id.slice(0, 8)})`)
})

test('ids count for the budget', async () => {
  const { memory } = await known()
  const [bare, named] = [await memory.recall(ASKED), await memory.recall({ ...ASKED, ids: true })]
  expect(named.blockIds).toEqual(bare.blockIds)
  expect(named.budgetUsed).toBe(estimateTokens(named.text))
  expect(named.budgetUsed).toBeGreaterThan(bare.budgetUsed)
  const tight = await memory.recall({ ...ASKED, ids: true, tokenBudget: bare.budgetUsed })
  expect(estimateTokens(tight.text)).toBeLessThanOrEqual(bare.budgetUsed)
})

test.each([
  ['with ids as it was shown', true, true],
  ['without the ids it was shown with', true, false],
  ['with the ids it was shown without', false, true],
] as const)('a recall that is pasted back %s makes no copy', async (_, shown, pasted) => {
  const { memory, tea } = await known()
  // Another memory with the same blocks shows it so.
  const { text } = await (await known()).memory.recall({ ...ASKED, ids: pasted })
  const { blocks } = await memory.recall({ ...ASKED, ids: shown })
  expect(blocks.length).toBeGreaterThan(0)
  const line = text.split('\n').find((each) => each.includes(TEA)) ?? ''
  expect(line.includes(tea.slice(0, 8))).toBe(pasted)
  for (const said of [text, line])
    expect(await memory.remember({ content: said })).toMatchObject({ status: 'duplicate' })
})

test('words behind an id that is none of the block are new', async () => {
  const { memory } = await known()
  await memory.recall(ASKED)
  expect(await memory.remember({ content: `${TEA} (deadbeef)` })).toMatchObject({ status: 'created' })
})

test('a command shows ids with their blocks, and another command knows the text again', async () => {
  const home = temporaryDirectory()
  const told = JSON.parse((await elfmem(['remember', TEA, '--json'], { home })).out)
  const id = String(told.block_id).slice(0, 8)
  await elfmem(['dream'], { home })
  const { out } = await elfmem(['recall', 'tea in the kitchen'], { home })
  expect(out).toMatch(new RegExp(`^\\[1\\] ${TEA} \\([^()]*\\) \\(${id}\\)$`, 'm'))
  expect(out).not.toContain('ids: ')
  expect(out).toMatch(/^recall \d+$/m)
  const pasted = await elfmem(['remember', out.trim(), '--json'], { home })
  expect(JSON.parse(pasted.out)).toMatchObject({ status: 'duplicate', block_id: told.block_id })
  const bare = await elfmem(['recall', 'tea in the kitchen', '--no-ids'], { home })
  expect(bare.out).toContain(`ids: ${id} (recall `)
  const json = JSON.parse((await elfmem(['recall', 'tea in the kitchen', '--json'], { home })).out)
  expect(json.text).not.toContain(id)
})

test('a tool writes ids where it is asked to', async () => {
  const { memory, tea } = await known()
  const client = await connectClient(memory)
  const call = { name: 'elfmem_recall', arguments: { query: 'tea in the kitchen', ids: true } }
  const { structuredContent } = await client.callTool(call)
  expect((structuredContent as { text: string }).text).toContain(`) (${tea.slice(0, 8)})`)
})

test('a result says itself in one line with short ids', async () => {
  const { memory, tea, port } = await known()
  const said = String(await memory.recall({ query: 'tea', limit: 1, minStrength: 0 }))
  expect(said).toMatch(new RegExp(`^attention: 1 block, .* ids: ${tea.slice(0, 8)}$`))
  const joined = String(await memory.connect({ source: tea, target: port }))
  expect(joined).toContain(tea.slice(0, 8))
  expect(`${said} ${joined}`).not.toMatch(/[0-9a-f]{16}/)
})
