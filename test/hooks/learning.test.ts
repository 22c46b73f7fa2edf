import { expect, test } from 'vitest'
import type { Memory } from '../../src/engine/memory.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { hooksOf } from './helpers/hooks-of.ts'
import { addedBy, claude } from './helpers/payloads.ts'

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
  const { successes, failures } = (await memory.show({ blockId: id })).block
  return { successes, failures }
}

test('a check that failed and passes after a block was used is evidence for it, and undo takes it back', async () => {
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

test('unused blocks, edits of a person and acts of a sub-agent are no evidence', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(PORT)
  await play(
    memory,
    claude.prompt(ASKED),
    claude.ran(CHECK, false),
    { ...claude.wrote('/w/a.sh', 'curl staging:4210'), tool_response: { userModified: true } },
    { ...claude.ran('curl staging:4210'), agent_id: 'sub' },
    claude.ran(CHECK),
    claude.stop('Done.'),
    claude.prompt('thanks, now the docs please'),
  )
  expect((await memory.history({ operation: 'settle' })).operations).toEqual([])
})

test('the prompt after a check that failed and passes after a change is told so, once', async () => {
  const { memory } = await openTestMemory()
  const hooks = hooksOf(memory)
  const texts: string[] = []
  for (const event of [
    claude.prompt('make the checks pass'),
    claude.ran(CHECK, false),
    claude.wrote('/w/port.ts', 'port = 4210'),
    claude.ran(CHECK),
    claude.stop('It works.'),
    // Another hook made it go on.
    claude.stop('There is nothing to keep.'),
    claude.prompt('thanks, now the docs please'),
    claude.prompt('and the tests'),
  ])
    texts.push(addedBy(await hooks.handle('claude-code', event)))
  await hooks.close()
  expect(texts.map((text) => text.includes('category strategy'))).toEqual([
    ...Array(6).fill(false),
    true,
    false,
  ])
  expect(texts[6]).toContain(CHECK)
})
