import { expect, test } from 'vitest'
import type { Memory } from '../../src/memory.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { hooksOf } from './helpers/hooks-of.ts'
import { claude } from './helpers/payloads.ts'

const PORT = 'Staging listens on port 4210.'
const ASKED = 'which port does staging listen on?'
const CHECK = 'npm run check:staging'

/** Plays events of one session or more, then waits until what they mean is written. */
async function play(memory: Memory, ...events: readonly object[]): Promise<void> {
  const hooks = hooksOf(memory)
  for (const event of events) await hooks.handle('claude-code', event)
  await hooks.close()
}

async function evidenceOf(memory: Memory, id: string) {
  const { block, outcomes = [] } = (await memory.show({ blockId: id })) as never as {
    block: { successes: number; failures: number }
    outcomes?: readonly { source: string }[]
  }
  return {
    successes: block.successes,
    failures: block.failures,
    sources: outcomes.map(({ source }) => source),
  }
}

test('a check that failed and passes after a block was used counts for the block, at the stop', async () => {
  const { memory, learn } = await openTestMemory()
  const [port = '', dog = ''] = await learn(PORT, 'The office dog is called Biscuit.')
  await play(
    memory,
    claude.prompt(ASKED),
    claude.ran(CHECK, false),
    claude.ran('scripts/ship.sh --port 4210'),
    claude.ran(CHECK),
    claude.stop('It works.'),
  )
  const { operations } = await memory.history({ operation: 'settle' })
  expect(operations).toHaveLength(1)
  expect(operations[0]).toMatchObject({
    blockIds: [port],
    reason: expect.stringContaining('implicit: check'),
  })
  expect((await evidenceOf(memory, port)).successes).toBeGreaterThan(
    (await evidenceOf(memory, dog)).successes,
  )
  await memory.undo({ operationId: operations[0]?.id as number })
  expect((await evidenceOf(memory, port)).successes).toBe((await evidenceOf(memory, dog)).successes)
})

test('an edit that is committed counts for its block, and a revert in the next session takes away if that is switched on', async () => {
  const { memory, learn } = await openTestMemory({ settings: { implicit: { revert: true } } })
  const [port = ''] = await learn(PORT)
  await play(
    memory,
    claude.prompt(ASKED),
    claude.wrote('/w/deploy.sh', 'curl staging:4210'),
    claude.ran('git commit -am ship'),
    claude.stop(),
  )
  const committed = await evidenceOf(memory, port)
  await play(
    memory,
    claude.prompt(ASKED, 's2'),
    claude.ran('git revert --no-edit HEAD', true, 's2'),
    claude.stop('', 's2'),
  )
  const reverted = await evidenceOf(memory, port)
  expect(reverted.failures).toBeGreaterThan(committed.failures)
  const { operations } = await memory.history({ operation: 'settle' })
  expect(operations.map(({ reason }) => reason)).toEqual(['implicit: commit', 'implicit: revert'])
})

test('the user who corrects what a block led to counts against it, also after the stop', async () => {
  const { memory, learn } = await openTestMemory()
  const [port = ''] = await learn(PORT)
  const before = await evidenceOf(memory, port)
  await play(
    memory,
    claude.prompt(ASKED),
    claude.ran('curl staging:4210'),
    claude.stop('It is 4210.'),
    claude.prompt("No, that's wrong, 4210 was the old port of staging."),
  )
  expect((await evidenceOf(memory, port)).failures).toBeGreaterThan(before.failures)
})

test('what was not used, what a person changed and what a sub-agent did say nothing of a block', async () => {
  const { memory, learn } = await openTestMemory()
  const [port = ''] = await learn(PORT)
  const before = await evidenceOf(memory, port)
  await play(
    memory,
    claude.prompt(ASKED),
    claude.ran(CHECK, false),
    { ...claude.wrote('/w/a.sh', 'curl staging:4210'), tool_response: { userModified: true } },
    { ...claude.ran('curl staging:4210'), agent_id: 'sub' },
    claude.ran(CHECK),
    claude.ran('git commit -am x'),
    claude.stop('Done.'),
    claude.prompt('thanks, now the docs please'),
  )
  expect(await evidenceOf(memory, port)).toEqual(before)
  expect((await memory.history({ operation: 'settle' })).operations).toEqual([])
})

test('what stood in the conversation before its compaction says nothing after it', async () => {
  const { memory, learn } = await openTestMemory()
  const [port = ''] = await learn(PORT)
  const before = await evidenceOf(memory, port)
  await play(
    memory,
    claude.prompt(ASKED),
    claude.compact(),
    claude.prompt('go on'),
    claude.ran(CHECK, false),
    claude.ran('curl staging:4210'),
    claude.ran(CHECK),
    claude.stop(),
  )
  expect(await evidenceOf(memory, port)).toEqual(before)
})
