import { expect, test } from 'vitest'
import { holdsFence, withoutFences } from '../../src/domain/safety/memory-fence.ts'
import { Hooks } from '../../src/hooks/hooks.ts'
import { openMemory } from '../../src/memory.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { hooksOf, memoriesOf, OPTIONS } from './helpers/hooks-of.ts'
import { addedBy, claude } from './helpers/payloads.ts'

const PORT = 'Staging listens on port 4210.'
const ASKED = 'which port does staging listen on?'

test('the first prompt of a session gets who the agent is and what bears on it, in one fence', async () => {
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

test('what a session was shown comes no more until it is compacted, in a server started again too', async () => {
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

test('a changed statement is shown again', async () => {
  const { memory, learn } = await openTestMemory()
  const [port = ''] = await learn(PORT)
  const hooks = hooksOf(memory)
  await hooks.handle('claude-code', claude.prompt(ASKED))
  await memory.edit({ blockId: port, content: 'Staging listens on port 4300.' })
  const added = addedBy(await hooks.handle('claude-code', claude.prompt(ASKED)))
  expect(added).toContain('4300')
})

test('what its own agent had remembered comes to a session after a compaction only, and to others at once', async () => {
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

test('what a sub-agent remembered, or failed to, and what got other words since are no part of a conversation', async () => {
  const { memory, learn } = await openTestMemory()
  const [port = ''] = await learn(PORT)
  const hooks = hooksOf(memory)
  const refused = { hook_event_name: 'PostToolUseFailure' }
  await hooks.handle('claude-code', claude.remembered({ content: PORT }, 'a', { agent_id: 'sub' }))
  await hooks.handle('claude-code', claude.remembered({ content: PORT }, 'b', refused))
  for (const session of ['a', 'b'])
    expect(addedBy(await hooks.handle('claude-code', claude.prompt(ASKED, session)))).toContain('4210')
  await hooks.handle('claude-code', claude.remembered({ content: PORT }, 'c'))
  await memory.edit({ blockId: port, content: 'Staging listens on port 4300.' })
  expect(addedBy(await hooks.handle('claude-code', claude.prompt(ASKED, 'c')))).toContain('4300')
})

test('a prompt that asks nothing adds nothing, nor does an empty memory', async () => {
  const { memory, learn } = await openTestMemory()
  expect(await hooksOf(memory).handle('claude-code', claude.prompt(ASKED))).toEqual({})
  await learn(PORT)
  const hooks = hooksOf(memory)
  for (const prompt of ['yes', 'go on', '…', '', 42, null, ['which port does staging use'], { a: 1 }])
    expect(await hooks.handle('claude-code', claude.prompt(prompt as string))).toEqual({})
})

test('a weak match is added only where the owner says so', async () => {
  await using memory = await openMemory(':memory:')
  for (const content of [PORT, 'The office dog is called Biscuit.', 'Lunch is at noon.'])
    await memory.remember({ content })
  await memory.dream()
  const query = 'paint the garden fence green please'
  expect((await memory.recall({ query })).match).toBe('weak')
  for (const weak of [true, false]) {
    const added = addedBy(
      await hooksOf(memory, { weak }).handle('claude-code', claude.prompt(query, `${weak}`)),
    )
    expect(added !== '').toBe(weak)
  }
})

test('a weak match says so first and shows its entries only', async () => {
  await using memory = await openMemory(':memory:')
  const alike = [4210, 4300, 4444, 5000].map((port) => `Staging listens on port ${port}.`)
  for (const content of [...alike, 'The office dog is called Biscuit.', 'Lunch is at noon.'])
    await memory.remember({ content })
  await memory.dream()
  const query = 'which harbour do ships come from today?'
  const { match, text } = await memory.recall({ query })
  expect(match).toBe('weak')
  expect(text).toContain('↳ ')
  const added = addedBy(await hooksOf(memory).handle('claude-code', claude.prompt(query)))
  const [, first, , heading, entry] = added.split('\n')
  expect(first).toMatch(/^Weak match \(probability 0\.\d\d\); it may not be what you asked for\.$/)
  expect(heading).toBe('## What you know that bears on this')
  expect(entry).toMatch(/^\[1\] /)
  expect(added).not.toContain('↳ ')
  const sure = await hooksOf(memory).handle('claude-code', claude.prompt(ASKED, 'another'))
  expect(addedBy(sure)).not.toContain('match (')
})

test('words of tools, documents and peers are counted where the model reads them as the words of the system', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'Staging listens on port 4210.', source: 'README.md' })
  await memory.remember({ content: 'Staging is shipped on Fridays.' })
  await memory.dream()
  const asked = 'which port does staging listen on, and when is staging shipped?'
  const hooks = hooksOf(memory)
  const added = addedBy(await hooks.handle('claude-code', claude.prompt(asked)))
  expect(added).toContain('Fridays')
  expect(added).not.toContain('4210')
  expect(added).toContain('1 more from tools, documents or others')
  expect(await hooks.handle('claude-code', claude.prompt(asked))).toEqual({})

  const gemini = { hook_event_name: 'BeforeAgent', session_id: 'g', prompt: asked }
  expect(addedBy(await hooks.handle('gemini', gemini))).toContain('4210')
})

test('a prompt of the client itself gets nothing', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(PORT)
  const prompt = { ...claude.prompt(ASKED), source: 'loop' }
  expect(await hooksOf(memory).handle('claude-code', prompt)).toEqual({})
})

test('memories of one project never show in another, unless the owner shares them', async () => {
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
  expect(shared).toMatch(/Of the memory one, which every project shares:\n.*4210/s)
  expect(shared).not.toContain('5000')
  expect(await shownTo('one')).toMatch(/project one.*4210/s)
})

test('what a session was shown in one project says nothing of another', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: PORT, scope: 'one' })
  await memory.remember({ content: PORT, scope: 'two' })
  await memory.dream()
  for (const scope of ['one', 'two']) {
    const hooks = new Hooks(memoriesOf(memory, scope), OPTIONS)
    expect(addedBy(await hooks.handle('claude-code', claude.prompt(ASKED))), scope).toContain('4210')
    await hooks.close()
  }
})

test('only the newest sessions are kept', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(PORT)
  const hooks = hooksOf(memory)
  for (const session of ['a', 'b', 'c', 'd', 'e'])
    await hooks.handle('claude-code', claude.prompt(ASKED, session))
  await hooks.close()
  const { items } = await memory.items('hooks').list({ namespace: ['shown'] })
  expect(items).toHaveLength(3)
  const again = hooksOf(memory)
  expect(await again.handle('claude-code', claude.prompt(ASKED, 'e'))).toEqual({})
  expect(addedBy(await again.handle('claude-code', claude.prompt(ASKED, 'a')))).toContain('4210')
})
