import { execFile } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, type TestContext, test } from 'vitest'
import { EDITORS, serverEntry } from '../../src/surfaces/cli/clients/client.ts'
import { CLIENTS } from '../../src/surfaces/cli/clients/records/table.ts'
import { type RealClient, realClient } from '../hooks/helpers/real-clients.ts'
import { messagesModel } from '../hooks/helpers/scripted-models.ts'
import { asProcess, type World, world } from './world.ts'

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

const COMMANDS = [
  ['claude-code', 'claude', ['--scope', 'project'], 'project/.mcp.json'],
  ['codex', 'codex', [], 'home/.codex/config.toml'],
] as const

for (const [name, program, flags, path] of COMMANDS)
  test(`the command of ${name} writes the entry that init writes`, async (context) => {
    const command = await fetched(program, context)
    const at = world()
    const args = ['mcp', 'add', 'elfmem', ...flags, '--', 'elfmem', 'serve', '--project-scope']
    await run(command, args, { cwd: at.project, env: envOf(at) })
    const client = CLIENTS.find((each) => each.name === name)!
    const entry = serverEntry(client, { command: 'elfmem', args: ['serve', '--project-scope'] })
    expect(EDITORS[client.format].stands(at.read(path), entry)).toBe('same')
  })

test('with what init wrote, the real Claude Code gives its model what was remembered in the project', async (context) => {
  const claude = await fetched('claude', context)
  const at = world({
    'home/.elfmem/config.yaml': 'embeddings: { provider: hashing }\nhooks: { budget_ms: 2500 }\n',
  })
  expect((await asProcess(at, ['init', '--client', 'claude-code', '--hooks', '--yes', '-q'])).code).toBe(0)
  const { stdout } = await run(
    process.execPath,
    ['--no-warnings', join(import.meta.dirname, '../../src/bin.ts'), 'hook', '--scope'],
    { cwd: at.project, env: envOf(at) },
  )
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
