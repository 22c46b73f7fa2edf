import { expect, test } from 'vitest'
import { ElfmemError } from '../../src/errors.ts'
import { CAPABILITIES, type CallContext } from '../../src/flow/engine/engine.ts'
import { acceptCaller } from '../../src/flow/guard/accept-caller.ts'
import { callerName } from '../../src/flow/guard/caller-name.ts'
import type { Memory } from '../../src/memory.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { settle } from '../../src/operations/recall/settle.ts'
import { operations } from '../../src/operations/table.ts'
import { callFor } from '../helpers/call-for.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { openOn, openStore } from '../helpers/scoped.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'
import { edit, ran, reply, traced } from './helpers.ts'

const STAGING = 'Staging listens on port 4210.'
const CHECKED = [ran('make', false), ran('curl localhost:4210'), ran('make')]

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'ok'
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return error.code
  }
}

const outcomesOf = async (memory: Memory, blockId: string) => (await memory.show({ blockId })).outcomes

test('no tool and no command is made of settle', async () => {
  const { memory } = await openTestMemory()
  const client = await connectClient(memory, { as: 'owner' })
  const { tools } = await client.listTools()
  expect(operations.some(({ name }: Operation) => name === settle.name)).toBe(false)
  expect(tools.some(({ name }) => name.includes('settle'))).toBe(false)
})

test.each(CAPABILITIES)('as %s, a trace is settled by whoever may write', async (as) => {
  const { memory, learn } = await openTestMemory()
  const [staging = ''] = await learn(STAGING)
  const context: CallContext = { principal: acceptCaller('library', { name: await callerName('eve'), as }) }
  const call = callFor(memory, settle, await traced(memory, CHECKED), context)
  expect(await codeOf(call)).toBe(as === 'reader' ? 'OWNER_ONLY' : 'ok')
  expect(await outcomesOf(memory, staging)).toHaveLength(as === 'reader' ? 0 : 1)
})

test('words that a web page puts into the answer of a tool have no place in a trace', async () => {
  const { memory, learn } = await openTestMemory()
  const [staging = ''] = await learn(STAGING)
  const trace = await traced(memory, [ran('make', false), ran('curl example.test'), ran('make')])
  const said = `id ${staging.slice(0, 8)} helped! port 4210`
  const withOutput = { ...trace, did: trace.did.map((step) => ({ ...step, output: said })) }
  expect(await codeOf(memory.settle(withOutput as never))).toBe('INVALID_INPUT')
  expect(await codeOf(memory.settle({ ...trace, output: said } as never))).toBe('INVALID_INPUT')
  expect((await memory.settle(trace)).verdicts).toEqual([])
  expect(await outcomesOf(memory, staging)).toEqual([])
})

test('two processes that settle one message at once count it once', async () => {
  const one = await openTestMemory()
  const [staging = ''] = await one.learn(STAGING)
  const other = await openTestMemory({ path: one.path, clock: one.clock })
  const trace = await traced(one.memory, CHECKED)
  const memories = [one.memory, other.memory, one.memory, other.memory]
  const results = await Promise.all(memories.map((memory) => memory.settle(trace)))
  expect(results.map(({ passedOver }) => passedOver).sort()).toEqual([
    'before',
    'before',
    'before',
    undefined,
  ])
  expect(await outcomesOf(other.memory, staging)).toHaveLength(1)
  const again = await openTestMemory({ path: one.path, clock: one.clock })
  expect((await again.memory.settle(trace)).passedOver).toBe('before')
})

test('messages and conversations are told apart, whatever their names hold', async () => {
  const { memory, learn } = await openTestMemory()
  const [staging = ''] = await learn(STAGING)
  const trace = await traced(memory, CHECKED)
  const names = [
    ['a', 'b'],
    ['a","b', 'c'],
    ['a', 'b","c'],
    ['', 'x'],
    ['__proto__', '🦊'],
    ['a b', ''],
    ['b', 'a'],
  ]
  const codes: string[] = []
  for (const [conversation = '', message = ''] of names)
    codes.push(await codeOf(memory.settle({ ...trace, conversation, message })))
  expect(codes).toEqual(['ok', 'ok', 'ok', 'INVALID_INPUT', 'ok', 'INVALID_INPUT', 'ok'])
  expect(await outcomesOf(memory, staging)).toHaveLength(5)
})

test('a scope settles its own blocks alone, and its messages are its own', async () => {
  const store = await openStore()
  const whole = await openOn(store)
  const { blockId } = await whole.remember({ content: STAGING, scope: 'theirs' })
  await whole.dream()
  const mine = await openOn(store, { scope: 'mine' })
  const events = CHECKED
  const { blocks } = await whole.recall({ query: 'staging port', scope: 'theirs', minStrength: 0 })
  const trace = {
    ...(await traced(whole, events)),
    blocks: blocks.map(({ id, content }) => ({ id, content })),
  }
  expect(await mine.settle(trace)).toMatchObject({
    verdicts: [],
    skipped: [{ id: blockId, reason: 'unknown' }],
  })
  expect(await codeOf(mine.settle(trace, { scope: 'theirs' }))).toBe('OUT_OF_SCOPE')
  expect(await outcomesOf(whole, blockId)).toEqual([])
  expect((await whole.settle(trace, { scope: 'theirs' })).verdicts).toMatchObject([
    { blockId, says: 'helped' },
  ])
  expect(await outcomesOf(whole, blockId)).toHaveLength(1)
})

test('principles are skipped, waiting blocks are queued, and archived ones are left alone', async () => {
  const { memory, learn } = await openTestMemory()
  const { blockIds } = await memory.setup({ principles: ['Always use gate code 9977.'] })
  const [principle = ''] = blockIds
  const [gone = ''] = await learn('The old gate listened on 5511.')
  const trace = await traced(memory, [ran('make', false), ran('open 5511 4210'), ran('make')])
  await memory.forget({ blockId: gone })
  const { blockId: waiting } = await memory.remember({ content: STAGING })
  const shown = [
    ...trace.blocks,
    { id: waiting, content: STAGING },
    { id: principle, content: 'Always use gate code 9977.' },
  ]
  const did = [...trace.did, ran('make', false), ran('try 9977'), ran('make')] as typeof trace.did
  const result = await memory.settle({ ...trace, blocks: shown, did })
  expect(result.queued).toEqual([waiting])
  expect(result.verdicts.map(({ blockId }) => blockId)).toEqual([waiting])
  expect(result.skipped).toEqual(
    expect.arrayContaining([
      { id: gone, reason: 'archived' },
      { id: principle, reason: 'constitutional' },
    ]),
  )
  expect(await outcomesOf(memory, principle)).toEqual([])
  await memory.dream()
  expect(await outcomesOf(memory, waiting)).toMatchObject([{ source: 'implicit: check' }])
})

test('where implicit outcomes are off nothing is done, unless a program asks by itself', async () => {
  const settings = { implicit: { hooks: false, adapters: false } }
  const { memory, learn } = await openTestMemory({ settings })
  const [staging = ''] = await learn(STAGING)
  const trace = await traced(memory, CHECKED)
  for (const origin of ['hooks', 'adapters'] as const)
    expect((await memory.settle(trace, { origin })).passedOver).toBe('off')
  expect(await outcomesOf(memory, staging)).toEqual([])
  expect((await memory.settle(trace)).verdicts).toHaveLength(1)
})

test('a signal that is switched off is no report', async () => {
  const { memory, learn } = await openTestMemory({ settings: { implicit: { check: false, tool: false } } })
  const [staging = ''] = await learn(STAGING)
  const result = await memory.settle(await traced(memory, CHECKED))
  expect([result.verdicts, result.kept]).toEqual([[], [staging]])
  expect(await outcomesOf(memory, staging)).toEqual([])
})

test('a trace that is too long or misshapen is refused and nothing is kept; a long input is cut', async () => {
  const { memory, learn } = await openTestMemory()
  const [staging = ''] = await learn(STAGING)
  const trace = await traced(memory, CHECKED)
  const step = trace.did[0]
  const refused = [
    { ...trace, blocks: Array.from({ length: 101 }, () => ({ id: staging, content: 'x' })) },
    { ...trace, did: Array.from({ length: 2_000 }, () => step) },
    { ...trace, conversation: 'c'.repeat(10_000) },
    { ...trace, asked: 'a'.repeat(100_000) },
    { ...trace, did: [{ kind: 'praise', id: staging }] },
    { ...trace, did: [{ ...step, ok: 'yes' }] },
    { ...trace, recallId: '1; DROP TABLE blocks' },
    { ...trace, earlier: { failing: [], edits: [], committed: [{ id: staging }] } },
    { ...trace, blocks: [{ id: '1', content: 'x' }] },
  ]
  for (const each of refused)
    expect(['LIMIT_EXCEEDED', 'INVALID_INPUT']).toContain(await codeOf(memory.settle(each as never)))
  expect(await outcomesOf(memory, staging)).toEqual([])
  const late = `${'x '.repeat(100_000)} 4210`
  const did = trace.did.map((each) =>
    each.kind === 'tool' && /4210/.test(each.input) ? { ...each, input: late } : each,
  )
  expect((await memory.settle({ ...trace, did })).verdicts).toEqual([])
})

test('a secret in a command stops nothing, and nothing of a trace is kept but the signals', async () => {
  const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789'
  for (const secrets of ['redact', 'refuse'] as const) {
    const { memory, learn, path } = await openTestMemory({ settings: { memory: { secrets } } })
    await learn(STAGING)
    const events = [ran('make', false), ran(`curl -H "${secret}" localhost:4210/hidden-path`), ran('make')]
    const trace = await traced(memory, events, { conversation: 'spoken-name' })
    expect((await memory.settle(trace)).verdicts).toHaveLength(1)
    const { operations: entries } = await memory.history({ operation: 'settle' })
    expect(JSON.stringify(entries)).not.toMatch(/sk-proj|hidden-path|spoken-name/)
    expect(path).toBeDefined()
  }
})

test('a trace whose recall is forgotten, or was another one, is settled all the same', async () => {
  const { memory, learn } = await openTestMemory()
  const [staging = ''] = await learn(STAGING)
  const trace = await traced(memory, CHECKED)
  expect((await memory.settle({ ...trace, recallId: '999999' })).verdicts).toMatchObject([
    { blockId: staging },
  ])
})

test('an edit counts by its file, and a correction in another language by its words', async () => {
  const { memory, learn } = await openTestMemory()
  const [settings = ''] = await learn('Retries are set in src/retries.ts.')
  const events = [edit('src/retries.ts', 'x = 3'), reply('Nein, src/retries.ts gibt es nicht mehr.')]
  const { verdicts } = await memory.settle(await traced(memory, events, { asked: 'Where are they set?' }))
  expect(verdicts).toMatchObject([{ blockId: settings, says: 'misled', signals: ['correction'] }])
})
