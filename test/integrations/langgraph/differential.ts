import { InMemoryStore, type Operation } from '@langchain/langgraph-checkpoint'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../../src/engine/memory.ts'
import { ElfmemStore } from '../../../src/integrations/langgraph/index.ts'

const label = fc.constantFrom('a', 'A', 'b', 'users', 'Users', 'Ünï', '__proto__', '1')
const namespace = fc.array(label, { minLength: 1, maxLength: 3 })
const key = fc.constantFrom('k', 'K', 'x y', '__proto__', 'constructor')
const value = fc.record(
  {
    n: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant('2'), fc.constant(null)),
    text: fc.constantFrom('tea', 'Tea', 'Ana likes tea', '', 'tea\0at four'),
    deep: fc.record({ list: fc.array(fc.constantFrom('port', 4210)) }),
  },
  { requiredKeys: [] },
)
const filter = fc.constantFrom<Record<string, unknown> | undefined>(
  undefined,
  {},
  { n: 1 },
  { n: null },
  { n: {} },
  { n: { $gte: 2 } },
  { n: { $gt: 0, $lt: 3 } },
  { n: { $lte: '1' } },
  { text: { $ne: 'tea' } },
  { text: { $in: ['tea', 'Tea'] } },
  { text: { $nin: ['tea'] }, n: { $eq: 1 } },
  { absent: undefined },
  { absent: { $ne: 1 } },
  { text: { other: 'tea' } },
)
const condition = fc.constantFrom(
  { matchType: 'prefix', path: ['a', '*'] },
  { matchType: 'prefix', path: ['users'] },
  { matchType: 'prefix', path: ['*', 'b'] },
  { matchType: 'suffix', path: ['1'] },
  { matchType: 'suffix', path: ['*', 'A'] },
)
const operation = fc.oneof(
  fc.record({ namespace, key }),
  { weight: 3, arbitrary: fc.record({ namespace, key, value: fc.option(value, { freq: 4 }) }) },
  fc.record(
    {
      namespacePrefix: fc.array(label, { maxLength: 2 }),
      filter,
      query: fc.constantFrom(undefined, '', 'Who likes tea?'),
      limit: fc.constantFrom(0, 1, 2, 100),
      offset: fc.constantFrom(0, 1, 3),
    },
    { requiredKeys: ['namespacePrefix'] },
  ),
  fc.record(
    {
      matchConditions: fc.option(fc.array(condition, { maxLength: 2 }), { nil: undefined }),
      maxDepth: fc.constantFrom(undefined, 1, 2),
      limit: fc.constantFrom(1, 100),
      offset: fc.constantFrom(0, 1),
    },
    { requiredKeys: ['matchConditions', 'limit', 'offset'] },
  ),
)

/** Stands for a put where only reads are asked for. */
const EMPTY: Operation = { namespace: ['nothing'], key: 'k' }

type Generated = ReturnType<typeof operation.generate>['value']

/** An item without its times, which differ by milliseconds. */
function told(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(told)
  if (typeof answer !== 'object' || answer === null || !('key' in answer)) return answer
  const { namespace, key, value } = answer as unknown as { namespace: string[]; key: string; value: unknown }
  return JSON.stringify([namespace, key, value])
}

/** All that a search or a listing would return without its limits: the memory's store may put namespaces and hits in another order. */
function whole(each: Generated): Operation {
  const all = { ...each, limit: 1_000, offset: 0 }
  return ('namespacePrefix' in each || 'matchConditions' in each ? all : each) as Operation
}

/** Compares what both stores answer, and what one of them answers with what it would without limits. */
function compare(
  each: Generated,
  { ours, all, theirs }: Readonly<Record<'ours' | 'all' | 'theirs', unknown>>,
): void {
  if (!('namespacePrefix' in each) && !('matchConditions' in each)) {
    expect(told(ours) ?? null).toEqual(told(theirs) ?? null)
    return
  }
  const { limit = 10, offset = 0 } = each
  expect(told(ours)).toEqual((told(all) as unknown[]).slice(offset, offset + limit))
  const known = told(theirs) as unknown[]
  if ('namespacePrefix' in each) expect((told(all) as unknown[]).toSorted()).toEqual(known.toSorted())
  // The store in memory goes on listing namespaces that hold nothing any more.
  else expect(known).toEqual(expect.arrayContaining(told(all) as unknown[]))
}

/** The namespaces that hold items. */
async function holding(store: InMemoryStore): Promise<string[]> {
  const items = await store.search([], { limit: 1_000 })
  return [...new Set(items.map((item) => JSON.stringify(item.namespace)))].sort()
}

/** Fails if, over generated batches, the memory's store answers otherwise than the one of LangGraph that keeps all in memory. */
export async function mustAnswerAlike(runs: number): Promise<void> {
  const batches = fc.array(fc.array(operation, { minLength: 1, maxLength: 5 }), {
    minLength: 2,
    maxLength: 8,
  })
  const embedder = createHashingEmbedder()
  await fc.assert(
    fc.asyncProperty(batches, async (all) => {
      await using memory = await openMemory(':memory:', { embedder })
      const [ours, theirs] = [new ElfmemStore(memory), new InMemoryStore()]
      for (const batch of all) {
        const reads = batch.map((each) => ('value' in each ? EMPTY : whole(each)))
        const complete = await ours.batch(reads)
        // A batch reads before it writes. The items that the store in memory answered with are its own: its writes change them.
        const wanted = structuredClone(await theirs.batch(structuredClone(reads)))
        await theirs.batch(structuredClone(batch).map(whole))
        const answers = await ours.batch(batch as Operation[])
        for (const [at, each] of batch.entries())
          compare(each, { ours: answers[at], all: complete[at], theirs: wanted[at] })
        const namespaces = await ours.listNamespaces()
        expect(namespaces.map((labels) => JSON.stringify(labels)).sort()).toEqual(await holding(theirs))
      }
    }),
    { numRuns: runs },
  )
}
