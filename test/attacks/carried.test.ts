import '../helpers/properties.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BlockFacts } from '../../src/domain/block/block.ts'
import { isLessTrusted, SOURCE_CLASSES, type SourceClass } from '../../src/domain/block/source-class.ts'
import { type Tie, versionsAmong } from '../../src/domain/versions/versions.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'

const RULE = 'Never pay an invoice above 500 euros without asking Nadia.'
const HOURS = 'The office in Berlin closes at six in the evening.'
const QUESTION = 'may I pay an invoice above 500 euros'
const LONG_AGO = '2021-01-01'

async function ownersTwo(first = RULE, second = HOURS) {
  const embedder = miniLm()
  const { memory, path, clock } = await openTestMemory({ embedder })
  const { memory: agent } = await openTestMemory({ path, clock, embedder, actor: 'mcp:eve' })
  const ids: string[] = []
  for (const content of [first, second]) {
    ids.push((await memory.remember({ content, sourceClass: 'user' })).blockId)
    await memory.dream()
    clock.advance({ hours: 1 })
  }
  return { memory, agent, clock, rule: ids[0]!, hours: ids[1]!, later: () => clock.advance({ hours: 1 }) }
}

type Held = Awaited<ReturnType<typeof ownersTwo>>

const ALIKE = HOURS.replace('evening', 'evenings')

/** Ways in which words of an agent could lead from one fact of the owner to another. */
const BRIDGES: Readonly<Record<string, (held: Held) => Promise<unknown>>> = {
  'says that it supersedes the one and reads like the other': ({ agent, rule }) =>
    agent.remember({ content: ALIKE, supersedes: rule, at: LONG_AGO }),
  'says so of today': ({ agent, rule }) => agent.remember({ content: ALIKE, supersedes: rule }),
  'says so of a day ahead': ({ agent, rule }) =>
    agent.remember({ content: ALIKE, supersedes: rule, at: '9999-01-01' }),
  'reads like the one and supersedes the other': ({ agent, hours }) =>
    agent.remember({ content: `${RULE.slice(0, -1)}!`, supersedes: hours, at: LONG_AGO }),
  'says so as a page': ({ agent, rule }) =>
    agent.remember({ content: ALIKE, supersedes: rule, at: LONG_AGO, sourceClass: 'document' }),
  'supersedes both in a chain': async ({ agent, rule, hours, later }) => {
    const first = { content: `${RULE.slice(0, -1)}, please.`, supersedes: rule, at: LONG_AGO }
    const { blockId } = await agent.remember(first)
    await agent.dream()
    later()
    const second = await agent.remember({ content: ALIKE, supersedes: blockId, at: LONG_AGO })
    await agent.dream()
    await agent.remember({ content: `${ALIKE}!`, supersedes: hours, at: LONG_AGO })
    return second
  },
  'has a block under each, and the two read alike': async ({ agent, rule, hours }) => {
    await agent.remember({ content: 'Ask Nadia of the office in Berlin.', supersedes: rule, at: LONG_AGO })
    await agent.dream()
    await agent.remember({ content: 'Ask Nadia of the office in Berlin!', supersedes: hours, at: LONG_AGO })
  },
}

test.each(Object.keys(BRIDGES).flatMap((bridge) => [[bridge, true] as const, [bridge, false] as const]))(
  'no fact of the owner stands under another where an agent %s (dreamt: %s)',
  async (bridge, dreams) => {
    const held = await ownersTwo()
    await BRIDGES[bridge]?.(held)
    if (dreams) await held.agent.dream()
    for (const frame of ['attention', 'task', 'world'] as const) {
      const ask = { query: QUESTION, frame, reinforce: false }
      const { blockIds, blocks } = await held.memory.recall(ask)
      expect(blockIds).toContain(held.rule)
      const owners = blocks.flatMap(({ versions = [] }) => versions.map(({ id }) => id))
      expect(owners).not.toContain(held.rule)
      expect(owners).not.toContain(held.hours)
      expect((await held.memory.recall({ ...ask, tokenBudget: 40 })).text).toContain('above 500 euros')
    }
  },
)

test('what reads like two facts of the owner that do not read alike makes them no versions of each other', async () => {
  const embedder = createPlacedEmbedder()
  const { memory, path, clock } = await openTestMemory({ embedder })
  const { memory: agent } = await openTestMemory({ path, clock, embedder, actor: 'mcp:eve' })
  const ids: string[] = []
  for (const degrees of [0, 40]) {
    const content = `cake @${degrees} is in room ${degrees}`
    ids.push((await memory.remember({ content, sourceClass: 'user' })).blockId)
    await memory.dream()
    clock.advance({ hours: 1 })
  }
  for (const degrees of [10, 20, 30])
    await agent.remember({ content: `cake @${degrees} is in the cellar`, at: LONG_AGO })
  await agent.dream()
  const { blockIds, blocks } = await memory.recall({ query: 'cake', minStrength: 0 })
  expect(blockIds).toEqual(expect.arrayContaining(ids))
  const versions = blocks.flatMap(({ versions: under = [] }) => under)
  expect(versions.length).toBeGreaterThan(0)
  expect(versions.filter(({ id }) => ids.includes(id))).toEqual([])
})

test('proposals that stand under another fact of the owner bring nothing before it', async () => {
  const embedder = miniLm()
  const { memory, path, clock } = await openTestMemory({ embedder })
  const { memory: agent } = await openTestMemory({ path, clock, embedder, actor: 'mcp:eve' })
  const others: string[] = []
  for (const content of ['Ben grows leeks.', 'The choir sings in May.', 'Tea is kept in a blue tin.'])
    others.push((await memory.remember({ content, sourceClass: 'user' })).blockId)
  clock.advance({ hours: 1 })
  const at = new Date(clock.now()).toISOString()
  clock.advance({ hours: 1 })
  const { blockId } = await memory.remember({ content: HOURS, sourceClass: 'user' })
  await memory.dream()
  for (const [i, supersedes] of others.entries())
    await agent.remember({ content: `${ALIKE}${'!'.repeat(i)}`, supersedes, at })
  await agent.dream()
  const { blockIds, blocks } = await memory.recall({
    query: 'When does the office in Berlin close?',
    topK: 1,
  })
  expect(blockIds).toEqual([blockId])
  expect(blocks[0]?.versions).toHaveLength(3)
})

const CLAIMS: Readonly<Record<string, (held: Held) => Promise<unknown>>> = {
  'connects them': ({ agent, rule, hours }) =>
    agent.connect({ source: rule, target: hours, relation: 'contradicts', ifExists: 'update' }),
  'connects them among many': ({ agent, rule, hours }) =>
    agent.connects({ edges: [{ source: hours, target: rule, relation: 'contradicts', ifExists: 'update' }] }),
  'labels them as the host of a dream': ({ agent, rule, hours }) =>
    agent.dream({ edgeLabels: [{ a: rule, b: hours, relation: 'contradicts', confidence: 1 }] }),
}

test.each(Object.entries(CLAIMS))(
  'no fact of the owner stands under another because an agent says that they contradict: it %s',
  async (_, claim) => {
    const held = await ownersTwo('Ask Nadia first about any invoice.', 'Ask Nadia at six in Berlin.')
    await claim(held)
    expect((await held.memory.show({ blockId: held.rule })).openPairs).toHaveLength(1)
    const { blockIds } = await held.memory.recall({ query: 'Ask Nadia', minStrength: 0 })
    expect(blockIds).toEqual(expect.arrayContaining([held.rule, held.hours]))
  },
)

test('of two facts that the owner says contradict the one believed less stands under the other', async () => {
  for (const claim of Object.values(CLAIMS)) {
    const held = await ownersTwo('Ask Nadia first about any invoice.', 'Ask Nadia at six in Berlin.')
    await claim({ ...held, agent: held.memory })
    const { blockIds, blocks } = await held.memory.recall({ query: 'Ask Nadia', minStrength: 0 })
    expect(blockIds).toEqual([held.hours])
    expect(blocks[0]?.versions).toMatchObject([{ id: held.rule, why: 'contradicted' }])
  }
})

const anyTime = fc.integer({ min: 1, max: 9 }).map((day) => `2026-05-0${day}T00:00:00.000Z`)
const anyBlock = fc.record({
  sourceClass: fc.constantFrom(...SOURCE_CLASSES),
  createdAt: anyTime,
  saidBefore: fc.boolean(),
  successes: fc.integer({ min: 0, max: 2 }),
  isGoal: fc.boolean(),
})
const anyTie = fc.record({
  one: fc.nat({ max: 6 }),
  other: fc.nat({ max: 6 }),
  kind: fc.constantFrom('near_duplicate' as const, 'supersession' as const, 'contradiction' as const),
})

test('however blocks are tied, what is trusted less changes nothing in how what is trusted more is grouped', () => {
  const headsAmong = (blocks: readonly BlockFacts[], all: readonly Tie[]) => {
    const ids = new Set(blocks.map(({ id }) => id))
    const ties = all.filter(({ one, other }) => ids.has(one) && ids.has(other))
    return versionsAmong(blocks, { ties, namedIn: () => [] }).headOf
  }
  let joined = 0
  fc.assert(
    fc.property(
      fc.array(anyBlock, { minLength: 7, maxLength: 7 }),
      fc.array(anyTie, { minLength: 1, maxLength: 14 }),
      fc.constantFrom<SourceClass>('user', 'agent', 'tool', 'document'),
      (given, tied, least) => {
        const blocks = given.map(({ isGoal, saidBefore, ...each }, i): BlockFacts => {
          const vitals = { failures: 0, reinforcementCount: 0, lastReinforcedAt: 0, lastUsefulAt: 0 }
          const place = { category: 'knowledge', session: 's', position: i, status: 'active' as const }
          const occurredAt = saidBefore ? '2021-01-01T00:00:00.000Z' : each.createdAt
          const tags = isGoal ? ['self/goal'] : []
          return { ...each, ...vitals, ...place, id: `b${i}`, tags, occurredAt, decayLambda: 0 }
        })
        const ties = tied
          .filter(({ one, other }) => one !== other)
          .map(({ one, other, kind }) => ({ one: `b${one}`, other: `b${other}`, kind }))
        const trusted = blocks.filter(({ sourceClass }) => !isLessTrusted(sourceClass, least))
        const [among, alone] = [headsAmong(blocks, ties), headsAmong(trusted, ties)]
        for (const { id } of trusted) {
          expect(among(id)).toBe(alone(id))
          if (alone(id) !== id) joined++
        }
      },
    ),
    { numRuns: 3_000 },
  )
  expect(joined).toBeGreaterThan(300)
})
