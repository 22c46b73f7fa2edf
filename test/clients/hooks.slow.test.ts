import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { HASHING } from '../surfaces/helpers/cli.ts'
import { type World, world } from './world.ts'

const ROOT = join(import.meta.dirname, '../..')
const BIN = join(ROOT, 'src/bin.ts')

interface Hook {
  readonly tool?: string
  readonly input?: Readonly<Record<string, string>>
  readonly command?: string
}

const hooksIn = (at: World, path: string): Record<string, { readonly hooks: readonly Hook[] }[]> =>
  JSON.parse(at.read(path)).hooks
const argsIn = (at: World, path: string) => JSON.parse(at.read(path)).mcpServers.elfmem.args.slice(2)

test.each([
  ['claude-code', 'project/.claude/settings.json', 'hooks.json'],
  ['codex', 'project/.codex/hooks.json', 'codex.json'],
])(
  'init --hooks of %s writes the hooks of the plugin, and uninstall takes them out',
  async (client, path, file) => {
    const at = world()
    expect((await at.init(client, '--hooks')).code).toBe(0)
    const plugin = readFileSync(join(ROOT, 'plugin/hooks', file), 'utf8')
    expect(hooksIn(at, path)).toEqual(JSON.parse(plugin.replaceAll('plugin:elfmem:elfmem', 'elfmem')).hooks)
    await at.uninstall(client)
    expect(JSON.stringify(at.all())).not.toContain('elfmem')
  },
)

test('a server of a client with hooks answers them, also after a second init', async () => {
  const at = world()
  await at.init('claude-code,gemini', '--hooks')
  await at.init('gemini', '--scope', 'team')
  expect(argsIn(at, 'project/.mcp.json')).toEqual(['serve', '--hooks', '--no-socket'])
  expect(argsIn(at, 'project/.gemini/settings.json')).toEqual(['serve', '--hooks', '--scope', 'team'])
})

test('a prompt that the hook of Claude Code sends is answered with what was remembered', async () => {
  const at = world()
  await at.init('claude-code', '--hooks')
  const client = new Client({ name: 'claude-code', version: '1' })
  const env = { PATH: process.env.PATH ?? '', HOME: at.home, ...HASHING }
  const args = ['--no-warnings', BIN, ...argsIn(at, 'project/.mcp.json')]
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: at.project, env, stderr: 'ignore' }),
  )
  onTestFinished(() => client.close())
  const content = 'Staging listens on port 4210.'
  await client.callTool({ name: 'elfmem_remember', arguments: { content, source: 'user' } })
  const [hook] = hooksIn(at, 'project/.claude/settings.json').UserPromptSubmit?.[0]?.hooks ?? []
  const fields: Record<string, string> = {
    ...{ hook_event_name: 'UserPromptSubmit', session_id: 's', source: 'user' },
    prompt: 'Which port does staging listen on?',
  }
  const filled = Object.entries(hook?.input ?? {}).map(([key, value]) => [
    key,
    value.replace(/\$\{(\w+)\}/, (_, name) => fields[name] ?? ''),
  ])
  const answer = await client.callTool({ name: hook?.tool ?? '', arguments: Object.fromEntries(filled) })
  expect(JSON.stringify(answer.content)).toContain('4210')
})

test('the command of the hooks of Gemini answers with JSON where no server runs', async () => {
  const at = world()
  await at.init('gemini', '--hooks')
  const [first] = Object.values(hooksIn(at, 'project/.gemini/settings.json'))
  const command = first?.[0]?.hooks[0]?.command ?? ''
  expect(command).toBe('npx -y elfmem hook gemini')
  const run = command.replace('npx -y elfmem', `'${process.execPath}' --no-warnings '${BIN}'`)
  const env = { PATH: process.env.PATH ?? '', HOME: at.home }
  const input = '{"hook_event_name":"BeforeAgent","prompt":"x"}'
  const out = execFileSync('sh', ['-c', run], { cwd: at.project, env, input })
  expect(JSON.parse(String(out))).toEqual({})
})
