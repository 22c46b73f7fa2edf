import { expect, test } from 'vitest'
import { agentHooks } from '../../src/hooks/claude-agent.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { addedBy, claude } from './helpers/payloads.ts'

const PORT = 'Staging listens on port 4210.'
const ASKED = 'which port does staging listen on?'
const BUDGET = { budgetMs: 10_000 }

test('agentHooks show the memory of their scope once, and all of it without a scope', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: PORT, scope: 'named' })
  await memory.dream()
  const hooksOf = (options: Parameters<typeof agentHooks>[1] = {}) => {
    const { UserPromptSubmit, Stop } = agentHooks(memory, { ...BUDGET, ...options })
    const prompt = async (session: string) =>
      addedBy((await UserPromptSubmit[0]?.hooks[0]?.(claude.prompt(ASKED, session))) ?? {})
    return { prompt, stop: () => Stop[0]?.hooks[0]?.(claude.stop('It is 4210.', 'a')) }
  }
  const named = hooksOf({ scope: 'named' })
  expect(await named.prompt('a')).toContain('4210')
  expect(await named.prompt('a')).toBe('')
  expect(await named.stop()).toEqual({})
  expect(await hooksOf().prompt('b')).toContain('4210')
  expect(await hooksOf({ scope: 'other' }).prompt('c')).toBe('')
})

test('agentHooks with readOnly leave no trace', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(PORT)
  const { UserPromptSubmit } = agentHooks(memory, { ...BUDGET, readOnly: true })
  const before = (await memory.history({})).operations.length
  expect(addedBy((await UserPromptSubmit[0]?.hooks[0]?.(claude.prompt(ASKED))) ?? {})).toContain('4210')
  expect((await memory.history({})).operations).toHaveLength(before)
})
