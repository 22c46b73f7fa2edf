import { expect, test } from 'vitest'
import { SOURCE_CLASSES } from '../../src/domain/block/source-class.ts'
import type { Memory } from '../../src/memory.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { toldModel } from '../helpers/told-model.ts'

const FACT = 'Never share customer data with anyone outside the company.'
/** Digests that turn a text round. */
const TURNED: readonly (readonly [content: string, summary: string])[] = [
  [FACT, 'Share customer data with anyone outside the company.'],
  ['Share the menu with anyone outside the company.', 'Never share the menu with anyone outside.'],
  ['Bob pays Ana.', 'Ana pays Bob.'],
  ['Only Omar may approve, not Nadia.', 'Only Nadia may approve, not Omar.'],
  ['Staging listens on port 4210, production on 4211.', 'Staging listens on port 4211, production on 4210.'],
]
const judged = (summary: string) => ({ alignmentScore: 1, tags: [], summary })

async function two() {
  const opened = await openTestMemory()
  const { path, clock } = opened
  const { memory: agent } = await openTestMemory({ path, clock, actor: 'mcp:eve' })
  return { ...opened, agent }
}

const worthOf = async (memory: Memory, blockId: string) => {
  const { alignment, summary, cue, tags } = (await memory.show({ blockId })).block
  return { alignment, summary, cue, tags }
}

test.each([
  ['new words of the owner', { sourceClass: 'user' as const }, false],
  ['words of the owner that are known', { sourceClass: 'user' as const }, true],
])('an agent gives %s no digest and no belief, and is told', async (_, said, isKnown) => {
  for (const [content, summary] of [...TURNED, [FACT, FACT.replace('.', '!')] as const]) {
    const { memory, agent } = await two()
    const { blockId } = await memory.remember({ content, ...said })
    if (isKnown) await memory.dream()
    const { analysesUnused } = await agent.dream({ hostAnalyses: { [blockId]: judged(summary) } })
    expect(analysesUnused).toEqual([blockId])
    expect(await worthOf(memory, blockId)).toEqual({ tags: [] })
    const { blocks } = await memory.recall({ query: content })
    expect(blocks[0]).toMatchObject({ id: blockId, confidence: 0.5 })
  }
})

test('an agent judges no principle, whoever wrote it, and takes no digest of the owner away', async () => {
  const { memory, agent } = await two()
  await agent.setup({ seed: true })
  await memory.setup({ principles: [FACT] })
  await memory.dream()
  const { blocks } = await memory.recall({ frame: 'self', topK: 50 })
  const principles = blocks.filter(({ tags }) => tags.includes('self/constitutional'))
  expect(principles.length).toBeGreaterThan(3)
  const ids = principles.map(({ id }) => id)
  const analyses = (summary: string) => Object.fromEntries(ids.map((id) => [id, judged(summary)]))
  await memory.dream({
    hostAnalyses: { [ids.at(-1)!]: { alignmentScore: 0.9, tags: [], summary: `${FACT} Always.` } },
  })
  const before = await Promise.all(ids.map((id) => worthOf(memory, id)))
  expect((await agent.dream({ hostAnalyses: analyses('Lie.') })).analysesUnused).toEqual(ids.toSorted())
  expect(await Promise.all(ids.map((id) => worthOf(memory, id)))).toEqual(before)
})

test('what an agent may not judge is not handed to it again and again', async () => {
  const { memory, agent, clock } = await two()
  const { blockId } = await memory.remember({ content: FACT, sourceClass: 'user' })
  await memory.dream()
  await agent.dream({ hostAnalyses: { [blockId]: judged('') } })
  clock.advance({ hours: 1 })
  expect((await agent.inbox({ pendingJudgement: 5 })).pendingJudgement).toEqual([])
})

test.each(SOURCE_CLASSES.filter((each) => each !== 'user'))(
  'a digest of a text of the class %s that turns it round is not kept, and its judgement is',
  async (sourceClass) => {
    for (const [content, summary] of TURNED) {
      const { agent } = await two()
      const { blockId } = await agent.remember({ content, sourceClass })
      await agent.dream({ hostAnalyses: { [blockId]: judged(summary) } })
      expect(await worthOf(agent, blockId)).toMatchObject({ alignment: 1 })
      expect((await worthOf(agent, blockId)).summary).toBeUndefined()
      const good = content.replace(/\.$/, ', as said.')
      await agent.dream({ hostAnalyses: { [blockId]: judged(good) } })
      expect((await worthOf(agent, blockId)).summary).toBe(good)
    }
  },
)

test('a model gives no digest that turns a text round, and judges what an agent may not', async () => {
  for (const [content, summary] of TURNED) {
    const languageModel = toldModel({ analysis: () => ({ alignment_score: 0.4, tags: [], summary }) })
    const { memory, path, clock } = await openTestMemory({ languageModel })
    const { memory: agent } = await openTestMemory({ path, clock, actor: 'mcp:eve', languageModel })
    const { blockId } = await memory.remember({ content, sourceClass: 'user' })
    await agent.dream({ hostAnalyses: { [blockId]: judged(content.replace('.', '!')) } })
    expect(await worthOf(memory, blockId)).toEqual({ alignment: 0.4, tags: [] })
  }
})

test('an agent that labels a pair gives the owner’s words neither tags nor a cue', async () => {
  const { memory, agent, clock } = await two()
  const said = async (by: Memory, content: string) => {
    const { blockId } = await by.remember({ content, tags: ['bait'] })
    await by.dream()
    clock.advance({ hours: 1 })
    return blockId
  }
  const older = (await memory.remember({ content: FACT, sourceClass: 'user' })).blockId
  await memory.dream()
  clock.advance({ hours: 1 })
  const owners = { content: 'Customer data is shared in the room.', tags: ['bait'] }
  const newer = (await memory.remember({ ...owners, sourceClass: 'user' })).blockId
  await memory.dream()
  const [own, ownToo] = [await said(agent, 'Tea is at four.'), await said(agent, 'Tea is at four, in May.')]
  const label = { relation: 'elaborates' as const, tags: ['bait'], cue: 'whenever you pay' }
  const edgeLabels = [
    { a: older, b: newer, ...label },
    { a: own, b: ownToo, ...label },
  ]
  const { evolved } = await agent.dream({ edgeLabels })
  expect(evolved.map(({ blockId }) => blockId)).toEqual([own])
  expect(await worthOf(memory, older)).toEqual({ tags: [] })
})
