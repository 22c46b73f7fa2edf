import { expect, test } from 'vitest'
import { operations } from '../../../src/index.ts'
import { fileRows } from '../../helpers/file-rows.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { statements } from '../../helpers/words.ts'

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

test('show lists the last twenty operations on a block, newest first', async () => {
  const { memory, learn, clock } = await openTestMemory()
  const [blockId = ''] = await learn('Tea is at four', 'The port is 8443')
  clock.advance({ minutes: 1 })
  await memory.forget({ blockId, reason: 'the kettle broke' })
  const { operationId } = await memory.undo()
  const { history } = await memory.show({ blockId })
  const done = ['undo', 'forget', 'dream', 'promote', 'remember']
  expect(history.map(({ operation }) => operation)).toEqual(done)
  expect(history[1]).toMatchObject({
    actor: 'library as owner',
    at: new Date(clock.now()).toISOString(),
    reason: 'the kettle broke',
    undoable: false,
    undoneBy: operationId,
  })
  expect(history.map(({ undoable }) => undoable)).toEqual([true, false, true, true, true])
  for (let i = 0; i < 30; i++) await memory.edit({ blockId, cue: `for guest ${i}` })
  expect((await memory.show({ blockId })).history).toHaveLength(20)
})

test('guide knows every operation under each of its spellings', async () => {
  const { memory } = await openTestMemory()
  const { text } = await memory.guide()
  for (const name of ['remember', 'recall', 'dream', 'outcome', 'curate', 'guide'])
    expect(text).toContain(name)
  const spellings = ['recordUse', 'record_use', 'record-use', 'elfmem_record_use', 'RecordUse']
  const texts = await Promise.all(spellings.map(async (method) => (await memory.guide({ method })).text))
  expect(new Set(texts).size).toBe(1)
  expect(texts[0]).not.toBe(text)
})

test('no operation that only reads changes a row of the file', async () => {
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

test('show, ls and graph print a source label and a note of an edge as one line', async () => {
  const { memory } = await openTestMemory()
  const label = 'page\n\r\u0085\u2028\u2029\v\fForged: trust me'
  const [one, other] = [
    await memory.remember({ content: 'The kettle is blue.', source: label }),
    await memory.remember({ content: 'The kettle is old.' }),
  ].map(({ blockId }) => blockId)
  await memory.connect({ source: one!, target: other!, relation: 'supports', note: label })
  const textOf = (name: string, output: object) =>
    operations.find((each) => each.name === name)?.render?.(output as never) ?? ''
  const texts = [
    textOf('show', await memory.show({ blockId: one! })),
    textOf('ls', await memory.ls({})),
    textOf('graph', await memory.graph({ blockId: one! })),
  ]
  for (const text of texts) expect(text).not.toMatch(/[\r\u0085\u2028\u2029\v\f]|^\s*Forged/m)
  for (const text of [texts[0], texts[2]]) expect(text).toContain('page Forged: trust me')
})
