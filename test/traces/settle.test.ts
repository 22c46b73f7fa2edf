import { expect, test } from 'vitest'
import type { Memory } from '../../src/engine/memory.ts'
import { beganTrace, type Trace, type TraceEvent, withEvent } from '../../src/frames/index.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { openOn, openStore } from '../helpers/scoped.ts'

const STAGING = 'Staging listens on port 4210.'

/** A command of an agent and how it ended. */
const ran = (input: string, ok = true): TraceEvent => ({
  ...{ kind: 'tool', tool: 'Bash', input, isCommand: true, ok },
})
const CHECKED = [ran('make', false), ran('curl localhost:4210'), ran('make')]

/** Recalls, and returns the trace of what happened after it. */
async function traced(memory: Memory, events: readonly TraceEvent[], message = 'm'): Promise<Trace> {
  const asked = 'How do I reach staging?'
  const { blocks } = await memory.recall({ query: asked, minStrength: 0 })
  const began = beganTrace({ conversation: 'c', message, asked, blocks })
  return events.reduce((trace, event) => withEvent(trace, event), began)
}

const outcomesOf = async (memory: Memory, blockId: string) => (await memory.show({ blockId })).outcomes

test('an identifier that stood in a command between a failed check and the passed one counts as helped', async () => {
  const { memory, learn } = await openTestMemory()
  const [staging = '', production = ''] = await learn(STAGING, 'Production listens on port 4310.')
  const before = (await memory.show({ blockId: staging })).block.confidence
  const { verdicts } = await memory.settle(await traced(memory, CHECKED))
  expect(verdicts).toMatchObject([{ blockId: staging, says: 'helped', evidence: ['4210'] }])
  expect((await memory.show({ blockId: staging })).block.confidence).toBeGreaterThan(before)
  expect(await outcomesOf(memory, production)).toEqual([])
})

test('a correction of the user that names the identifier counts as misled', async () => {
  const { memory, learn } = await openTestMemory()
  const [staging = ''] = await learn(STAGING)
  const reply: TraceEvent = { kind: 'reply', text: 'No, 4210 is the old port.' }
  const { verdicts } = await memory.settle(await traced(memory, [ran('curl localhost:4210/health'), reply]))
  expect(verdicts).toMatchObject([{ blockId: staging, says: 'misled', signals: ['correction'] }])
})

test('a block that is merely alike in words, or shares its identifier with another, gets no verdict', async () => {
  const { memory, learn } = await openTestMemory()
  await learn('The tea kitchen of the staging team closes at noon, bring biscuits.')
  const alike = [ran('make', false), ran('echo "bring biscuits before noon" >> kitchen.txt'), ran('make')]
  expect(await memory.settle(await traced(memory, alike))).toMatchObject({ verdicts: [] })
  await learn('Staging listens on port 4210 for Anna.', 'Staging listens on port 4210 for Ben.')
  expect((await memory.settle(await traced(memory, CHECKED, 'm2'))).verdicts).toEqual([])
})

test('settle of one message by two processes at once counts once, and not again after undo', async () => {
  const one = await openTestMemory()
  const [staging = ''] = await one.learn(STAGING)
  const other = await openTestMemory({ path: one.path, clock: one.clock })
  const trace = await traced(one.memory, CHECKED)
  const results = await Promise.all([one.memory.settle(trace), other.memory.settle(trace)])
  expect(results.filter(({ passedOver }) => passedOver === 'before')).toHaveLength(1)
  expect(await outcomesOf(one.memory, staging)).toHaveLength(1)
  const operationId = results.find((result) => result.operationId !== undefined)?.operationId ?? 0
  await one.memory.undo({ operationId })
  expect(await outcomesOf(one.memory, staging)).toEqual([])
  expect((await one.memory.settle(trace)).passedOver).toBe('before')
})

test('settle skips principles and archived blocks, and queues what waits until the dream', async () => {
  const { memory, learn } = await openTestMemory()
  const { blockIds } = await memory.setup({ principles: ['Always use gate code 9977.'] })
  const [principle = ''] = blockIds
  const [gone = ''] = await learn('The old gate listened on 5511.')
  const trace = await traced(memory, [ran('make', false), ran('open 5511 4210 9977'), ran('make')])
  await memory.forget({ blockId: gone })
  const { blockId: waiting } = await memory.remember({ content: STAGING })
  const shown = [
    { id: gone, content: 'The old gate listened on 5511.' },
    { id: waiting, content: STAGING },
    { id: principle, content: 'Always use gate code 9977.' },
  ]
  expect(await memory.settle({ ...trace, blocks: shown })).toMatchObject({
    verdicts: [{ blockId: waiting }],
    queued: [waiting],
    skipped: expect.arrayContaining([
      { id: gone, reason: 'archived' },
      { id: principle, reason: 'constitutional' },
    ]),
  })
  await memory.dream()
  expect(await outcomesOf(memory, waiting)).toHaveLength(1)
  expect(await outcomesOf(memory, principle)).toEqual([])
})

test('settle in a scope touches no block of another', async () => {
  const store = await openStore()
  const [whole, mine] = [await openOn(store), await openOn(store, { scope: 'mine' })]
  const { blockId } = await whole.remember({ content: STAGING, scope: 'theirs' })
  await whole.dream()
  const trace = { ...(await traced(whole, CHECKED)), blocks: [{ id: blockId, content: STAGING }] }
  expect((await mine.settle(trace)).verdicts).toEqual([])
  expect((await refusal(mine.settle(trace, { scope: 'theirs' }))).code).toBe('OUT_OF_SCOPE')
  expect(await outcomesOf(whole, blockId)).toEqual([])
})

test('settle refuses output of tools in a trace and traces that are too long, and keeps no word of a trace', async () => {
  const { memory, learn } = await openTestMemory()
  const [staging = ''] = await learn(STAGING)
  const trace = await traced(memory, CHECKED)
  for (const each of [
    { ...trace, did: trace.did.map((step) => ({ ...step, output: '4210 helped' })) },
    { ...trace, did: Array.from({ length: 2_000 }, () => trace.did[0]) },
    { ...trace, conversation: 'c'.repeat(10_000) },
    { ...trace, did: [{ kind: 'praise', id: staging }] },
  ])
    expect((await refusal(memory.settle(each as never))).code).toMatch(/^(LIMIT_EXCEEDED|INVALID_INPUT)$/)
  expect(await outcomesOf(memory, staging)).toEqual([])
  await memory.settle({ ...trace, conversation: 'spoken-name' })
  const { operations } = await memory.history({ operation: 'settle' })
  expect(operations).toHaveLength(1)
  expect(JSON.stringify(operations)).not.toMatch(/curl|localhost|spoken-name/)
})

test('settle of hooks does nothing where implicit outcomes are off', async () => {
  const settings = { implicit: { hooks: false } }
  const { memory, learn } = await openTestMemory({ settings })
  await learn(STAGING)
  const trace = await traced(memory, CHECKED)
  expect((await memory.settle(trace, { origin: 'hooks' })).passedOver).toBe('off')
  expect((await memory.settle(trace)).verdicts).toHaveLength(1)
})

const edited = (path: string, input = 'x = 1'): TraceEvent => ({
  ...{ kind: 'tool', tool: 'Edit', input, edited: path, ok: true },
})

test('settle proposes a strategy when a check that failed passes after a change, and stores nothing of it', async () => {
  const { memory, learn } = await openTestMemory()
  const [staging = ''] = await learn(STAGING)
  const events = [ran('make', false), edited('src/port.ts', 'port = 4210'), ran('make')]
  const { strategy } = await memory.settle(await traced(memory, events))
  expect(strategy).toMatchObject({ failed: 'make', changed: ['src/port.ts'], blocks: [staging] })
  expect(strategy?.draft).toMatch(/^when make fails, .*src\/port\.ts/)
  expect((await memory.ls({ category: 'strategy' })).blocks).toEqual([])
})

test.each<[string, readonly TraceEvent[]]>([
  ['a check that never failed', [edited('a.ts'), ran('make')]],
  ['another command that passes', [ran('make', false), edited('a.ts'), ran('make lint')]],
  ['a pass without a change', [ran('make', false), ran('make')]],
  ['a change before the check failed', [edited('a.ts'), ran('make', false), ran('make')]],
  ['a change that failed', [ran('make', false), { ...edited('a.ts'), ok: false } as TraceEvent, ran('make')]],
])('settle proposes no strategy after %s', async (_, events) => {
  const { memory } = await openTestMemory()
  expect((await memory.settle(await traced(memory, events))).strategy).toBeUndefined()
})

test('a proposed strategy has neither secrets nor further lines', async () => {
  const { memory } = await openTestMemory()
  const check = 'GITHUB_TOKEN=ghp_Zx81kQw0pLm27VtRb65NcYhDsAeUfi3oJgT4 make\n## What worked before'
  const { strategy } = await memory.settle(
    await traced(memory, [ran(check, false), edited('a.ts'), ran(check)]),
  )
  expect(strategy?.failed).toContain('make')
  expect(JSON.stringify(strategy)).not.toMatch(/ghp_|\\n/)
})
