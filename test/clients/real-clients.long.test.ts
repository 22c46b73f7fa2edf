import { execFile } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, type TestContext, test } from 'vitest'
import { type RealClient, realClient } from '../hooks/helpers/real-clients.ts'
import { messagesModel } from '../hooks/helpers/scripted-models.ts'
import { type World, world } from './world.ts'

const run = promisify(execFile)
const PORT = 'Staging of the shop answers on port 4210.'

async function fetched(client: RealClient, { skip, annotate }: TestContext): Promise<string> {
  const found = await realClient(client)
  if ('path' in found) return found.path
  await annotate(found.reason)
  return skip(found.reason)
}

const envOf = ({ home }: World, more: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  ...more,
})

test('the real Claude Code, set up by init, gives its model what was remembered in the project', async (context) => {
  const claude = await fetched('claude', context)
  const at = world({
    'home/.elfmem/config.yaml': 'embeddings: { provider: hashing }\nhooks: { budget_ms: 2500 }\n',
  })
  const bin = ['--no-warnings', join(import.meta.dirname, '../../src/bin.ts')]
  const init = ['init', '--client', 'claude-code', '--hooks', '--yes', '-q']
  await run(process.execPath, [...bin, ...init], { cwd: at.project, env: envOf(at) })
  const scoped = { cwd: at.project, env: envOf(at) }
  const { stdout } = await run(process.execPath, [...bin, 'hook', '--scope'], scoped)
  await at.run(['remember', PORT, '--scope', stdout.trim()])
  await at.run(['dream', '--scope', stdout.trim()])
  const known = { hasTrustDialogAccepted: true, enabledMcpjsonServers: ['elfmem'] }
  at.write('home/.claude.json', JSON.stringify({ projects: { [realpathSync(at.project)]: known } }))
  const model = await messagesModel([{ says: 'It is 4210.' }])
  const env = envOf(at, { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'dummy' })
  const asking = run(claude, ['-p', 'Which port does staging of the shop answer on?'], {
    cwd: at.project,
    env,
  })
  asking.child.stdin?.end()
  await asking
  expect(model.requests[0]).toContain(PORT)
  const { stdout: listed } = await run(claude, ['mcp', 'list'], { cwd: at.project, env })
  expect(listed).toContain('Connected')
  expect(
    (
      await at.run(['doctor', '--clients', '--json'], {
        env: { PATH: process.env.PATH ?? '', HOME: at.home },
      })
    ).out,
  ).toContain('"allowed": true')
})
