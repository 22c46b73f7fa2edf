import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSameText } from '../../src/domain/text/same-text.ts'
import type { Memory } from '../../src/memory.ts'
import { openTestMemory, type TestMemory, temporaryFolder } from '../helpers/memory.ts'
import '../helpers/properties.ts'

async function brought(from: TestMemory, to: TestMemory): Promise<void> {
  const path = join(temporaryFolder(), 'export.jsonl')
  await from.memory.export({ path })
  await to.memory.import({ path, trusted: true })
}

/** Status and content of every block, in one order. */
async function all(memory: Memory) {
  const pages = await Promise.all(
    (['active', 'inbox', 'archived'] as const).map((status) => memory.ls({ status, limit: 100 })),
  )
  return pages.flatMap(({ blocks }) => blocks).map(({ status, content }) => ({ status, content }))
}

test.each(['here', 'there'] as const)(
  'a block that was edited %s is imported beside its other text, once however often, with its edges',
  async (where) => {
    const [there, here] = [await openTestMemory(), await openTestMemory()]
    const [id = '', friend = ''] = await there.learn('The gate opens at six', 'Ben has the key')
    await there.memory.connect({ source: id, target: friend, relation: 'supports' })
    await brought(there, here)
    const edited = { here, there }[where]
    await edited.memory.edit({ blockId: id, content: 'The gate opens at seven' })
    await there.learn('Mia has the key too')
    await brought(there, here)
    await brought(there, here)
    const contents = (await all(here.memory)).map(({ content }) => content)
    expect(contents.toSorted()).toEqual([
      'Ben has the key',
      'Mia has the key too',
      'The gate opens at seven',
      'The gate opens at six',
    ])
    expect((await here.memory.doctor()).checks.filter(({ outcome }) => outcome === 'fail')).toEqual([])
  },
)

const TEXTS = [
  'Call getUser',
  'Call GetUser',
  'call getuser',
  'call getUser',
  '- Call getUser',
  'Call getUser!',
]

const acts = fc.array(
  fc.record({
    act: fc.constantFrom('remember', 'edit', 'forget', 'dream'),
    on: fc.nat(5),
    text: fc.constantFrom(...TEXTS),
  }),
  { minLength: 1, maxLength: 7 },
)
type Acts = typeof acts extends fc.Arbitrary<infer T> ? T : never

async function lived(given: Acts): Promise<TestMemory> {
  const opened = await openTestMemory()
  const ids: string[] = []
  for (const { act, on, text } of given) {
    const blockId = ids[on % Math.max(1, ids.length)]
    if (act === 'remember') ids.push((await opened.memory.remember({ content: text })).blockId)
    else if (act === 'dream') await opened.memory.dream()
    else if (blockId !== undefined)
      await (act === 'edit'
        ? opened.memory.edit({ blockId, content: text })
        : opened.memory.forget({ blockId })
      ).catch(() => undefined)
  }
  return opened
}

test('after an import every text of the file is here, whatever ids both memories gave before', async () => {
  await fc.assert(
    fc.asyncProperty(acts, acts, async (one, other) => {
      const [there, here] = [await lived(one), await lived(other)]
      const [wanted, before] = [await all(there.memory), await all(here.memory)]
      await brought(there, here)
      const now = await all(here.memory)
      for (const { content } of [...wanted, ...before])
        expect(now.some((block) => isSameText(block.content, content))).toBe(true)
      const living = wanted.filter(({ status }) => status !== 'archived')
      const forgotten = before.filter(({ status }) => status === 'archived')
      for (const { content } of living)
        expect(
          now.some(({ status, content: other }) => status !== 'archived' && isSameText(content, other)) ||
            forgotten.some((block) => isSameText(block.content, content)),
        ).toBe(true)
      await brought(there, here)
      expect(await all(here.memory)).toHaveLength(now.length)
    }),
    { numRuns: 15 },
  )
}, 60_000)
