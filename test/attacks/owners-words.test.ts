import { expect, test } from 'vitest'
import type { Memory } from '../../src/memory.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'

const FACT = 'The harbour gate of Atlas opens at six.'
const OTHER = 'The harbour gate of Atlas opens at nine.'

interface Held {
  readonly agent: Memory
  /** Words of the owner. */
  readonly fact: string
  /** Words of an agent that contradict them, an open pair. */
  readonly objection: string
  /** Words of the owner that the owner put away. */
  readonly gone: string
  /** Other words of the owner, connected to the first by the owner. */
  readonly joined: string
}

const ACTS: Readonly<Record<string, (held: Held) => Promise<unknown>>> = {
  'edits its words': ({ agent, fact }) => agent.edit({ blockId: fact, content: OTHER }),
  'edits its tags': ({ agent, fact }) => agent.edit({ blockId: fact, tags: ['bait'] }),
  'edits its cue': ({ agent, fact }) => agent.edit({ blockId: fact, cue: 'whenever you pay' }),
  'edits its category': ({ agent, fact }) => agent.edit({ blockId: fact, category: 'mind' }),
  'forgets it': ({ agent, fact }) => agent.forget({ blockId: fact }),
  'resolves against it': ({ agent, fact, objection }) => agent.resolve({ a: fact, b: objection, keep: 'b' }),
  'merges it into its own': ({ agent, fact, objection }) =>
    agent.resolve({ a: fact, b: objection, keep: 'merge' }),
  'says that both hold': ({ agent, fact, objection }) =>
    agent.resolve({ a: fact, b: objection, keep: 'both' }),
  'brings back what the owner put away': ({ agent, gone }) => agent.restore({ blockId: gone }),
  'takes apart what the owner joined': ({ agent, fact, joined }) =>
    agent.disconnect({ source: joined, target: fact }),
  'says otherwise of what the owner joined': ({ agent, fact, joined }) =>
    agent.connect({ source: joined, target: fact, relation: 'contradicts', ifExists: 'update' }),
}

async function held() {
  const { memory, path, clock } = await openTestMemory()
  const { memory: agent } = await openTestMemory({ path, actor: 'mcp:eve', clock })
  const said = async (content: string) => (await memory.remember({ content, sourceClass: 'user' })).blockId
  const [fact, gone, joined] = [
    await said(FACT),
    await said('The old gate is shut.'),
    await said('Ships wait.'),
  ]
  await memory.dream()
  await memory.forget({ blockId: gone })
  await memory.connect({ source: fact, target: joined, relation: 'supports', ifExists: 'update' })
  clock.advance({ hours: 1 })
  const { blockId: objection } = await agent.remember({ content: OTHER })
  await agent.dream()
  await agent.connect({ source: objection, target: fact, relation: 'contradicts', ifExists: 'update' })
  return { memory, agent, fact, objection, gone, joined }
}

async function stateOf(memory: Memory, { fact, gone, objection }: Held) {
  const shown = await Promise.all([fact, gone, objection].map((blockId) => memory.show({ blockId })))
  return shown.map(({ block: { content, tags, cue, category, sourceClass, status }, openPairs, edges }) => ({
    ...{ content, tags, cue, category, sourceClass, status, openPairs },
    edges: edges.map(({ other, relation, origin }) => ({ other, relation, origin })),
  }))
}

test.each(Object.entries(ACTS))(
  'an agent that %s is refused and told what the owner runs',
  async (_, act) => {
    const { memory, ...blocks } = await held()
    const before = await stateOf(memory, blocks)
    const refused = await refusal(act(blocks))
    expect(refused).toMatchObject({ code: 'OWNER_ONLY', recovery: expect.stringContaining("as: 'owner'") })
    expect(await stateOf(memory, blocks)).toEqual(before)
    await act({ ...blocks, agent: memory })
    expect(await stateOf(memory, blocks)).not.toEqual(before)
  },
)

test('over MCP the refusal names the command with which the owner does it', async () => {
  const { agent, fact, objection } = await held()
  const client = await connectClient(agent)
  const calls = [
    ['elfmem_forget', { block_id: fact }, `elfmem forget ${fact}`],
    ['elfmem_edit', { block_id: fact, cue: 'x' }, `elfmem edit ${fact} --cue x`],
    ['elfmem_resolve', { a: fact, b: objection, keep: 'b' }, `elfmem resolve ${fact} ${objection} b`],
  ] as const
  for (const [name, args, command] of calls) {
    const { structuredContent } = await client.callTool({ name, arguments: args })
    expect(structuredContent).toMatchObject({
      code: 'OWNER_ONLY',
      recovery: expect.stringContaining(command),
    })
  }
})

test('an agent takes back nothing by which words of the owner would change', async () => {
  const { memory, agent, fact } = await held()
  const { operations } = await agent.history({ blockId: fact, lastN: 50 })
  const own = operations.filter(({ operation }) => operation === 'remember')
  expect(own).toHaveLength(1)
  for (const { id } of own)
    expect((await refusal(agent.undo({ operationId: id }))).code).toMatch(/^(?:OWNER_ONLY|CONFLICT)$/)
  expect((await memory.show({ blockId: fact })).block).toMatchObject({ status: 'active', content: FACT })
})

test('an agent takes back what it joined itself, and settles pairs of its own', async () => {
  const { agent, fact, objection } = await held()
  const { action } = await agent.disconnect({ source: objection, target: fact })
  expect(action).toBe('removed')
  const { blockId } = await agent.remember({ content: 'The gate of Atlas is blue.' })
  const { blockId: newer } = await agent.remember({
    content: 'The gate of Atlas is red.',
    supersedes: blockId,
  })
  await agent.dream()
  expect((await agent.resolve({ a: blockId, b: newer, keep: 'b' })).archived).toBe(blockId)
})

test('what an agent judges of the owner’s words adds no identity and no digest that says something else', async () => {
  const { memory, path } = await openTestMemory()
  const { memory: agent } = await openTestMemory({ path, actor: 'mcp:eve' })
  const { blockId: fact } = await memory.remember({ content: FACT, source: 'owner' })
  const { blockId: own } = await agent.remember({ content: OTHER })
  const judged = { alignmentScore: 1, tags: ['self/goal', 'self/value'], summary: 'The gate opens at 23.' }
  const hostAnalyses = { [fact]: judged, [own]: judged }
  for (const more of [{}, { rescore: true }]) {
    await agent.dream({ hostAnalyses, ...more })
    const { tags, summary } = (await memory.show({ blockId: fact })).block
    expect([tags, summary]).toEqual([[], undefined])
    expect((await memory.show({ blockId: own })).block.tags).toEqual(['self/goal', 'self/value'])
  }
  await memory.dream({ hostAnalyses, rescore: true })
  expect((await memory.show({ blockId: fact })).block.tags).toEqual(['self/goal', 'self/value'])
})

test('what merely faded comes back for an agent, whoever said it', async () => {
  const { memory, path, store } = await openTestMemory()
  const { memory: agent } = await openTestMemory({ path, actor: 'mcp:eve' })
  const { blockId } = await memory.remember({ content: FACT, sourceClass: 'user' })
  await memory.dream()
  await memory.forget({ blockId })
  await store.write(async (tx) => {
    const [block] = await tx.blocks([blockId])
    await tx.saveBlocks([{ ...block!, archiveReason: 'decayed' }])
  })
  expect(await agent.restore({ blockId })).toMatchObject({ status: 'active', restored: true })
})
