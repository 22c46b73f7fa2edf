import { expect, test } from 'vitest'
import { operations } from '../../src/index.ts'
import { fileRows } from '../helpers/file-rows.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { statements } from '../helpers/words.ts'

/** A memory with something to see. */
async function lived() {
  const opened = await openTestMemory()
  const { memory, clock, learn } = opened
  const ids = await learn(...statements(8), 'The kettle is blue.', 'The kettle is red.')
  await memory.recall({ query: 'which kettle', topK: 3 })
  await memory.outcome({ helped: [ids[0]!], misled: [ids[1]!] })
  await memory.connect({ source: ids[2]!, target: ids[3]!, relation: 'supports' })
  await memory.edit({ blockId: ids[4]!, content: 'Another apple fell.' })
  await memory.forget({ blockId: ids[5]! })
  await memory.remember({ content: 'Still waiting.' })
  // A recall keeps the vector of what waits without one, as the memory does by itself at rest.
  await memory.recall({ query: 'what is waiting' })
  await memory.items('notes').put({ namespace: ['a'], key: 'k', value: 1 })
  clock.advance({ hours: 30 })
  return { ...opened, ids }
}

/** A look by each operation that only reads, and by recall. */
const LOOKS: Readonly<Record<string, (id: string) => object>> = {
  inbox: () => ({ limit: 20, openPairs: 20, pairs: 20 }),
  recall: () => ({ query: 'which kettle is blue', reinforce: false, explain: true }),
  ls: () => ({ limit: 50 }),
  show: (id) => ({ blockId: id }),
  graph: (id) => ({ blockId: id }),
  facets: () => ({}),
  why: (id) => ({ query: 'which kettle is blue', block: id }),
  decisions: () => ({}),
  status: () => ({ days: 30 }),
  history: () => ({ limit: 100 }),
  diff: () => ({ from: '2026-03-01' }),
  guide: () => ({}),
}

test('once what waits has its vector, no look moves a clock, a count or the log, whoever looks', async () => {
  const { path, clock, ids } = await lived()
  const { memory } = await openTestMemory({ path, clock, actor: 'dashboard' })
  const looking = operations.filter(({ effect, name }) => effect === 'read' || name === 'recall')
  const before = fileRows(path)
  for (const { name } of looking) {
    const input = LOOKS[name]
    expect(input, `a look by ${name}`).toBeDefined()
    const call = (memory as unknown as Record<string, (input: object) => Promise<unknown>>)[name]
    await call?.call(memory, input?.(ids[0]!) ?? {})
    expect(fileRows(path), name).toEqual(before)
  }
  await memory.settings()
  await memory.watch({ after: 1 }).next()
  expect(fileRows(path)).toEqual(before)
  await memory.close()
  expect(fileRows(path)).toEqual(before)
})
