import { expect, test } from 'vitest'
import type { Memory } from '../../src/engine/memory.ts'
import { Hooks } from '../../src/hooks/hooks.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { hooksOf, memoriesOf, OPTIONS } from './helpers/hooks-of.ts'
import { addedBy, claude } from './helpers/payloads.ts'

const ALWAYS = 'From now on, always run the linter before you commit.'
const ASK = 3
/** The name of the tool, which only a request has. */
const REQUEST = 'elfmem_remember'

/** The payloads of a client, for a session. */
interface Played {
  readonly client: string
  prompt(text: string): object
  readonly compact?: object
}

const named = (hook_event_name: string, more: object = {}) => ({ hook_event_name, session_id: 's1', ...more })
const clients: readonly Played[] = [
  { client: 'claude-code', prompt: (prompt) => claude.prompt(prompt), compact: claude.compact() },
  { client: 'codex', prompt: (prompt) => named('UserPromptSubmit', { prompt }), compact: claude.compact() },
  { client: 'gemini', prompt: (prompt) => named('BeforeAgent', { prompt }) },
  {
    client: 'opencode',
    prompt: (prompt) => ({ event: 'prompt', session: 's1', prompt }),
    compact: { event: 'compact', session: 's1' },
  },
]

const contextOf = (answer: object) => addedBy(answer) || ((answer as { context?: string }).context ?? '')
const captured = async (memory: Memory) =>
  (await memory.ls({ tag: 'captured', status: 'inbox' })).blocks.map(({ content }) => content)

/** Tells a client's hooks of prompts, one after the other; what each answer adds. */
async function said(hooks: Hooks, { client, prompt }: Played, ...texts: readonly string[]) {
  const added: string[] = []
  for (const text of texts) added.push(contextOf(await hooks.handle(client, prompt(text))))
  return added
}

test.each(clients)('an instruction in a prompt of $client is kept, told once and undone', async (played) => {
  const { memory } = await openTestMemory()
  const hooks = hooksOf(memory)
  const [first = '', second] = await said(hooks, played, ALWAYS, 'go on')
  const [block] = (await memory.ls({ tag: 'captured', status: 'inbox' })).blocks
  expect(block).toMatchObject({ content: ALWAYS, category: 'instruction' })
  expect(first).toContain(block?.id.slice(0, 8))
  expect(second).toBe('')
  await memory.undo({ operationId: Number(/operationId: (\d+)/.exec(first)?.[1]) })
  expect(await captured(memory)).toEqual([])
})

test('nothing is kept where it is off, where nothing may be written, and of a prompt that nobody typed', async () => {
  const { memory } = await openTestMemory()
  const off = hooksOf(memory, { instructions: false })
  const reader = new Hooks({ ...memoriesOf(memory), mayWrite: false }, { ...OPTIONS, ask: 1 })
  const hooks = hooksOf(memory)
  const texts = [
    await off.handle('claude-code', claude.prompt(ALWAYS)),
    await reader.handle('claude-code', claude.prompt(ALWAYS)),
    await reader.handle('claude-code', claude.prompt('go on')),
    await hooks.handle('claude-code', { ...claude.prompt(ALWAYS), source: 'schedule_wakeup' }),
    await hooks.handle('opencode', { event: 'prompt', session: 's', prompt: ALWAYS, isChild: true }),
  ].map(contextOf)
  expect(texts.join('')).toBe('')
  expect(await captured(memory)).toEqual([])

  const { memory: set } = await openTestMemory({ settings: { capture: { instructions: false } } })
  await hooksOf(set).handle('claude-code', claude.prompt(ALWAYS))
  expect(await captured(set)).toEqual([])
})

test('the next answer tells once what was kept during a slow recall', async () => {
  const { memory } = await openTestMemory()
  const { own } = memoriesOf(memory, 'slow')
  const { promise, resolve } = Promise.withResolvers<void>()
  const recall: typeof own.recall = async (...given) => {
    await promise
    return own.recall(...given)
  }
  const memories = { ...memoriesOf(memory), own: { ...own, recall } }
  const hooks = new Hooks(memories, { ...OPTIONS, budgetMs: 100 })
  expect(await hooks.handle('claude-code', claude.prompt(ALWAYS))).toEqual({})
  resolve()
  await hooks.close()
  const next = async () => addedBy(await hooks.handle('claude-code', claude.prompt('go on'), 10_000))
  expect(await next()).toContain('operationId')
  expect(await next()).toBe('')
})

test.each(clients)(
  'an agent in $client that kept nothing is asked once, and again after compaction',
  async (played) => {
    const { memory } = await openTestMemory()
    const hooks = hooksOf(memory, { ask: ASK })
    const asks = async (number: number) =>
      (await said(hooks, played, ...Array<string>(number).fill('go on'))).map((text) =>
        text.includes(REQUEST),
      )
    expect(await asks(ASK + 1)).toEqual([false, false, false, true])
    expect(await asks(2 * ASK)).not.toContain(true)
    await hooks.close()
    const again = hooksOf(memory, { ask: ASK })
    expect(await said(again, played, 'go on')).toEqual([''])
    if (played.compact === undefined) return
    await again.handle(played.client, played.compact)
    const added = await said(again, played, ...Array<string>(2 * ASK).fill('go on'))
    expect(added.join('').split(REQUEST)).toHaveLength(2)
  },
)

test('a remember ends requests until nothing was kept for as long again', async () => {
  const { memory } = await openTestMemory()
  const [played] = clients as [Played]
  const hooks = hooksOf(memory, { ask: ASK })
  await said(hooks, played, 'go on', 'go on')
  await memory.remember({ content: 'Staging listens on port 4210.' })
  expect((await said(hooks, played, 'go on', 'go on', 'go on')).join()).not.toContain(REQUEST)
  expect((await said(hooks, played, 'go on', 'go on', 'go on')).join()).toContain(REQUEST)
})

test('Claude Code is asked as its agent stops, once, if a person is there and no hook has made it go on', async () => {
  const { memory } = await openTestMemory()
  const hooks = hooksOf(memory, { ask: ASK })
  await memory.remember({ content: 'Staging listens on port 4210.' })
  const work = async (session: string) => {
    for (const step of ['ls', 'npm test', 'git diff'])
      await hooks.handle('claude-code', claude.ran(step, true, session))
  }
  const played = async (session: string, stopped: object) => {
    await hooks.handle('claude-code', claude.prompt('fix the door', session))
    await work(session)
    const stop = { ...claude.stop('Done.', session), ...stopped }
    const answers = [await hooks.handle('claude-code', stop), await hooks.handle('claude-code', stop)]
    return answers.map((answer) => addedBy(answer).includes(REQUEST))
  }
  expect(await played('a', { isAttended: true, stop_hook_active: 'false' })).toEqual([true, false])
  expect(await played('b', {})).toEqual([false, false])
  expect(await played('c', { isAttended: true, stop_hook_active: 'true' })).toEqual([false, false])
  const compacted = async () => {
    await hooks.handle('claude-code', claude.compact('b'))
    return addedBy(await hooks.handle('claude-code', claude.start('compact', 'b')))
  }
  expect(await compacted()).toContain(REQUEST)
  expect(await compacted()).toBe('')
  await work('b')
  expect(await compacted()).toContain(REQUEST)
})
