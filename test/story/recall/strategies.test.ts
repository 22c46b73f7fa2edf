import { expect, test } from 'vitest'
import type { SourceClass } from '../../../src/block/block.ts'
import type { Memory } from '../../../src/engine/memory.ts'
import { openTestMemory } from '../../helpers/memory.ts'

const SITUATION = 'the staging deploy fails with a timeout'
const STRATEGY = `When ${SITUATION}, restart the cache proxy and warm it.`
const OTHERS = [
  'The staging deploy fails with a timeout on most Mondays.',
  'The cache proxy listens on port 8080.',
  'The office dog is called Biscuit.',
].map((content) => ({ content }))
const HEADING = '## What worked before'

/** Reports on a strategy after a question of its own. */
async function report(memory: Memory, query: string, says: object): Promise<number> {
  const { recallId } = await memory.recall({ query, frame: 'task' })
  return (await memory.outcome({ recallId, ...says })).operationId as number
}

/** Remembers a strategy and other notes, and reports that the strategy helped. */
async function prove(memory: Memory, sourceClass?: SourceClass): Promise<string> {
  const words = { content: STRATEGY, category: 'strategy', ...(sourceClass && { sourceClass }) }
  const { blockId } = await memory.remember(words)
  await memory.rememberMany({ blocks: OTHERS })
  await memory.dream()
  await report(memory, SITUATION, { helped: [blockId] })
  return blockId
}

const textFor = async (memory: Memory, query: string, more: object = {}) =>
  (await memory.recall({ query, frame: 'task', reinforce: false, ...more })).text

test('the task frame shows a strategy first once it helped, and the same text while nothing changes', async () => {
  const { memory } = await openTestMemory()
  const blockId = await prove(memory)
  const text = await textFor(memory, SITUATION)
  expect(text.startsWith(`${HEADING}\n[1] ${STRATEGY}`)).toBe(true)
  expect(text.split(STRATEGY)).toHaveLength(2)
  expect(await textFor(memory, SITUATION)).toBe(text)
  expect((await memory.recall({ query: SITUATION, frame: 'task' })).blockIds[0]).toBe(blockId)
  const elsewhere = await textFor(memory, 'timeout of a deploy', { frame: 'attention' })
  expect(elsewhere.indexOf('Mondays')).toBeLessThan(elsewhere.indexOf(STRATEGY))
  const asked = { query: 'timeout of a deploy', frame: 'task', reinforce: false, explain: true } as const
  const { text: shown, candidates = [] } = await memory.recall(asked)
  expect(shown).toContain(HEADING)
  const rules = candidates.find(({ id }) => id === blockId)?.explanation.rules
  expect(rules).toContainEqual({ rule: 'proven', block: expect.any(String) })
  expect(await textFor(memory, SITUATION, { tokenBudget: 80 })).not.toContain(HEADING)
})

test('a strategy that nobody reported on, or that misled more than it helped, is an ordinary entry', async () => {
  const { memory } = await openTestMemory()
  const blockId = await prove(memory)
  const operationId = await report(memory, `${SITUATION} again`, { misled: [blockId] })
  expect(await textFor(memory, SITUATION)).toContain(STRATEGY)
  expect(await textFor(memory, SITUATION)).not.toContain(HEADING)
  await memory.undo({ operationId })
  expect(await textFor(memory, SITUATION)).toContain(HEADING)
  const { operations } = await memory.history({ operation: 'outcome' })
  await memory.undo({ operationId: operations[0]?.id as number })
  expect(await textFor(memory, SITUATION)).not.toContain(HEADING)
})

test('a proven strategy stands first for its situation or its cue alone', async () => {
  const { memory } = await openTestMemory()
  const blockId = await prove(memory)
  const doing = 'restart the cache proxy'
  for (const query of [doing, 'what is the office dog called?'])
    expect(await textFor(memory, query)).not.toContain(HEADING)
  await memory.edit({ blockId, cue: doing })
  expect(await textFor(memory, doing)).toContain(HEADING)
})

test.each(['tool', 'document', 'peer', 'model'] as const)(
  'words of a %s are no proven strategy',
  async (sourceClass) => {
    const { memory } = await openTestMemory()
    await prove(memory, sourceClass)
    const text = await textFor(memory, SITUATION)
    expect(text).toContain(STRATEGY)
    expect(text).not.toContain(HEADING)
  },
)
