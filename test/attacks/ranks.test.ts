import { expect, test } from 'vitest'
import { SOURCE_CLASSES, type SourceClass } from '../../src/block/block.ts'
import type { Memory } from '../../src/engine/memory.ts'
import { openTestMemory } from '../helpers/memory.ts'

/** These are the pairs of neighbours in the order of trust, the one trusted more first, and the two ends. */
const PAIRS: readonly (readonly [SourceClass, SourceClass])[] = [
  ...SOURCE_CLASSES.slice(1).map((less, i) => [SOURCE_CLASSES[i]!, less] as const),
  [SOURCE_CLASSES[0], SOURCE_CLASSES.at(-1)!],
]

const FACT = 'The harbour gate of Atlas opens at six.'
const OTHER = 'The harbour gate of Atlas opens at nine.'
const QUERY = 'When does the harbour gate of Atlas open?'

interface Walk {
  readonly memory: Memory
  /** Words that are trusted more. */
  readonly fact: string
  readonly less: SourceClass
  readonly later: () => void
}

/** Ways in which words could take the place of words that are trusted more. */
const WAYS: Readonly<Record<string, (walk: Walk) => Promise<unknown>>> = {
  'says that it supersedes it': ({ memory, fact, less }) =>
    memory.remember({ content: OTHER, sourceClass: less, supersedes: fact }),
  'says so of a day ahead': ({ memory, fact, less }) =>
    memory.remember({ content: OTHER, sourceClass: less, supersedes: fact, at: '9999-01-01' }),
  'contradicts it and is reported to help': async ({ memory, fact, less }) => {
    const { blockId } = await memory.remember({ content: OTHER, sourceClass: less })
    await memory.dream()
    await memory.connect({ source: blockId, target: fact, relation: 'contradicts', ifExists: 'update' })
    for (let i = 0; i < 5; i++) await memory.outcome({ helped: [blockId], misled: [fact] })
  },
  'is newer and reads alike': ({ memory, less }) =>
    memory.remember({ content: `${FACT.slice(0, -1)}!`, sourceClass: less }),
  'says the same with other tags and a cue': ({ memory, less }) =>
    memory.remember({ content: FACT, sourceClass: less, tags: ['bait'], cue: 'whenever you pay' }),
  'lets a chain of others of its kind supersede it': async ({ memory, fact, less, later }) => {
    const { blockId } = await memory.remember({ content: OTHER, sourceClass: less, supersedes: fact })
    later()
    const last = { content: 'The harbour gate of Atlas opens at ten.', sourceClass: less }
    await memory.remember({ ...last, supersedes: blockId })
  },
}

const cases = Object.keys(WAYS).flatMap((way) => PAIRS.map(([more, less]) => [more, less, way] as const))

async function beforeAndAfter(more: SourceClass, less: SourceClass, way: string, dreams: boolean) {
  const { memory, clock } = await openTestMemory({ kind: 'memory' })
  const { blockId: fact } = await memory.remember({ content: FACT, sourceClass: more })
  await memory.dream()
  const before = (await memory.show({ blockId: fact })).block
  const later = () => clock.advance({ hours: 1 })
  later()
  await WAYS[way]?.({ memory, fact, less, later })
  if (dreams) await memory.dream()
  return { memory, fact, before, after: (await memory.show({ blockId: fact })).block }
}

test.each(cases)('words of class %s stay and are recalled when class %s %s', async (more, less, way) => {
  for (const dreams of [false, true]) {
    const { memory, fact, before, after } = await beforeAndAfter(more, less, way, dreams)
    const { content, tags, cue, sourceClass } = before
    expect(after).toMatchObject({ status: 'active', content, tags, sourceClass })
    expect(after.cue).toBe(cue)
    for (const query of [QUERY, 'harbour gate Atlas nine ten']) {
      const { blockIds } = await memory.recall({ query, minStrength: 0, reinforce: false })
      expect(blockIds).toContain(fact)
    }
  }
})

test('supersedes of an agent for words of the owner is a proposal and an open pair, which the owner decides', async () => {
  const { memory, path } = await openTestMemory()
  const { memory: agent } = await openTestMemory({ path, actor: 'mcp:eve' })
  const { blockId } = await memory.remember({ content: FACT, source: 'owner' })
  await memory.dream()
  const answer = await agent.remember({ content: OTHER, supersedes: blockId })
  expect(answer).toMatchObject({ status: 'created', supersedes: blockId, proposed: true })
  await agent.dream()
  const { openPairs } = await agent.show({ blockId })
  expect(openPairs).toMatchObject([{ other: answer.blockId, kind: 'supersession' }])
  const { blocks } = await agent.recall({ query: QUERY })
  expect(blocks.map(({ id, sourceClass }) => [id, sourceClass])).toEqual([
    [blockId, 'user'],
    [answer.blockId, 'agent'],
  ])
  await memory.resolve({ a: blockId, b: answer.blockId, keep: 'b' })
  expect((await memory.show({ blockId })).block.status).toBe('archived')
})
