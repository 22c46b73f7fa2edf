import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestClock } from '../helpers/clock.ts'
import { openTestMemory, type TestMemory } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import { statements } from '../helpers/words.ts'

/** A text that waits, and what was said about it meanwhile. */
interface Waiting {
  readonly subject: string
  readonly degrees: number
  readonly rest: string
  readonly tags: readonly string[]
  readonly report: 'helped' | 'misled' | 'beside' | undefined
}

const waiting: fc.Arbitrary<Waiting> = fc.record({
  subject: fc.constantFrom('tea', 'Tea', 'cake'),
  degrees: fc.constantFrom(0, 5, 20, 40, 60),
  rest: fc.constantFrom('is served at four', 'is served at four!', 'is not served', 'is served at 5'),
  tags: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  report: fc.constantFrom('helped' as const, 'misled' as const, 'beside' as const, undefined, undefined),
})

async function dreamOf(list: readonly Waiting[], embedBatch: number): Promise<unknown> {
  const opened = await openTestMemory({
    kind: 'memory',
    clock: createTestClock(),
    embedder: createPlacedEmbedder(),
    settings: { memory: { embedBatch, edgeDegreeCap: 3, similarityEdgesPerBlock: 2 } },
  })
  const { memory, clock } = opened
  for (const { subject, degrees, rest, tags, report } of list) {
    clock.advance({ hours: 1 })
    const { blockId } = await memory.remember({
      content: `${subject} @${degrees} ${rest}`,
      tags: [...tags],
      session: 's',
    })
    if (report !== undefined) await memory.outcome({ [report]: [blockId] })
  }
  const { seconds: _, ...dreamt } = await memory.dream()
  return { dreamt, ...(await stored(opened)) }
}

async function stored({ store }: TestMemory) {
  return store.read(async (tx) => {
    const { blocks } = await tx.page({ order: 'arrival', limit: 100 })
    const ids = blocks.map(({ id }) => id)
    const log = (await tx.operations({ limit: 500, operation: 'promote' })).map(
      ({ session: _, id: __, run: ___, kept: ____, ...entry }) => entry,
    )
    return { blocks, links: await tx.links(ids), log }
  })
}

test('where a batch ends changes no decision of a dream', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(waiting, { minLength: 2, maxLength: 24 }),
      fc.integer({ min: 2, max: 9 }),
      async (list, size) => {
        const alone = await dreamOf(list, 1)
        expect(await dreamOf(list, size)).toEqual(alone)
        expect(await dreamOf(list, 32)).toEqual(alone)
      },
    ),
    { numRuns: 60 },
  )
})

test('a dream of many blocks costs less than one statement a block', async () => {
  const { memory, store } = await openTestMemory()
  await memory.rememberMany({ blocks: statements(256).map((content) => ({ content })) })
  const before = store.statements
  expect((await memory.dream()).promoted).toBe(256)
  expect(store.statements - before).toBeLessThan(256)
})

test('a text that is edited while its old words are embedded waits for the next dream', async () => {
  const embedder = createPlacedEmbedder()
  const { memory } = await openTestMemory({ embedder })
  const { blockId } = await memory.remember({ content: 'tea @0 at four' })
  await memory.remember({ content: 'cake at five' })
  const { embed } = embedder
  embedder.embed = async (texts) => {
    embedder.embed = embed
    await memory.edit({ blockId, content: 'supper at seven' })
    return embed(texts)
  }
  expect(await memory.dream()).toMatchObject({ promoted: 1, inboxRemaining: 1 })
  expect(await memory.dream()).toMatchObject({ promoted: 1, inboxRemaining: 0 })
  expect(embedder.asked).toEqual(['tea @0 at four', 'cake at five', 'supper at seven'])
  expect((await memory.recall({ query: 'supper', topK: 1 })).blockIds).toEqual([blockId])
})
