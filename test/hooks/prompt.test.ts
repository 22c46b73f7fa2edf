import { expect, test } from 'vitest'
import { holdsFence, withoutFences } from '../../src/block/text.ts'
import { openMemory } from '../../src/engine/memory.ts'
import { Hooks } from '../../src/hooks/hooks.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { hooksOf, memoriesOf, OPTIONS } from './helpers/hooks-of.ts'
import { addedBy, claude } from './helpers/payloads.ts'

const PORT = 'Staging listens on port 4210.'
const ASKED = 'which port does staging listen on?'

test('the first prompt of a session gets the self frame and what bears on it in one fence', async () => {
  const { memory, learn } = await openTestMemory()
  await memory.setup({ identity: 'I am careful with ports.' })
  const [port = ''] = await learn(PORT, 'The office dog is called Biscuit.')
  const hooks = hooksOf(memory)
  const answer = await hooks.handle('claude-code', claude.prompt(ASKED))
  const added = addedBy(answer)
  expect(added).toContain('I am careful with ports.')
  expect(added).toContain('4210')
  expect(holdsFence(added)).toBe(true)
  expect(withoutFences(added)).toMatchObject({ text: '' })
  expect(withoutFences(added).ids).toContain(port.slice(0, 8))
  expect(answer).toMatchObject({ hookSpecificOutput: { hookEventName: 'UserPromptSubmit' } })
})

test('a block is shown once in a session until compaction, also after a restart', async () => {
  const { memory, learn } = await openTestMemory()
  await memory.setup({ identity: 'I am careful with ports.' })
  await learn(PORT)
  const hooks = hooksOf(memory)
  expect(addedBy(await hooks.handle('claude-code', claude.prompt(ASKED)))).toContain('4210')
  expect(await hooks.handle('claude-code', claude.prompt(ASKED))).toEqual({})
  await hooks.close()

  const again = hooksOf(memory)
  expect(await again.handle('claude-code', claude.prompt(ASKED))).toEqual({})
  expect(addedBy(await again.handle('claude-code', claude.prompt(ASKED, 'another session')))).toContain(
    '4210',
  )
  await again.handle('claude-code', claude.compact())
  const added = addedBy(await again.handle('claude-code', claude.prompt(ASKED)))
  expect(added).toContain('4210')
  expect(added).toContain('I am careful with ports.')
})

test('a block that its own session wrote is shown after compaction only', async () => {
  const { memory } = await openTestMemory()
  const [one, two] = ['Staging listens on port 4210.', 'Staging listens on port 4300 at night.']
  await memory.remember({ content: one })
  await memory.rememberMany({ blocks: [{ content: two }] })
  const hooks = hooksOf(memory)
  await hooks.handle('claude-code', claude.remembered({ content: ` ${one}\n` }))
  const ask = async (session?: string) =>
    addedBy(await hooks.handle('claude-code', claude.prompt(ASKED, session)))
  expect(await ask()).toMatch(/^(?!.*4210).*4300/s)
  expect(await ask('another')).toMatch(/4210/)
  await hooks.handle('claude-code', claude.compact())
  await hooks.handle('claude-code', claude.remembered({ blocks: [{ content: two }] }))
  expect(await ask()).toMatch(/^(?!.*4300).*4210/s)
})

test('an answer that is no match is shown only with perhaps: true', async () => {
  await using memory = await openMemory(':memory:', { config: { recall: { matchFrom: 1 } } })
  for (const content of [PORT, 'The office dog is called Biscuit.', 'Lunch is at noon.'])
    await memory.remember({ content })
  await memory.dream()
  const query = 'which pet lives in the office'
  expect((await memory.recall({ query })).match).toBe('perhaps')
  for (const perhaps of [true, false]) {
    const added = addedBy(
      await hooksOf(memory, { perhaps }).handle('claude-code', claude.prompt(query, `${perhaps}`)),
    )
    expect(added !== '').toBe(perhaps)
  }
})

test('a client that reads hooks as words of the system is shown no words of documents', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'Staging listens on port 4210.', source: 'README.md' })
  await memory.remember({ content: 'Staging is shipped on Fridays.' })
  await memory.dream()
  const asked = 'which port does staging listen on, and when is staging shipped?'
  const hooks = hooksOf(memory)
  const added = addedBy(await hooks.handle('claude-code', claude.prompt(asked)))
  expect(added).toContain('Fridays')
  expect(added).not.toContain('4210')
  expect(await hooks.handle('claude-code', claude.prompt(asked))).toEqual({})

  const gemini = { hook_event_name: 'BeforeAgent', session_id: 'g', prompt: asked }
  expect(addedBy(await hooks.handle('gemini', gemini))).toContain('4210')
})

test('memory of one project is shown in another only if it is shared', async () => {
  const { memory } = await openTestMemory()
  await memory.setup({ identity: 'I am the agent of project one.', scope: 'one' })
  await memory.remember({ content: PORT, scope: 'one' })
  await memory.remember({ content: 'Staging listens on port 5000.' })
  await memory.remember({ content: 'Staging of two listens on port 9000.', scope: 'two' })
  await memory.dream()
  const shownTo = async (...scopes: readonly [string, ...string[]]) => {
    const hooks = new Hooks(memoriesOf(memory, ...scopes), OPTIONS)
    return addedBy(await hooks.handle('claude-code', claude.prompt(ASKED, scopes.join())))
  }
  expect(await shownTo('two')).toMatch(/9000/)
  expect(await shownTo('two', 'none such')).not.toMatch(/4210|5000|project one/)
  const shared = await shownTo('two', 'one')
  expect(shared).toMatch(/9000/)
  expect(shared).toMatch(/\bone\b.*\n.*4210/s)
  expect(shared).not.toContain('5000')
  expect(await shownTo('one')).toMatch(/project one.*4210/s)
})
