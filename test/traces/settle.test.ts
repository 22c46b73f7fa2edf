import { expect, test } from 'vitest'
import { earlierOf } from '../../src/frames/index.ts'
import type { Memory } from '../../src/memory.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { edit, ran, reply, traced } from './helpers.ts'

const STAGING = 'Staging listens on port 4210.'
const PRODUCTION = 'Production listens on port 4310.'
const TEA = 'The tea kitchen of the staging team closes at noon, bring biscuits.'

const confidenceOf = async (memory: Memory, blockId: string) =>
  (await memory.show({ blockId })).block.confidence

test('a check that failed and then passed counts for the block whose number stood in the command', async () => {
  const { memory, learn } = await openTestMemory()
  const [staging = '', production = ''] = await learn(STAGING, PRODUCTION)
  const before = await confidenceOf(memory, staging)
  const events = [ran('npm test', false), ran('scripts/ship.sh --port 4210'), ran('npm test')]
  const result = await memory.settle(await traced(memory, events))
  expect(result.verdicts).toMatchObject([
    { blockId: staging, says: 'helped', weight: 0.75, signals: ['check'], evidence: ['4210'] },
  ])
  expect(await confidenceOf(memory, staging)).toBeGreaterThan(before)
  expect((await memory.show({ blockId: production })).outcomes).toEqual([])
  const { operations } = await memory.history({ operation: 'settle' })
  expect(operations).toMatchObject([
    {
      reason: 'implicit: check',
      blockIds: [staging],
      undoable: true,
      summary: 'implicit: check; 1 block updated, 0 queued',
    },
  ])
})

test('a correction that names the number that was used counts as misled', async () => {
  const { memory, learn } = await openTestMemory()
  const [staging = ''] = await learn(STAGING)
  const before = await confidenceOf(memory, staging)
  const events = [ran('curl localhost:4210/health'), reply('No, 4210 is the old port.')]
  const { verdicts } = await memory.settle(await traced(memory, events))
  expect(verdicts).toMatchObject([{ blockId: staging, says: 'misled', signals: ['correction'] }])
  expect(await confidenceOf(memory, staging)).toBeLessThan(before)
})

test('undo takes a settled trace back, and the same message is not counted again', async () => {
  const { memory, learn } = await openTestMemory()
  const [staging = ''] = await learn(STAGING)
  const before = await memory.show({ blockId: staging })
  const trace = await traced(memory, [ran('make', false), ran('curl localhost:4210'), ran('make')])
  const { operationId } = await memory.settle(trace)
  await memory.undo({ operationId: operationId as number })
  const after = await memory.show({ blockId: staging })
  expect(after.block.confidence).toBe(before.block.confidence)
  expect(after.outcomes).toEqual([])
  expect((await memory.settle(trace)).passedOver).toBe('before')
  expect(await confidenceOf(memory, staging)).toBe(before.block.confidence)
})

test('a block that is merely alike in words gets no verdict and stays fresh', async () => {
  const { memory, learn } = await openTestMemory()
  const [tea = ''] = await learn(TEA)
  const events = [ran('make', false), ran('echo "bring biscuits before noon" >> kitchen.txt'), ran('make')]
  const result = await memory.settle(await traced(memory, events))
  expect(result.verdicts).toEqual([])
  expect(result.kept).toEqual([tea])
  expect((await memory.show({ blockId: tea })).outcomes).toEqual([])
})

test('what two blocks of a frame share is nobody’s evidence', async () => {
  const { memory, learn } = await openTestMemory()
  await learn('Staging listens on port 4210 for Anna.', 'Staging listens on port 4210 for Ben.')
  const events = [ran('make', false), ran('curl localhost:4210'), ran('make')]
  const result = await memory.settle(await traced(memory, events))
  expect([result.verdicts, result.kept]).toEqual([[], []])
})

const COMMITTED = [edit('src/config.ts', 'port: 4210'), ran('git commit -am "set it"')]

test('what is committed and taken back within one message is credited to nobody', async () => {
  const { memory, learn } = await openTestMemory()
  const [staging = ''] = await learn(STAGING)
  const reverted = await traced(memory, [...COMMITTED, ran('git revert --no-edit HEAD')])
  const result = await memory.settle(reverted)
  expect([result.verdicts, result.kept]).toEqual([[], [staging]])
  const kept = await memory.settle(await traced(memory, COMMITTED, { message: 'm2' }))
  expect(kept.verdicts).toMatchObject([
    { blockId: staging, says: 'helped', signals: ['commit'], weight: 0.5 },
  ])
})

test('where it is wanted, a revert in a later message says that the block misled', async () => {
  const { memory, learn } = await openTestMemory({ settings: { implicit: { revert: true } } })
  const [staging = ''] = await learn(STAGING)
  const first = await traced(memory, COMMITTED)
  expect((await memory.settle(first)).verdicts).toMatchObject([{ says: 'helped' }])
  const next = await traced(memory, [ran('git revert --no-edit HEAD')], {
    asked: 'Take that back, please.',
    message: 'm2',
    earlier: earlierOf(first),
  })
  expect((await memory.settle(next)).verdicts).toMatchObject([
    { blockId: staging, says: 'misled', signals: ['revert'] },
  ])
})

test('what changed since then names the blocks of a settled trace, and not those that were only used', async () => {
  const { memory, learn } = await openTestMemory()
  const [staging = '', tea = ''] = await learn(STAGING, TEA)
  const trace = await traced(memory, [ran('make', false), ran('curl :4210 # biscuits'), ran('make')])
  const result = await memory.settle(trace)
  expect([result.verdicts.map(({ blockId }) => blockId), result.kept]).toEqual([[staging], [tea]])
  const { reported } = await memory.diff({ from: '2000-01-01' })
  expect(reported.map(({ id }) => id)).toEqual([staging])
})
