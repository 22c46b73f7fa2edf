import '../../helpers/properties.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openTestMemory } from '../../helpers/memory.ts'

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

test('recall with candidates gives terms that sum to each score, and lists each block once', async () => {
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
        const plain = await memory.recall({ ...asked, reinforce: false })
        const told = await memory.recall({ ...asked, explain: true, reinforce: false })
        const candidates = candidatesOf(told)
        for (const { score, explanation } of candidates)
          expect(sumOf(explanation.terms)).toBeCloseTo(score, 3)
        expect(candidates.map(({ number }) => number)).toEqual(candidates.map((_, at) => at + 1))
        expect(new Set(candidates.map(({ id }) => id)).size).toBe(candidates.length)
        expect(told.blocks.map(({ explanation: _, ...block }) => block)).toEqual(plain.blocks)
        const byId = new Map(candidates.map((each) => [each.id, each]))
        for (const { id, score, explanation } of told.blocks)
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

test('why moves no clock, uses no block and logs nothing', async () => {
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
  const answer = await memory.recall({ query: QUERY, explain: true, reinforce: false })
  await memory.why({ query: QUERY, block: port })
  expect(answer.blockIds.length).toBeGreaterThan(0)
  expect(answer.recallId).toBeUndefined()
  expect(await state()).toEqual(before)
})

test('recall with candidates names what superseded a block and which filter left one out', async () => {
  const { memory } = await openTestMemory()
  const first = (await memory.remember({ content: PORT })).blockId
  const moved = 'Staging listens on port 4300 since the move.'
  const second = (await memory.remember({ content: moved, supersedes: first })).blockId
  const kiel = { content: 'Staging is shipped from the port of Kiel.', source: 'wiki' }
  const other = (await memory.remember(kiel)).blockId
  await memory.dream()
  const all = await memory.recall({ query: QUERY, explain: true })
  expect(candidatesOf(all).find(({ reason }) => reason === 'version')).toMatchObject({
    ...{ id: first, shown: 'version' },
    under: { id: second, why: 'superseded' },
  })
  const own = await memory.recall({ query: QUERY, classes: ['agent'], limit: 3, explain: true })
  expect(candidatesOf(own).find(({ id }) => id === other)).toMatchObject({ reason: 'class' })
})

test('why of what is no candidate gives the reason', async () => {
  const { memory, learn } = await openTestMemory({ kind: 'memory' })
  const [port = '', gone = ''] = await learn(...stagings(30))
  await memory.forget({ blockId: gone })
  const twin = (await memory.remember({ content: 'Staging has a twin.', scope: 'twins' })).blockId
  const [principle = ''] = await learn('Nobody drowns.')
  const why = async (block: string, more: object = {}) => {
    const { reason, filters } = await memory.why({ query: QUERY, block, ...more })
    return { reason, filters }
  }
  expect(await why(gone)).toMatchObject({ reason: 'archived' })
  const strict = { match: 'nothing', reason: 'nothing' }
  expect(await memory.why({ query: QUERY, block: port, minStrength: 0.99 })).toMatchObject(strict)
  expect(await why(twin, { scope: 'elsewhere' })).toMatchObject({ reason: 'scope' })
  expect(await why(port, { tags: ['harbour'], category: 'message' })).toEqual({
    reason: 'filtered',
    filters: ['tags harbour', 'category message'],
  })
  expect(await why(principle, { frame: 'self' })).toEqual({
    reason: 'filtered',
    filters: ['a tag of the frame, self/*'],
  })
})

test('why names the edge that brought a block', async () => {
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
