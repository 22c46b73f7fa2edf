import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../../helpers/memory.ts'

const BETA = 'Atlas ships its beta'
const SOON = { by: '2026-03-10', probability: 0.7 }
const PAST_IT = { hours: 9 * 24 }

test.each([
  ['a probability of 1', { by: '2026-03-10', probability: 1 }],
  ['a probability of 0', { by: '2026-03-10', probability: 0 }],
  ['a day before it was said', { by: '2026-03-01', probability: 0.7 }],
  ['a day that is none', { by: 'soon', probability: 0.7 }],
])('remember with expect of %s is refused', async (_, given) => {
  const { memory } = await openTestMemory()
  expect(await refusal(memory.remember({ content: BETA, expect: given }))).toMatchObject({
    code: 'INVALID_INPUT',
  })
  expect((await memory.status()).inboxCount).toBe(0)
})

test('decisions lists a prediction once its day is over, and decide settles it, both of which undo takes back', async () => {
  const { memory, clock } = await openTestMemory()
  const { blockId } = await memory.remember({ content: BETA, expect: SOON })
  const waiting = async () => (await memory.decisions({ kind: 'prediction' })).decisions
  // The day itself belongs to it.
  clock.advance({ hours: 8 * 24 + 14 })
  expect(await waiting()).toEqual([])
  expect(await memory.status()).toMatchObject({ decisionsWaiting: 0 })
  expect(await memory.status()).not.toHaveProperty('calibration')
  clock.advance({ hours: 2 })
  const [due] = await waiting()
  expect(due).toMatchObject({ id: `prediction:${blockId}`, first: { id: blockId } })
  expect(due?.choices.map(({ choice }) => choice)).toEqual(['came_true', 'did_not', 'drop'])
  expect(await memory.status()).toMatchObject({ decisionsWaiting: 1 })
  for (const [choice, settled] of [
    ['came_true', { cameTrue: true }] as const,
    ['drop', undefined] as const,
  ]) {
    await memory.decide({ id: due!.id, choice })
    const { prediction } = await memory.show({ blockId })
    expect(prediction).toEqual(settled && { ...SOON, ...settled, settledAt: expect.any(String) })
    expect(await waiting()).toEqual([])
    await memory.undo({})
    expect((await memory.show({ blockId })).prediction).toEqual(SOON)
  }
  await memory.undo({ operationId: 1 })
  expect(await waiting()).toEqual([])
})

test('outcome settles a prediction before its day, changes no belief, and undo takes it back', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: BETA, expect: SOON })
  const { blockId: other } = await memory.remember({ content: 'Tea is at four' })
  const settle = (signal: number, blockIds = [blockId]) =>
    memory.outcome({ blockIds, signal, about: 'prediction' })
  expect((await refusal(settle(0.5))).code).toBe('INVALID_INPUT')
  expect(await settle(0, [blockId, other])).toMatchObject({
    ...{ predictionsSettled: 1, blocksUpdated: 0, queued: [] },
    skipped: [{ id: other, reason: 'unpredicted' }],
  })
  expect(await memory.show({ blockId })).toMatchObject({
    block: { failures: 0 },
    prediction: { ...SOON, cameTrue: false },
  })
  expect((await memory.recall({ query: 'Atlas beta' })).text).toContain(
    'expected by 2026-03-10, .7, did not come true',
  )
  await memory.undo({})
  expect((await memory.show({ blockId })).prediction).toEqual(SOON)
  expect((await memory.recall({ query: 'Atlas beta' })).text).toContain('expected by 2026-03-10, .7)')
})

test('status has the Brier score of the settled predictions of the scope', async () => {
  const { memory } = await openTestMemory()
  const told = [0.05, 0.15, 0.2, 0.6, 0.6, 0.75, 0.8, 0.9, 0.95].map((probability, i) => {
    return { probability, cameTrue: i % 3 > 0 }
  })
  for (const [i, { probability, cameTrue }] of told.entries()) {
    const scope = i < 8 ? 'atlas' : 'else'
    const expectation = { by: '2026-04-01', probability }
    const words = { content: `Milestone ${i} of the harbour is met`, expect: expectation, scope }
    const { blockId } = await memory.remember(words)
    await memory.outcome({ blockIds: [blockId], signal: Number(cameTrue), about: 'prediction', scope })
  }
  const { calibration } = await memory.status({ scope: 'atlas' })
  const own = told.slice(0, 8)
  let brier = 0
  for (const { probability, cameTrue } of own) brier += (probability - Number(cameTrue)) ** 2 / own.length
  expect(calibration).toMatchObject({ settled: 8, brier: expect.closeTo(brier, 10) })
  expect((await memory.status()).calibration).toMatchObject({ settled: 9 })
})

test('remember of the same words with another expectation changes it until its day, and then is refused', async () => {
  const { memory, clock } = await openTestMemory()
  const { blockId } = await memory.remember({ content: BETA, sourceClass: 'user', expect: SOON })
  const less = { ...SOON, probability: 0.2 }
  const again = (sourceClass: 'user' | 'document') =>
    memory.remember({ content: BETA, sourceClass, expect: less })
  expect(await again('document')).toMatchObject({ blockId, refused: ['expect'] })
  expect((await memory.show({ blockId })).prediction).toEqual(SOON)
  expect(await again('user')).not.toHaveProperty('refused')
  await memory.edit({ blockId, content: 'Atlas ships its first beta' })
  expect((await memory.show({ blockId })).prediction).toEqual(less)
  clock.advance(PAST_IT)
  const content = 'Atlas ships its first beta'
  const later = { content, sourceClass: 'user', expect: { by: '2026-05-01', probability: 0.5 } } as const
  expect(await refusal(memory.remember(later))).toMatchObject({ code: 'CONFLICT' })
  const many = memory.rememberMany({ blocks: [{ content: 'Tea' }, later] })
  expect(await refusal(many)).toMatchObject({ code: 'CONFLICT', details: { index: 1 } })
})

test('a prediction waits if its block was replaced, not if it was forgotten, and goes when it is erased', async () => {
  const { memory, clock } = await openTestMemory()
  const { blockId: old } = await memory.remember({ content: BETA, expect: SOON })
  const { blockId: gone } = await memory.remember({ content: 'Rain falls on the fair', expect: SOON })
  await memory.dream()
  const { blockId: newer } = await memory.remember({ content: 'Atlas ships in May', supersedes: old })
  await memory.dream()
  await memory.resolve({ a: old, b: newer, keep: 'b' })
  await memory.forget({ blockId: gone })
  clock.advance(PAST_IT)
  const waiting = async () =>
    (await memory.decisions({ kind: 'prediction' })).decisions.map(({ first }) => first?.id).sort()
  expect(await waiting()).toEqual([old])
  await memory.restore({ blockId: gone })
  expect(await waiting()).toEqual([old, gone].sort())
  await memory.erase({ blockIds: [old], yes: true })
  expect(await waiting()).toEqual([gone])
})
