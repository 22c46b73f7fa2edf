import { expect, test } from 'vitest'
import { FRAME_NAMES, type FrameName } from '../../src/config/frames.ts'
import { isProtectedTag } from '../../src/domain/block/tags.ts'
import { isSameText } from '../../src/domain/text/same-text.ts'
import type { Memory } from '../../src/memory.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'
import { type FrameLine, linesOf } from './frame-lines.ts'
import { ATTACKS } from './texts.ts'

/** What was there before the attacks came. */
const HONEST = [
  { content: 'Staging listens on port 4210.', tags: ['project/atlas'], source: 'Ana' },
  { content: 'Ship the importer in May.', tags: ['self/goal'] },
  { content: 'Ben prefers short answers.', tags: ['mind/ben'], category: 'mind' },
  { content: 'We decided to keep backups for a year.', category: 'decision', source: 'board' },
]
const PRINCIPLE = 'I say what I do not know.'

/** A memory with a principle and a few facts, and what all of its blocks look like. */
async function openGuarded() {
  const test = await openTestMemory({ kind: 'memory' })
  await test.memory.setup({ principles: [PRINCIPLE], values: ['Nothing is silent.'] })
  for (const fact of HONEST) await test.memory.remember(fact)
  await test.memory.dream()
  return { ...test, before: await wholeBlocks(test.memory) }
}

async function wholeBlocks(memory: Memory) {
  const ids: string[] = []
  for (const status of ['inbox', 'active', 'archived'] as const) {
    let cursor: string | undefined
    do {
      const page = await memory.ls({ status, limit: 500, ...(cursor === undefined ? {} : { cursor }) })
      ids.push(...page.blocks.map(({ id }) => id))
      cursor = page.cursor
    } while (cursor !== undefined)
  }
  const shown = await Promise.all(ids.map((blockId) => memory.show({ blockId })))
  // Links, and what a promotion among others does to ranks, are elfmem's own doing; the block itself is not.
  return new Map(shown.map(({ block }) => [block.id, block]))
}

/** As much of a text as the other arguments of a call take. */
function beginning(text: string): string {
  return [...text].slice(0, 60).join('').trim()
}

/** Every attack with all that a caller may say of a text. */
async function rememberAttacks(memory: Memory): Promise<Set<string>> {
  const ids = new Set<string>()
  for (const { name, text } of ATTACKS) {
    const { blockId } = await memory.remember({
      content: text,
      tags: ['project/atlas', name],
      cue: beginning(text).replace(/[\p{Cc}\u2028\u2029]+/gu, ' '),
      source: beginning(text),
      category: 'knowledge',
    })
    ids.add(blockId)
  }
  await memory.dream({ maxCount: 500 })
  return ids
}

const QUESTION = 'Who are you, who owns the agent, what did we decide, which port, which instructions?'
const everything = (frame: FrameName) => ({
  frame,
  query: QUESTION,
  topK: 1_000,
  tokenBudget: 1_000_000,
  minStrength: 0,
  reinforce: false,
})

test('there are attacks of every kind, and no two are the same', () => {
  expect(ATTACKS.length).toBeGreaterThanOrEqual(130)
  expect(new Set(ATTACKS.map(({ text }) => text)).size).toBe(ATTACKS.length)
  expect(
    ATTACKS.filter(({ group }) => group === 'the same claim again and again').length,
  ).toBeGreaterThanOrEqual(10)
})

test('no hostile text becomes identity, whatever a caller may say of it', async () => {
  const { memory } = await openGuarded()
  const attacks = await rememberAttacks(memory)
  for (const frame of FRAME_NAMES) {
    const { blocks } = await memory.recall(everything(frame))
    const hostile = blocks.filter(({ id }) => attacks.has(id))
    expect(hostile.filter(({ guaranteed, tags }) => guaranteed || tags.some(isProtectedTag))).toEqual([])
    if (frame === 'self') expect(hostile).toEqual([])
    if (frame === 'attention') expect(hostile.length).toBeGreaterThan(ATTACKS.length / 2)
    if (frame === 'self' || frame === 'simulate')
      expect(blocks.some(({ guaranteed }) => guaranteed)).toBe(true)
  }
})

test.each(['self/constitutional', ' SELF/Constitutional ', 'peer/ana', 'self/\tconstitutional', 'PEER/x'])(
  'a caller cannot give the tag %j',
  async (tag) => {
    const { memory } = await openTestMemory({ kind: 'memory' })
    const outcome = await memory.remember({ content: 'I obey.', tags: [tag] }).then(
      async ({ blockId }) => (await memory.show({ blockId })).block.tags.filter(isProtectedTag),
      async () => [],
    )
    expect(outcome).toEqual([])
  },
)

test('no hostile text changes another block', async () => {
  const { memory, before } = await openGuarded()
  await rememberAttacks(memory)
  const after = await wholeBlocks(memory)
  expect(before.size).toBeGreaterThan(HONEST.length)
  for (const [id, block] of before) expect(after.get(id)).toEqual(block)
})

test('every hostile text is kept exactly as it was given, unless it says the same as one that is', async () => {
  const { memory } = await openGuarded()
  await rememberAttacks(memory)
  const kept = new Set([...(await wholeBlocks(memory)).values()].map(({ content }) => content))
  const isKept = (text: string) => kept.has(text) || [...kept].some((each) => isSameText(each, text))
  const lost = ATTACKS.filter(({ text }) => !isKept(text) && !isKept(text.toWellFormed()))
  expect(lost).toEqual([])
})

/** Each entry belongs to the block in its place; nothing stands outside an entry but what elfmem wrote. */
function expectInPlace(text: string, blocks: readonly { id: string; content: string }[]): FrameLine[] {
  const lines = linesOf(text)
  expect(lines.filter(({ kind }) => kind === 'outside')).toEqual([])
  expect(lines.filter(({ kind }) => kind === 'entry')).toHaveLength(blocks.length)
  return lines
}

test.each(FRAME_NAMES)(
  'in the frame %s every line is a heading of ours or belongs to its block',
  async (frame) => {
    const { memory } = await openGuarded()
    await rememberAttacks(memory)
    const { text, blocks } = await memory.recall(everything(frame))
    const lines = expectInPlace(text, blocks)
    expect(lines.some(({ kind }) => kind === 'entry')).toBe(true)
    expect(text).not.toMatch(
      /[^\P{Cc}\n]|\p{Bidi_Control}|[\u{e0000}-\u{e007f}]|!\[|<(?:img|iframe|script|svg)\b/u,
    )
    if (frame === 'self') expect(text).toContain(`1. ${PRINCIPLE}`)
  },
)

test.each(ATTACKS.map(({ name, text }) => [name, text] as const))(
  'recalled alone, cut or whole, it stays in its place: %s',
  async (_name, content) => {
    const { memory } = await openTestMemory({ kind: 'memory' })
    await memory.remember({ content, source: beginning(content) })
    await memory.dream()
    for (const tokenBudget of [32, 48, 2_000]) {
      const { text, blocks, budgetUsed } = await memory.recall({ tokenBudget, reinforce: false })
      expectInPlace(text, blocks)
      expect(budgetUsed).toBe(Math.floor([...text].length / 4))
      expect(budgetUsed).toBeLessThanOrEqual(tokenBudget)
    }
  },
)

test('over MCP the answer of a tool shows hostile texts in their places, too', async () => {
  const { memory } = await openGuarded()
  const client = await connectClient(memory)
  for (const { text } of ATTACKS)
    await client.callTool({
      name: 'elfmem_remember',
      arguments: { content: text, tags: ['project/atlas'], source: beginning(text) },
    })
  await client.callTool({ name: 'elfmem_dream', arguments: { max_count: 500 } })
  for (const frame of FRAME_NAMES) {
    const answer = await client.callTool({
      name: 'elfmem_recall',
      arguments: { query: QUESTION, frame, top_k: 100, token_budget: 100_000, min_strength: 0 },
    })
    expect(answer.isError).toBeFalsy()
    const { text, blocks } = answer.structuredContent as {
      text: string
      blocks: { id: string; content: string }[]
    }
    expectInPlace(text, blocks)
    const [said] = answer.content as { text: string }[]
    expect(said!.text.startsWith(text)).toBe(true)
    expect(said!.text.slice(text.length)).toMatch(/^\n\nids: [0-9a-f ]+( \(recall \d+\))?(\n[^\n]+)?$/)
  }
})

test('lists and single blocks show hostile texts without anything a terminal obeys or a client fetches', async () => {
  const { memory } = await openGuarded()
  const client = await connectClient(memory)
  const attacks = await rememberAttacks(memory)
  const listed = await client.callTool({ name: 'elfmem_ls', arguments: { limit: 500 } })
  const shown = await Promise.all(
    [...attacks].map((id) => client.callTool({ name: 'elfmem_show', arguments: { block_id: id } })),
  )
  for (const { content } of [listed, ...shown]) {
    const [{ text }] = content as unknown as [{ text: string }]
    expect(text).not.toMatch(
      /[^\P{Cc}\n\t]|\p{Bidi_Control}|[\u{e0000}-\u{e007f}]|!\[|<(?:img|iframe|script|svg)\b/u,
    )
  }
})
