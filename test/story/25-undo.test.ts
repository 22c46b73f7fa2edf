import { expect, test } from 'vitest'
import { ElfmemError, factOf } from '../../src/errors.ts'
import type { Memory } from '../../src/memory.ts'
import { join } from '../helpers/edges.ts'
import { openTestMemory, refusal, type TestMemory } from '../helpers/memory.ts'
import { nextTurn } from '../helpers/timer.ts'
import { dumpOf } from '../undo/dump.ts'

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

const DOINGS: readonly (readonly [name: string, doing: Doing])[] = [
  ['remember', (memory) => memory.remember({ content: 'Ferns want rain' })],
  [
    'a second remember of the same',
    (memory) => memory.remember({ content: TEA, tags: ['habit'], cue: 'at four' }),
  ],
  ['rememberMany', (memory) => memory.rememberMany({ blocks: [{ content: 'One' }, { content: 'Two' }] })],
  [
    'learnDocument',
    (memory) => memory.learnDocument({ text: '# Ferns\n\nFerns want rain.', source: 'ferns.md' }),
  ],
  ['dream', (memory) => memory.dream()],
  ['edit of a content', (memory, [rose]) => memory.edit({ blockId: rose!, content: 'Roses want shade' })],
  ['edit of tags and cue', (memory, [rose]) => memory.edit({ blockId: rose!, tags: ['a'], cue: 'in May' })],
  ['edit of a waiting block', (memory, _, waiting) => memory.edit({ blockId: waiting, content: 'Lilies' })],
  ['forget', (memory, [rose]) => memory.forget({ blockId: rose! })],
  [
    'outcome about blocks',
    (memory, ids) => memory.outcome({ helped: [ids[0]!, ids[3]!], misled: [ids[2]!] }),
  ],
  ['outcome about a set', (memory, ids) => memory.outcome({ signal: 1, blockIds: [...ids], about: 'set' })],
  ['outcome of a waiting block', (memory, _, waiting) => memory.outcome({ helped: [waiting] })],
  ['recordUse', (memory, [rose]) => memory.recordUse({ blockIds: [rose!] })],
  ['connect', (memory, ids) => memory.connect({ source: ids[0]!, target: ids[3]!, note: 'seen' })],
  ['connects', (memory, ids) => memory.connects({ edges: [{ source: ids[1]!, target: ids[3]! }] })],
  ['disconnect', (memory, ids) => memory.disconnect({ source: ids[0]!, target: ids[2]! })],
  ['resolve', (memory, ids) => memory.resolve({ a: ids[1]!, b: ids[2]!, keep: 'merge' })],
  ['setup', (memory) => memory.setup({ identity: 'I keep a garden', seed: true })],
]

test.each(DOINGS)('%s can be undone, and the undo can be undone', async (_name, doing) => {
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

test('a whole curation is undone at once: what it archived, pruned and kept fresh', async () => {
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

test('what was recalled in between stays fresh when an outcome is undone', async () => {
  const { memory, ids, clock, store } = await garden()
  const blockOf = () => store.read(async (tx) => (await tx.blocks([ids[3]!]))[0]!)
  const { reinforcementCount, successes } = await blockOf()
  await memory.outcome({ helped: [ids[3]!] })
  clock.advance({ hours: 3 })
  await memory.recall({ query: 'when is tea', topK: 1 })
  await nextTurn()
  const { lastReinforcedAt } = await blockOf()
  await memory.undo()
  expect(await blockOf()).toMatchObject({
    successes,
    lastReinforcedAt,
    reinforcementCount: reinforcementCount + 1,
  })
})

test('an undo that would overwrite something later is refused and names what to undo first', async () => {
  const { memory, ids, path } = await garden()
  await memory.edit({ blockId: ids[3]!, content: 'Tea is at noon' })
  await memory.edit({ blockId: ids[3]!, content: 'Tea is at five' })
  const { operations } = await memory.history({ blockId: ids[3]!, operation: 'edit' })
  const [first, second] = operations.map(({ id }) => id) as [number, number]
  const before = dumpOf(path)
  const { code, recovery } = await refusal(memory.undo({ operationId: first }))
  expect({ code, recovery }).toEqual({
    code: 'CONFLICT',
    recovery: `Call undo({ operationId: ${second} }) first.`,
  })
  expect(dumpOf(path)).toEqual(before)
  await memory.undo({ operationId: second })
  await memory.undo({ operationId: first })
  expect((await memory.show({ blockId: ids[3]! })).block.content).toBe(TEA)
})

test('what cannot be undone says why', async () => {
  const { memory, ids } = await garden()
  await memory.forget({ blockId: ids[0]! })
  const forgot = (await memory.history({ lastN: 1 })).operations[0]!.id
  const { operationId } = await memory.undo()
  const again = await refusal(memory.undo({ operationId: forgot }))
  expect(again).toMatchObject({
    code: 'WRONG_STATUS',
    recovery: expect.stringContaining(String(operationId)),
  })
  await memory.recall({ query: 'tea' })
  const recalled = (await memory.history({ lastN: 1 })).operations[0]!
  expect(recalled).toMatchObject({ operation: 'recall', undoable: false })
  expect(await refusal(memory.undo({ operationId: recalled.id }))).toMatchObject({
    code: 'WRONG_STATUS',
    message: expect.stringContaining('being recalled only'),
  })
  expect(await refusal(memory.undo({ operationId: 9_999 }))).toMatchObject({ code: 'NOT_FOUND' })
})

test('an operation that left the log cannot be undone any more', async () => {
  const { memory, learn, store } = await openTestMemory({
    settings: { memory: { keepOperations: 2 } },
  })
  const [id] = await learn(TEA)
  await memory.forget({ blockId: id! })
  const forgot = (await memory.history({ lastN: 1 })).operations[0]!.id
  await memory.restore({ blockId: id! })
  await memory.remember({ content: PORT })
  await memory.curate()
  // Of entries with what undo needs two, and as many of the others.
  expect((await store.read((tx) => tx.operations({ limit: 9 }))).length).toBe(4)
  expect(await refusal(memory.undo({ operationId: forgot }))).toMatchObject({
    code: 'NOT_FOUND',
    recovery: expect.stringContaining('memory.keep_operations'),
  })
})

test('a dry run says what would be undone and changes nothing', async () => {
  const { memory, ids, path } = await garden()
  await memory.forget({ blockId: ids[0]! })
  const before = dumpOf(path)
  const { undone, operationId, summary } = await memory.undo({ dryRun: true })
  expect(undone.map(({ operation }) => operation)).toEqual(['forget'])
  expect(operationId).toBeUndefined()
  expect(summary).toContain('would be undone')
  expect(dumpOf(path)).toEqual(before)
})

test('one scope cannot undo what was done in another', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: TEA, scope: 'one' })
  const { id } = (await memory.history({ lastN: 1 })).operations[0]!
  expect(await refusal(memory.undo({ operationId: id, scope: 'other' }))).toMatchObject({ code: 'NOT_FOUND' })
  expect(await refusal(memory.undo({ scope: 'other' }))).toMatchObject({ code: 'NOT_FOUND' })
  await memory.undo({ operationId: id, scope: 'one' })
  expect((await memory.status()).inboxCount).toBe(0)
})

test('another process that saw a block lets go of it when dream and remember are undone', async () => {
  const { memory, path, learn, clock } = await openTestMemory()
  const other = await openTestMemory({ path, clock })
  await learn(TEA)
  expect((await other.memory.recall({ query: 'tea' })).blocks).toHaveLength(1)
  await memory.undo()
  await memory.undo()
  expect((await other.memory.recall({ query: 'tea' })).blocks).toEqual([])
  const [again] = await learn(TEA)
  expect((await other.memory.recall({ query: 'tea' })).blocks.map(({ id }) => id)).toEqual([again])
})

test('history is asked by actor, time and page', async () => {
  const { memory, clock } = await openTestMemory({
    as: 'agent',
    settings: { memory: { curateIntervalHours: 1_000 } },
  })
  await memory.remember({ content: TEA })
  clock.advance({ hours: 48 })
  const then = new Date(clock.now()).toISOString()
  await memory.remember({ content: PORT })
  await memory.dream()
  const told = async (input: Parameters<Memory['history']>[0]) =>
    (await memory.history(input)).operations.map(({ operation }) => operation)
  expect(await told({ until: then })).toEqual(['remember'])
  expect(await told({ since: then, actor: 'library' })).toEqual(['remember', 'promote', 'promote', 'dream'])
  expect(await told({ actor: 'cli' })).toEqual([])
  const { operations, cursor } = await memory.history({ lastN: 2 })
  expect(operations.map(({ operation }) => operation)).toEqual(['promote', 'dream'])
  expect(await told({ lastN: 9, cursor: cursor! })).toEqual(['remember', 'remember', 'promote'])
})

test('a dream of many batches is undone as one, and nothing of it stays in the way of dreaming again', async () => {
  const { memory, path } = await openTestMemory({ settings: { memory: { embedBatch: 4 } } })
  await memory.rememberMany({
    blocks: Array.from({ length: 10 }, (_, i) => ({ content: `Jar number ${i} holds ${'nuts '.repeat(i)}` })),
  })
  const before = dumpOf(path)
  await memory.dream()
  const after = dumpOf(path)
  await memory.undo()
  expect((await memory.history({ lastN: 1 })).operations[0]!.summary).toMatch(/its run, [34] transactions/)
  expect(dumpOf(path)).toEqual(before)
  expect((await memory.dream()).promoted).toBe(10)
  expect(dumpOf(path)).toEqual(after)
})

test('an echo that is undone is not counted', async () => {
  const { memory, learn } = await openTestMemory()
  await learn('The ferry to the island leaves at nine on weekdays')
  const [shown] = (await memory.recall({ query: 'when does the ferry leave' })).blocks
  const { echoOf } = await memory.remember({ content: shown!.content })
  expect([echoOf, (await memory.status()).echoes]).toEqual([shown!.id, 1])
  await memory.undo()
  expect((await memory.status()).echoes).toBe(0)
})

test('what the adaptive policy learned of a dream goes with it', async () => {
  const { memory, learn } = await openTestMemory({
    settings: { memory: { adaptivePolicy: true, curateIntervalHours: 1_000 } },
  })
  const threshold = async () => (await memory.status()).effectiveThreshold
  const before = await threshold()
  await learn(TEA, PORT)
  expect(await threshold()).not.toBe(before)
  await memory.undo()
  expect(await threshold()).toBe(before)
})

test('what undo needs is dropped oldest first when it takes too much room, and undo says so', async () => {
  const { memory, store } = await openTestMemory({ settings: { memory: { keepUndoBytes: 1_500 } } })
  for (let i = 0; i < 30; i++) await memory.remember({ content: `Jar number ${i} is empty` })
  await memory.curate()
  const { operations } = await memory.history({ lastN: 99, operation: 'remember' })
  const undoable = operations.map((each) => each.undoable)
  const dropped = undoable.indexOf(true)
  expect(dropped).toBeGreaterThan(5)
  expect(dropped).toBeLessThan(29)
  expect(undoable.slice(dropped)).not.toContain(false)
  expect(await refusal(memory.undo({ operationId: operations[0]!.id }))).toMatchObject({
    code: 'WRONG_STATUS',
    message: expect.stringContaining('memory.keep_undo_bytes'),
  })
  await memory.undo({ operationId: operations[dropped]!.id })
  const kept = await store.read((tx) => tx.operations({ limit: 99 }))
  expect(kept).toHaveLength(32)
})

test.each([
  ['a remember', (memory: Memory, waiting: string) => memory.edit({ blockId: waiting, tags: ['later'] })],
  ['a remember', (memory: Memory, waiting: string) => memory.forget({ blockId: waiting })],
])('%s is not undone over what came later', async (_name, later) => {
  const { memory, path, waiting } = await garden()
  const [first] = (await memory.history({ blockId: waiting })).operations
  await later(memory, waiting)
  const [last] = (await memory.history({ lastN: 1 })).operations
  const before = dumpOf(path)
  expect(await refusal(memory.undo({ operationId: first!.id }))).toMatchObject({
    code: 'CONFLICT',
    recovery: `Call undo({ operationId: ${last!.id} }) first.`,
  })
  expect(dumpOf(path)).toEqual(before)
})

test('whoever follows what a refused undo advises has it done in the end', async () => {
  const { memory, learn } = await openTestMemory()
  const [older = ''] = await learn('The ferry leaves at 7')
  const newer = await memory.remember({ content: 'The ferry leaves at 8', supersedes: older })
  const { operations } = await memory.history({})
  const wanted = operations.at(-1)?.id as number
  await memory.dream()
  await memory.resolve({ a: older, b: newer.blockId, keep: 'b' })
  const undone: number[] = []
  for (let next = wanted; !undone.includes(wanted) && undone.length < 5; ) {
    const refused = await memory.undo({ operationId: next }).catch((error: unknown) => error)
    const later = ElfmemError.is(refused) ? factOf(refused, 'laterOperationId') : undefined
    if (later === undefined) undone.push(next)
    next = typeof later === 'number' ? later : wanted
  }
  expect(undone).toContain(wanted)
  expect((await memory.show({ blockId: older })).block.status).toBe('active')
})
