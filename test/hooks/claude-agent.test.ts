import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectIdentity } from '../../src/adapters/project/identity.ts'
import { agentHooks } from '../../src/hooks/claude-agent.ts'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'
import { addedBy, claude } from './helpers/payloads.ts'

const PORT = 'Staging listens on port 4210.'
const ASKED = 'which port does staging listen on?'
const BUDGET = { budgetMs: 10_000 }

function project(name: string): { readonly cwd: string; readonly scope: string } {
  const cwd = join(temporaryFolder(), name)
  mkdirSync(cwd)
  execFileSync('git', ['init', '-q'], { cwd })
  return { cwd, scope: projectIdentity({ cwd, home: process.env.HOME ?? '' }).scope }
}

test('agentHooks give a session the memory of its project', async () => {
  const { memory } = await openTestMemory()
  const [one, two] = [project('one'), project('two')]
  await memory.remember({ content: PORT, scope: one.scope })
  await memory.dream()
  const { UserPromptSubmit, Stop } = agentHooks(memory, BUDGET)
  const ask = (cwd: string, session: string) =>
    UserPromptSubmit[0]?.hooks[0]?.({ ...claude.prompt(ASKED, session), cwd }) as Promise<object>
  expect(addedBy(await ask(one.cwd, 'a'))).toContain('4210')
  expect(await ask(one.cwd, 'a')).toEqual({})
  expect(await ask(two.cwd, 'b')).toEqual({})
  expect(await Stop[0]?.hooks[0]?.(claude.stop('It is 4210.', 'a'))).toEqual({})
})

test('agentHooks with readOnly leave no trace', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(PORT)
  const { UserPromptSubmit } = agentHooks(memory, { ...BUDGET, wholeMemory: true, readOnly: true })
  const before = (await memory.history({})).operations.length
  expect(addedBy((await UserPromptSubmit[0]?.hooks[0]?.(claude.prompt(ASKED))) ?? {})).toContain('4210')
  expect((await memory.history({})).operations).toHaveLength(before)
})
