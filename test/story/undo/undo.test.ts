import { expect, test } from 'vitest'
import type { Memory } from '../../../src/engine/memory.ts'
import { ElfmemError } from '../../../src/errors.ts'
import { join } from '../../helpers/edges.ts'
import { openTestMemory, refusal, type TestMemory } from '../../helpers/memory.ts'
import { dumpOf } from '../../undo/dump.ts'

const [ROSES, TULIPS, PORT, TEA] = [
  'Roses want sun and water in the garden',
  'Tulips want sun and water in the garden',
  'Staging listens on port 8443',
  'Tea is at four',
]

/** A memory with four active blocks and one that waits; all it is, and what is done to it. */
async function garden(): Promise<TestMemory & { readonly ids: readonly string[]; readonly waiting: string }> {
  const opened = await openTestMemory()
  const ids = await opened.learn(ROSES, TULIPS, PORT, TEA)
  await opened.memory.connect({ source: ids[0]!, target: ids[2]!, relation: 'supports' })
  await opened.memory.connect({ source: ids[1]!, target: ids[2]!, relation: 'contradicts' })
  const { blockId: waiting } = await opened.memory.remember({ content: 'Lilies want shade' })
  opened.clock.advance({ minutes: 5 })
  return { ...opened, ids, waiting }
}

type Doing = (memory: Memory, ids: readonly string[], waiting: string) => Promise<unknown>

/** Each operation in its plain form is undone in [operation-id](../../undo/operation-id.test.ts). */
const DOINGS: readonly (readonly [name: string, doing: Doing])[] = [
  ['remember', (memory) => memory.remember({ content: 'Ferns want rain' })],
  [
    'a second remember of the same',
    (memory) => memory.remember({ content: TEA, tags: ['habit'], cue: 'at four' }),
  ],
  ['edit of tags and cue', (memory, [rose]) => memory.edit({ blockId: rose!, tags: ['a'], cue: 'in May' })],
  ['edit of a waiting block', (memory, _, waiting) => memory.edit({ blockId: waiting, content: 'Lilies' })],
  [
    'outcome about blocks',
    (memory, ids) => memory.outcome({ helped: [ids[0]!, ids[3]!], misled: [ids[2]!] }),
  ],
  ['outcome about a set', (memory, ids) => memory.outcome({ signal: 1, blockIds: [...ids], about: 'set' })],
  ['outcome of a waiting block', (memory, _, waiting) => memory.outcome({ helped: [waiting] })],
  ['resolve', (memory, ids) => memory.resolve({ a: ids[1]!, b: ids[2]!, keep: 'a' })],
  ['setup', (memory) => memory.setup({ identity: 'I keep a garden', seed: true })],
]

/** The operation in the way that a refused undo names. */
async function laterThan(memory: Memory, operationId: number): Promise<unknown> {
  const refused: unknown = await memory.undo({ operationId }).catch((error: unknown) => error)
  if (!ElfmemError.is(refused)) throw new Error('the undo was not refused')
  expect(refused.code).toBe('CONFLICT')
  const later = refused.details.laterOperationId
  expect(refused.recovery).toContain(`undo({ operationId: ${later} })`)
  return later
}

test.each(DOINGS)('undo takes back %s exactly, and undo of the undo makes it again', async (_name, doing) => {
  const { memory, path, ids, waiting } = await garden()
  const before = dumpOf(path)
  await doing(memory, ids, waiting)
  const after = dumpOf(path)
  expect(after).not.toEqual(before)
  const { operationId } = await memory.undo()
  expect(dumpOf(path)).toEqual(before)
  await memory.undo({ operationId: operationId! })
  expect(dumpOf(path)).toEqual(after)
})

test('undo takes back a whole curate exactly', async () => {
  const opened = await garden()
  const { memory, path, clock } = opened
  const [one = '', other = ''] = (await memory.setup({ seed: true })).blockIds
  await memory.dream()
  await join(opened, [one, other], { weight: 0.05 })
  clock.advance({ hours: 5_000 })
  const before = dumpOf(path)
  const { archived, constitutionalReinforced } = await memory.curate()
  expect(archived.length).toBeGreaterThan(0)
  expect(constitutionalReinforced).toBeGreaterThan(0)
  const { undone } = await memory.undo()
  expect(new Set(undone.map(({ operation }) => operation))).toEqual(new Set(['keep', 'archive', 'prune']))
  expect(dumpOf(path)).toEqual(before)
})

test('recall finds what an undo brought back and not what it took away', async () => {
  const { memory, ids } = await garden()
  const found = async () => (await memory.recall({ query: 'when is tea', topK: 1 })).blocks[0]?.content
  expect(await found()).toBe(TEA)
  await memory.edit({ blockId: ids[3]!, content: 'Tea is at noon' })
  expect(await found()).toBe('Tea is at noon')
  await memory.undo()
  expect(await found()).toBe(TEA)
  await memory.forget({ blockId: ids[3]! })
  expect(await found()).not.toBe(TEA)
  await memory.undo()
  expect(await found()).toBe(TEA)
})

test('undo of an earlier edit is refused and names the later one, which is undone first', async () => {
  const { memory, ids, path } = await garden()
  await memory.edit({ blockId: ids[3]!, content: 'Tea is at noon' })
  await memory.edit({ blockId: ids[3]!, content: 'Tea is at five' })
  const { operations } = await memory.history({ blockId: ids[3]!, operation: 'edit' })
  const [first, second] = operations.map(({ id }) => id) as [number, number]
  const before = dumpOf(path)
  expect(await laterThan(memory, first)).toBe(second)
  expect(dumpOf(path)).toEqual(before)
  await memory.undo({ operationId: second })
  await memory.undo({ operationId: first })
  expect((await memory.show({ blockId: ids[3]! })).block.content).toBe(TEA)
})

test('undo of an undone operation, of a recall and of an unknown number is refused', async () => {
  const { memory, ids } = await garden()
  await memory.forget({ blockId: ids[0]! })
  const forgot = (await memory.history({ lastN: 1 })).operations[0]!.id
  await memory.undo()
  await memory.recall({ query: 'tea' })
  const [recalled] = (await memory.history({ lastN: 1 })).operations
  expect(recalled).toMatchObject({ operation: 'recall', undoable: false })
  const codeOf = async (operationId: number) => (await refusal(memory.undo({ operationId }))).code
  expect([await codeOf(forgot), await codeOf(recalled!.id)]).toEqual(['WRONG_STATUS', 'WRONG_STATUS'])
  expect(await codeOf(9_999)).toBe('NOT_FOUND')
})

test('undo of an entry that left the log is refused', async () => {
  const { memory, learn } = await openTestMemory({ settings: { memory: { keepOperations: 2 } } })
  const [id] = await learn(TEA)
  await memory.forget({ blockId: id! })
  const forgot = (await memory.history({ lastN: 1 })).operations[0]!.id
  await memory.restore({ blockId: id! })
  await memory.remember({ content: PORT })
  await memory.curate()
  expect((await refusal(memory.undo({ operationId: forgot }))).code).toBe('NOT_FOUND')
})

test('undo with dryRun tells what it would undo and changes nothing', async () => {
  const { memory, ids, path } = await garden()
  await memory.forget({ blockId: ids[0]! })
  const before = dumpOf(path)
  const { undone, operationId } = await memory.undo({ dryRun: true })
  expect(undone.map(({ operation }) => operation)).toEqual(['forget'])
  expect(operationId).toBeUndefined()
  expect(dumpOf(path)).toEqual(before)
})

test('undo in one scope does not reach another', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: TEA, scope: 'one' })
  const { id } = (await memory.history({ lastN: 1 })).operations[0]!
  for (const asked of [{ operationId: id, scope: 'other' }, { scope: 'other' }])
    expect((await refusal(memory.undo(asked))).code).toBe('NOT_FOUND')
  await memory.undo({ operationId: id, scope: 'one' })
  expect((await memory.status()).inboxCount).toBe(0)
})

test('undo takes back a dream of many batches as one', async () => {
  const { memory, path } = await openTestMemory({ settings: { memory: { embedBatch: 4 } } })
  const contents = Array.from({ length: 10 }, (_, i) => `Jar number ${i} holds ${'nuts '.repeat(i)}`)
  await memory.rememberMany({ blocks: contents.map((content) => ({ content })) })
  const before = dumpOf(path)
  await memory.dream()
  const after = dumpOf(path)
  await memory.undo()
  expect(dumpOf(path)).toEqual(before)
  expect((await memory.dream()).promoted).toBe(10)
  expect(dumpOf(path)).toEqual(after)
})

test('curate drops undo data beyond keepUndoBytes, oldest first, and keeps its entries', async () => {
  const { memory } = await openTestMemory({ settings: { memory: { keepUndoBytes: 800 } } })
  for (let i = 0; i < 30; i++) await memory.remember({ content: `Jar number ${i} is empty` })
  await memory.curate()
  const { operations } = await memory.history({ lastN: 99, operation: 'remember' })
  const undoable = operations.map((each) => each.undoable)
  const kept = undoable.indexOf(true)
  expect([undoable.length, kept > 5, kept < 29]).toEqual([30, true, true])
  expect(undoable.slice(kept)).not.toContain(false)
  expect((await refusal(memory.undo({ operationId: operations[0]!.id }))).code).toBe('WRONG_STATUS')
  await memory.undo({ operationId: operations[kept]!.id })
})
