import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { HOOK_CLIENTS } from '../../src/hooks/clients/clients.ts'
import { fieldsOf } from '../../src/hooks/event.ts'
import { callHookTool } from '../../src/surfaces/hooks/hook-tool.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
const { version, files } = read('package.json') as {
  readonly version: string
  readonly files: readonly string[]
}

interface Hook {
  readonly type: string
  readonly server: string
  readonly tool: string
  readonly input: Readonly<Record<string, string>>
}
const hooksOf = (file: string) =>
  Object.entries(read(file).hooks as Record<string, { readonly hooks: readonly Hook[] }[]>).flatMap(
    ([event, groups]) => groups.flatMap(({ hooks }) => hooks.map((hook) => ({ event, hook }))),
  )

test('the plugin is packed and starts the server of its own version', () => {
  expect(files).toEqual(expect.arrayContaining(['plugin', '.claude-plugin']))
  const manifests = ['.claude-plugin/plugin.json', '.codex-plugin/plugin.json'].map((each) =>
    read(`plugin/${each}`),
  )
  expect(manifests.map((each) => each.version)).toEqual([version, version])
  const servers = [manifests[0].mcpServers, read('plugin/.mcp.json').mcpServers]
  for (const { elfmem } of servers)
    expect(elfmem).toEqual({
      command: 'npx',
      args: ['-y', `elfmem@${version}`, 'serve', '--hooks', '--no-socket'],
    })
  expect(read('.claude-plugin/marketplace.json').plugins).toMatchObject([
    { name: 'elfmem', source: './plugin' },
  ])
})

test.each([
  ['plugin/hooks/hooks.json', 'claude-code', 'plugin:elfmem:elfmem'],
  ['plugin/hooks/codex.json', 'codex', 'elfmem'],
])('each hook of %s gives elfmem_hook what its event is read from', (file, client, server) => {
  const hooks = hooksOf(file)
  expect(hooks.length).toBeGreaterThan(3)
  for (const { event, hook } of hooks) {
    expect(hook, event).toMatchObject({ type: 'mcp_tool', server, tool: 'elfmem_hook', input: { client } })
    const payload = {
      ...hook.input,
      hook_event_name: event,
      session_id: 's',
      source: '',
      user_modified: '',
      agent_id: '',
    }
    expect(HOOK_CLIENTS.get(client)?.read(fieldsOf(payload)), event).toMatchObject({ session: 's' })
  }
})

test.each([
  ['cli', true],
  ['sdk-cli', false],
])(
  'elfmem_hook of a Claude Code that was started as %s says whether a person is there: %s',
  async (entry, is) => {
    vi.stubEnv('CLAUDE_CODE_ENTRYPOINT', entry)
    const handle = vi.fn(async (_client: string, _payload: unknown) => ({}))
    await callHookTool({ handle }, { hook_event_name: 'Stop' })
    expect(handle.mock.lastCall?.[1]).toEqual({ hook_event_name: 'Stop', isAttended: is })
    vi.unstubAllEnvs()
  },
)
