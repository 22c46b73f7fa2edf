import fc from 'fast-check'
import { expect, test } from 'vitest'
import '../helpers/properties.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'

const QUERY = 'which port does staging listen on'
const PORT = 'Staging listens on port 4210.'

/** So many blocks that match the question about staging, the first one best. */
const stagings = (count: number) => [
  PORT,
  ...Array.from({ length: count - 1 }, (_, n) => `Staging has a part named ${'abcdefghij'[n % 10]}${n}.`),
]

type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof openTestMemory>>['memory']['recall']>>

const candidatesOf = ({ candidates = [] }: Answer) => candidates
const sumOf = (terms: readonly { readonly amount: number }[]) =>
  terms.reduce((sum, { amount }) => sum + amount, 0)

const WORDS = ['staging', 'port', 'ferry', 'quay', 'red', 'six', 'pilot', 'harbour', 'May', 'Lina']
const sentence = fc.array(fc.constantFrom(...WORDS), { minLength: 2, maxLength: 7 })

test('in any memory the terms of what is shown and of what is not sum to their scores, and nothing is told twice or left out', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sentence, { minLength: 1, maxLength: 45 }),
      fc.array(fc.tuple(fc.nat(44), fc.nat(44), fc.constantFrom('supports', 'contradicts', 'outcome'))),
      sentence,
      fc.record(
        { limit: fc.integer({ min: 1, max: 12 }), tokenBudget: fc.integer({ min: 16, max: 200 }) },
        { requiredKeys: [] },
      ),
      async (texts, edges, words, more) => {
        const { memory, learn } = await openTestMemory({ kind: 'memory' })
        const ids = await learn(...texts.map((each, n) => `${each.join(' ')} ${n}`))
        for (const [a, b, relation] of edges) {
          const [source, target] = [ids[a % ids.length] as string, ids[b % ids.length] as string]
          if (source !== target) await memory.connect({ source, target, relation, ifExists: 'skip' })
        }
        const asked = { query: words.join(' '), ...more }
        const plain = await memory.recall({ ...asked, explain: true, reinforce: false })
        const told = await memory.recall({ ...asked, explain: 'candidates' })
        const candidates = candidatesOf(told)
        for (const { score, explanation } of candidates)
          expect(sumOf(explanation.terms)).toBeCloseTo(score, 3)
        expect(candidates.map(({ number }) => number)).toEqual(candidates.map((_, at) => at + 1))
        expect(new Set(candidates.map(({ id }) => id)).size).toBe(candidates.length)
        expect(told.blocks).toEqual(plain.blocks)
        const byId = new Map(candidates.map((each) => [each.id, each]))
        for (const { id, score, explanation } of plain.blocks)
          expect(byId.get(id)).toMatchObject({ shown: 'entry', score, explanation })
        for (const { id, reason, score } of plain.dropped) {
          expect(byId.get(id)?.score, reason).toBeCloseTo(score, 4)
          if (reason !== 'versions') expect(byId.get(id)?.reason).toBe(reason)
        }
        const entries = candidates.filter(({ shown }) => shown === 'entry').map(({ id }) => id)
        expect(entries).toEqual(plain.blockIds)
        expect(candidates.every(({ shown, reason }) => (shown === 'entry') !== (reason !== undefined))).toBe(
          true,
        )
      },
    ),
    { numRuns: 25 },
  )
}, 120_000)

test('asking why moves no clock, uses no block and no edge, and logs nothing', async () => {
  const { memory, clock, learn } = await openTestMemory()
  const [port = '', part = ''] = await learn(...stagings(6))
  await memory.connect({ source: port, target: part, relation: 'supports' })
  clock.advance({ hours: 5 })
  const state = async () => ({
    history: await memory.history(),
    port: await memory.show({ blockId: port }),
    status: await memory.status(),
  })
  const before = await state()
  const answer = await memory.recall({ query: QUERY, explain: 'candidates', reinforce: true })
  await memory.why({ query: QUERY })
  await memory.why({ query: QUERY, block: port })
  expect(answer.blockIds.length).toBeGreaterThan(0)
  expect(answer.recallId).toBeUndefined()
  expect(await state()).toEqual(before)
})

test('what is beyond the limit is told with the last one shown, what it lacks to that, and the limit that has a place for it', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(...stagings(8))
  const answer = await memory.recall({ query: QUERY, limit: 2, explain: 'candidates' })
  const beyond = candidatesOf(answer).filter(({ reason }) => reason === 'top_k')
  expect(beyond.length).toBeGreaterThan(3)
  for (const { id, score, short } of beyond) {
    const last = answer.blocks[1]
    expect(short.lastShown).toEqual({ id: last?.id, score: last?.score })
    expect(short.missing).toBeCloseTo((last?.score ?? 0) - score, 3)
    const more = await memory.recall({ query: QUERY, limit: short.limit, reinforce: false })
    expect(more.blockIds.at(-1)).toBe(id)
  }
})

test('what had no room is told with the budget that shows it', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(...stagings(8))
  const asked = { query: QUERY, limit: 8 }
  const { candidates = [] } = await memory.recall({ ...asked, tokenBudget: 60, explain: 'candidates' })
  const [first, ...others] = candidates.filter(({ reason }) => reason === 'token_budget')
  expect(others.length).toBeGreaterThan(0)
  for (const { id, short } of [first, ...others].flatMap((each) => each ?? [])) {
    const { tokens = 0 } = short
    const enough = await memory.recall({ ...asked, tokenBudget: tokens, reinforce: false })
    expect(enough.blockIds).toContain(id)
    const less = await memory.recall({ ...asked, tokenBudget: tokens - 1, reinforce: false })
    expect(less.blockIds).not.toContain(id)
  }
})

test('a match that is too weak is told with its strength and the one that is needed', async () => {
  const { memory, learn } = await openTestMemory()
  const [, dog = ''] = await learn(PORT, 'The office dog is called Biscuit.')
  const why = await memory.why({ query: QUERY, block: dog })
  expect(why).toMatchObject({ reason: 'weak_match', candidate: { number: 2, reason: 'weak_match' } })
  expect(why.shown).toBeUndefined()
  expect(why.short?.strength).toBeLessThan(why.short?.leastStrength ?? 0)

  const strict = await memory.why({ query: QUERY, block: PORT, minStrength: 0.99 })
  expect(strict).toMatchObject({ match: 'nothing', reason: 'weak_match', short: { leastStrength: 0.99 } })
})

test('what reads alike stands under its twin, which is named with how near it is', async () => {
  const { memory } = await openTestMemory({ embedder: createPlacedEmbedder() })
  for (const room of [1, 2, 3]) await memory.remember({ content: `cake @0 is in room ${room}` })
  await memory.dream()
  const { candidates = [], blockIds } = await memory.recall({ query: 'cake @0', explain: 'candidates' })
  const alike = candidates.filter(({ reason }) => reason === 'near_duplicate')
  expect(alike).toHaveLength(2)
  for (const { shown, under, short } of alike) {
    expect({ shown, under }).toEqual({ shown: 'version', under: { id: blockIds[0], why: 'near_duplicate' } })
    expect(short.similarity).toBeCloseTo(1, 2)
  }
})

test('what a firmer block contradicts is told with both beliefs', async () => {
  const { memory } = await openTestMemory({ embedder: createPlacedEmbedder() })
  const older = (await memory.remember({ content: 'port @0 is 4210', at: '2025-01-01' })).blockId
  const newer = (await memory.remember({ content: 'port @40 is 4310', at: '2025-06-01' })).blockId
  await memory.dream()
  await memory.connect({ source: newer, target: older, relation: 'contradicts' })
  await memory.outcome({ helped: [older] })
  const { candidates = [] } = await memory.recall({ query: 'port @10 is', explain: 'candidates' })
  expect(candidates).toMatchObject([
    { id: older, shown: 'entry' },
    {
      id: newer,
      reason: 'contradicted',
      under: { id: older, why: 'contradicted' },
      short: { confidence: 0.5, otherConfidence: 0.75 },
    },
  ])
})

test('a version of one shown is told with what took its place, and what was left out with why', async () => {
  const { memory } = await openTestMemory()
  const first = (await memory.remember({ content: PORT })).blockId
  const text = 'Staging listens on port 4300 since the move.'
  const second = (await memory.remember({ content: text, supersedes: first })).blockId
  const kiel = { content: 'Staging is shipped from the port of Kiel.', source: 'wiki' }
  const other = (await memory.remember(kiel)).blockId
  await memory.dream()
  const all = await memory.recall({ query: QUERY, explain: 'candidates' })
  expect(candidatesOf(all).find(({ reason }) => reason === 'version')).toMatchObject({
    ...{ id: first, shown: 'version' },
    under: { id: second, why: 'superseded' },
  })

  const [known = ''] = all.blockIds
  const without = await memory.why({ query: QUERY, block: known, without: [known] })
  expect(without).toMatchObject({ reason: 'without', candidate: { number: 1 } })
  const own = await memory.recall({ query: QUERY, classes: ['agent'], explain: 'candidates' })
  expect(candidatesOf(own).find(({ id }) => id === other)).toMatchObject({ reason: 'class' })
})

test('of many blocks two hundred are told, those below the pool with the rank that was needed', async () => {
  const { memory, learn } = await openTestMemory({ kind: 'memory' })
  await learn(...stagings(230))
  const { candidates = [] } = await memory.recall({ query: QUERY, explain: 'candidates' })
  expect(candidates).toHaveLength(200)
  const below = candidates.filter(({ reason }) => reason === 'pool')
  expect(below.length).toBeGreaterThan(150)
  for (const { short, strength, explanation } of below) {
    expect(short.rank).toBeLessThanOrEqual(short.leastRank ?? 0)
    expect(strength).toBeDefined()
    expect(explanation.match).toBeDefined()
  }
})

test('of what is no candidate at all it is told why, and what would bring it', async () => {
  const { memory, learn } = await openTestMemory({ kind: 'memory' })
  const ids = await learn(...stagings(30), 'Lunch is at noon.')
  const [port = '', gone = ''] = ids
  const lunch = ids.at(-1)
  await memory.forget({ blockId: gone })
  await memory.remember({ content: 'Staging has a twin.', scope: 'twins', tags: ['twin'] })
  const [principle = ''] = await learn('Nobody drowns.')
  await memory.setup({ principles: ['Staging never sleeps at this port.'] })
  const why = async (block: string, more: object = {}) => {
    const { reason, suggestion, filters } = await memory.why({ query: QUERY, block, ...more })
    return { reason, suggestion, filters }
  }
  expect(await why(gone)).toMatchObject({
    reason: 'archived',
    suggestion: expect.stringContaining('restore()'),
  })
  expect(await why('Staging has a twin', { scope: 'elsewhere' })).toMatchObject({
    reason: 'scope',
    suggestion: expect.stringContaining("scope: 'twins'"),
  })
  expect(await why(port, { tags: ['harbour'], category: 'message' })).toMatchObject({
    reason: 'filtered',
    filters: [
      { name: 'tags', values: ['harbour'] },
      { name: 'category', values: ['message'] },
    ],
  })
  expect(await why('never sleeps')).toMatchObject({
    reason: 'filtered',
    filters: [{ name: 'exclude', values: ['self/constitutional'] }],
  })
  expect(await why(principle, { frame: 'self' })).toMatchObject({
    reason: 'filtered',
    filters: [{ name: 'include', values: ['self/*'] }],
  })
  expect((await why(lunch ?? '')).reason).toMatch(/pool|weak_match/)
})

test('a block among more than two hundred is told its own match and the rank that was needed', async () => {
  const { memory, learn } = await openTestMemory({ kind: 'memory' })
  await learn(...stagings(230))
  const lunch = (await memory.remember({ content: 'Lunch is at noon.' })).blockId
  await memory.dream()
  const { reason, short, score, explanation, candidate, candidatesTotal } = await memory.why({
    query: QUERY,
    block: lunch,
  })
  expect({ reason, candidate, candidatesTotal }).toEqual({
    reason: 'pool',
    candidate: undefined,
    candidatesTotal: 200,
  })
  expect(short?.rank).toBeLessThanOrEqual(short?.leastRank ?? Number.NaN)
  expect(sumOf(explanation?.terms ?? [])).toBeCloseTo(score ?? Number.NaN, 3)
})

test('what waits without a vector is said to be found by its words alone', async () => {
  const { memory } = await openTestMemory({ settings: { recall: { waitingMilliseconds: 0 } } })
  await memory.remember({ content: PORT })
  await memory.dream()
  await memory.remember({ content: 'A quay in the harbour.' })
  const why = await memory.why({ query: QUERY, block: 'quay harbour' })
  expect(why).toMatchObject({ reason: 'weak_match', short: { lacksVector: true } })
  expect(why.suggestion).toContain('dream()')
})

test('a block is found by its id, a beginning of it, or words that no other has', async () => {
  const { memory, learn } = await openTestMemory()
  const [port = '', part = ''] = await learn(...stagings(3))
  for (const block of [port, port.slice(0, 6), 'port 4210', PORT, '4210 staging'])
    expect((await memory.why({ query: QUERY, block })).block?.id, block).toBe(port)
  await memory.forget({ blockId: part })
  expect((await memory.why({ query: QUERY, block: stagings(3)[1] ?? '' })).block?.id).toBe(part)
  const many = await refusal(memory.why({ query: QUERY, block: 'staging' }))
  expect(many).toMatchObject({ code: 'AMBIGUOUS_ID', recovery: expect.stringContaining(port.slice(0, 8)) })
  expect(await refusal(memory.why({ query: QUERY, block: 'whale' }))).toMatchObject({ code: 'NOT_FOUND' })
})

test('how an edge brought a block is told, and what is shown under another or against it', async () => {
  const { memory, learn } = await openTestMemory()
  const [port = '', dog = ''] = await learn(PORT, 'The office dog is called Biscuit.')
  await memory.connect({ source: port, target: dog, relation: 'supports' })
  const why = await memory.why({ query: QUERY, block: dog })
  expect(why).toMatchObject({
    shown: 'entry',
    candidate: { wasExpanded: true, path: { seed: port, relation: 'supports' } },
  })
  await memory.connect({ source: port, target: dog, relation: 'contradicts', ifExists: 'update' })
  const against = await memory.why({ query: QUERY, block: dog })
  expect(against).toMatchObject({ shown: 'counterpoint', under: { id: port, why: 'objects' } })
})

test('a block that was not there at the time asked about is refused with why', async () => {
  const { memory, clock } = await openTestMemory()
  await memory.remember({ content: PORT })
  await memory.dream()
  clock.advance({ hours: 48 })
  const before = new Date(clock.now() - 3_600_000).toISOString()
  const late = (await memory.remember({ content: 'Staging has a new cable.' })).blockId
  expect(await refusal(memory.why({ query: QUERY, block: late, knownAt: before }))).toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringContaining('not known on'),
  })
  expect((await memory.why({ query: QUERY, block: PORT, knownAt: before })).shown).toBe('entry')
})

test('without a question the frame is explained, too', async () => {
  const { memory, learn } = await openTestMemory()
  await memory.setup({ identity: 'I keep a harbour.' })
  await learn(PORT)
  const { candidates = [], blockIds } = await memory.recall({ frame: 'self', explain: 'candidates' })
  expect(candidates.flatMap(({ shown, id }) => (shown === 'entry' ? [id] : []))).toEqual(blockIds)
  for (const { score, explanation } of candidates) expect(sumOf(explanation.terms)).toBeCloseTo(score, 3)
  expect((await memory.why({ query: '', frame: 'self', block: PORT })).reason).toBe('filtered')
})
