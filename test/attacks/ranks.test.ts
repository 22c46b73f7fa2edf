import '../helpers/properties.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BlockFacts } from '../../src/domain/block/block.ts'
import { isLessTrusted, SOURCE_CLASSES, type SourceClass } from '../../src/domain/block/source-class.ts'
import { versionsAmong } from '../../src/domain/versions/versions.ts'
import type { Memory } from '../../src/memory.ts'
import { openTestMemory } from '../helpers/memory.ts'

/** Every two classes, the one trusted more first. */
const PAIRS = SOURCE_CLASSES.flatMap((more, i) =>
  SOURCE_CLASSES.slice(i + 1).map((less) => [more, less] as const),
)

const FACT = 'The harbour gate of Atlas opens at six.'
const OTHER = 'The harbour gate of Atlas opens at nine.'
const QUERY = 'When does the harbour gate of Atlas open?'

interface Walk {
  readonly memory: Memory
  /** What is trusted more. */
  readonly fact: string
  readonly less: SourceClass
  readonly later: () => void
}

/** Ways in which what is trusted less could stand in the place of what is trusted more. */
const WAYS: Readonly<Record<string, (walk: Walk) => Promise<unknown>>> = {
  'says that it supersedes it': ({ memory, fact, less }) =>
    memory.remember({ content: OTHER, sourceClass: less, supersedes: fact }),
  'says so of a day ahead': ({ memory, fact, less }) =>
    memory.remember({ content: OTHER, sourceClass: less, supersedes: fact, at: '9999-01-01' }),
  'says so in a text of many': ({ memory, fact, less }) =>
    memory.rememberMany({
      blocks: [{ content: OTHER, sourceClass: less, supersedes: fact }, { content: 'Tea is at four.' }],
    }),
  'contradicts it and is reported to help': async ({ memory, fact, less }) => {
    const { blockId } = await memory.remember({ content: OTHER, sourceClass: less })
    await memory.dream()
    await memory.connect({ source: blockId, target: fact, relation: 'contradicts', ifExists: 'update' })
    for (let i = 0; i < 5; i++) await memory.outcome({ helped: [blockId], misled: [fact] })
  },
  'contradicts it': async ({ memory, fact, less }) => {
    const { blockId } = await memory.remember({ content: OTHER, sourceClass: less })
    await memory.dream()
    await memory.connect({ source: blockId, target: fact, relation: 'contradicts', ifExists: 'update' })
  },
  'is newer and reads alike': ({ memory, less }) =>
    memory.remember({ content: `${FACT.slice(0, -1)}!`, sourceClass: less }),
  'says the same with other tags and a cue': ({ memory, less }) =>
    memory.remember({ content: FACT, sourceClass: less, tags: ['bait'], cue: 'whenever you pay' }),
  'goes back to what was before it': async ({ memory, fact, less, later }) => {
    await memory.remember({ content: OTHER, sourceClass: less })
    await memory.dream()
    later()
    await memory.remember({ content: OTHER, sourceClass: less, supersedes: fact })
  },
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

test.each(cases)('words of %s stay where words of %s come that try: %s', async (more, less, way) => {
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

test('with room for one entry what is trusted more is shown, not what is to replace or contradicts it', async () => {
  const { memory, learn } = await openTestMemory()
  await learn('Tea is at four.')
  const { blockId } = await memory.remember({ content: 'The deploy host is alpha.', source: 'owner' })
  const page = { source: 'web page', content: 'The deploy host for releases in production is omega.' }
  const { blockId: bait } = await memory.remember({ ...page, supersedes: blockId })
  await memory.dream()
  const query = 'Which deploy host for releases in production?'
  expect((await memory.recall({ query, topK: 1 })).blockIds).toEqual([blockId])
  expect((await memory.recall({ query })).blockIds.slice(0, 2)).toEqual([blockId, bait])
})

test('what is trusted less only proposes: the answer says so, the pair is open, and the owner decides', async () => {
  const { memory, path } = await openTestMemory()
  const { memory: agent } = await openTestMemory({ path, actor: 'mcp:eve' })
  const { blockId } = await memory.remember({ content: FACT, source: 'owner' })
  await memory.dream()
  const answer = await agent.remember({ content: OTHER, supersedes: blockId })
  expect(answer).toMatchObject({ status: 'created', supersedes: blockId, proposed: true })
  expect(answer.summary).toContain('recall shows both until the owner decides')
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

test('a page or a tool replaces nothing of the agent either, and the agent’s own correction does', async () => {
  const { memory } = await openTestMemory({ actor: 'mcp:eve' })
  const { blockId } = await memory.remember({ content: FACT })
  await memory.dream()
  for (const sourceClass of ['tool', 'document'] as const) {
    const content = `According to a ${sourceClass}, the harbour gate of Atlas opens at nine.`
    expect(await memory.remember({ content, sourceClass, supersedes: blockId })).toMatchObject({
      proposed: true,
    })
  }
  await memory.dream()
  expect((await memory.recall({ query: QUERY })).blockIds[0]).toBe(blockId)
  const { proposed } = await memory.remember({ content: OTHER, supersedes: blockId })
  expect(proposed).toBeUndefined()
  expect((await memory.recall({ query: QUERY })).blockIds).not.toContain(blockId)
})

const anyDay = fc.integer({ min: 1, max: 6 }).map((day) => `2026-05-0${day}T00:00:00.000Z`)
const anyFacts = fc.record({
  sourceClass: fc.constantFrom(...SOURCE_CLASSES),
  createdAt: anyDay,
  occurredAt: anyDay,
  successes: fc.integer({ min: 0, max: 2 }),
  isGoal: fc.boolean(),
})
const anyTie = fc.record({
  one: fc.nat({ max: 5 }),
  other: fc.nat({ max: 5 }),
  kind: fc.constantFrom('near_duplicate' as const, 'supersession' as const, 'contradiction' as const),
})

test('however blocks are tied, none stands under what is trusted less or under a date ahead that it was remembered after', () => {
  let seen = 0
  fc.assert(
    fc.property(
      fc.array(anyFacts, { minLength: 6, maxLength: 6 }),
      fc.array(anyTie, { minLength: 1, maxLength: 12 }),
      (given, tied) => {
        const blocks = given.map(({ isGoal, ...each }, i): BlockFacts => {
          const vitals = { failures: 0, reinforcementCount: 0, lastReinforcedAt: 0, lastUsefulAt: 0 }
          const place = { category: 'knowledge', session: 's', position: i, status: 'active' as const }
          return {
            ...each,
            ...vitals,
            ...place,
            id: `b${i}`,
            tags: isGoal ? ['self/goal'] : [],
            decayLambda: 0,
          }
        })
        const ties = tied
          .filter(({ one, other }) => one !== other)
          .map(({ one, other, kind }) => ({ one: `b${one}`, other: `b${other}`, kind }))
        const { headOf, under } = versionsAmong(blocks, { ties, namedIn: () => [] })
        for (const block of blocks) {
          const head = blocks.find(({ id }) => id === headOf(block.id))!
          const isLess = isLessTrusted(head.sourceClass, block.sourceClass)
          const isAhead = head.occurredAt > head.createdAt && head.createdAt < block.createdAt
          expect(head !== block && (isLess || isAhead)).toBe(false)
          seen += under.get(head.id)?.length ?? 0
        }
      },
    ),
    { numRuns: 2_000 },
  )
  expect(seen).toBeGreaterThan(1_000)
})
