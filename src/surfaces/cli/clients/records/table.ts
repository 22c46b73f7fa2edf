import { readFileSync } from 'node:fs'
import { systemFiles } from '../../../../adapters/project/files.ts'
import { attempt, ownFile } from '../../../../errors.ts'
import { type Client, EDITORS, type Launch } from '../client.ts'
import type { Entry } from '../edit/entry.ts'
import { readGuarded } from '../files/guarded-file.ts'
import { type ClientPath, type Ground, pathOn } from '../paths.ts'

/** The plugin's own files of hooks, beside the code as it is packed. */
const FOLDER = '../../../../../plugin/hooks/'
/** The name of the server in the plugin of Claude Code; in a file of the user or of a project it has none before it. */
const IN_PLUGIN = '"plugin:elfmem:elfmem"'

/** The hooks that the plugin has, one entry for each event, for a server that is configured without the plugin. */
function hooksOfPlugin(file: 'hooks.json' | 'codex.json'): readonly Entry[] {
  const read = () => readFileSync(new URL(FOLDER + file, import.meta.url), 'utf8')
  const text = ownFile(`plugin/hooks/${file}`, read).replaceAll(IN_PLUGIN, '"elfmem"')
  const { hooks } = JSON.parse(text) as { readonly hooks: Readonly<Record<string, readonly unknown[]>> }
  return Object.entries(hooks).flatMap(([event, groups]) => groups.map((value) => hookOn(event, value)))
}

/** Milliseconds that Gemini CLI waits for a hook at most; elfmem answers sooner. */
const GEMINI_MS = 1_000
/** Events of Gemini CLI that elfmem has a use for, with the tools that they are about. */
const GEMINI_EVENTS = {
  SessionStart: {},
  BeforeAgent: {},
  AfterTool: { matcher: 'run_shell_command|write_file|replace|elfmem_remember' },
  AfterAgent: {},
} as const

/** The hooks of Gemini CLI, which run a command. */
function hooksOfGemini(command: string): readonly Entry[] {
  const hook = { type: 'command', name: 'elfmem', command: `${command} gemini`, timeout: GEMINI_MS }
  return Object.entries(GEMINI_EVENTS).map(([event, matcher]) => hookOn(event, { ...matcher, hooks: [hook] }))
}

/** Returns the entry of one more hook of an event. */
function hookOn(event: string, value: unknown): Entry {
  return { kind: 'item', at: ['hooks', event], value }
}

/** The value of a file at a path of keys; undefined if there is none or the file cannot be read. */
function settingOf(ground: Ground, path: ClientPath, at: readonly string[]): unknown {
  const file = pathOn(ground, path)
  if (file === undefined) return undefined
  // Some clients keep their history in such a file.
  const text =
    attempt(() => systemFiles.read(file)) ??
    attempt(() => readGuarded(file, { uid: process.getuid?.(), onlyToRead: true }).text)
  const format = file.endsWith('.toml') ? 'toml' : 'json'
  return attempt(() => EDITORS[format].valueAt(text ?? '', at))
}

/** Files of a project in which Claude Code keeps what was allowed. */
const OF_PROJECT = ['{project}/.claude/settings.json', '{project}/.claude/settings.local.json'] as const

/** True if the plugin of Claude Code is switched on. */
function hasClaudePlugin(ground: Ground): boolean {
  const at = ['enabledPlugins', 'elfmem@elfmem']
  return (['{claude}/settings.json', ...OF_PROJECT] as const).some(
    (path) => settingOf(ground, path, at) === true,
  )
}

/** True if Claude Code may use the server of a project. */
function isAllowedByClaude(ground: Ground): boolean {
  const allows = (path: ClientPath, at: readonly string[] = []) => {
    const names = settingOf(ground, path, [...at, 'enabledMcpjsonServers'])
    if (Array.isArray(names) && names.includes('elfmem')) return true
    return settingOf(ground, path, [...at, 'enableAllProjectMcpServers']) === true
  }
  if (allows('{claude}/settings.json')) return true
  const [own, known] = ['{besideClaude}/.claude.json' as const, ['projects', ground.project ?? '']]
  // Files of a project count once its owner trusts the project.
  if (settingOf(ground, own, [...known, 'hasTrustDialogAccepted']) !== true) return false
  return allows(own, known) || OF_PROJECT.some((path) => allows(path))
}

/** True if the user let Codex trust a project, so that it reads its files. */
function isAllowedByCodex(ground: Ground): boolean {
  const at = ['projects', ground.project ?? '', 'trust_level']
  return settingOf(ground, '{codex}/config.toml', at) === 'trusted'
}

/** True if the user let Codex run the hooks of a file. */
function isTrustedByCodex(ground: Ground, hooksFile: string): boolean {
  const hooks = Object.entries(Object(settingOf(ground, '{codex}/config.toml', ['hooks', 'state'])))
  return hooks.some(
    ([key, value]) => key.startsWith(`${hooksFile}:`) && Object(value).trusted_hash !== undefined,
  )
}

const plain = ({ command, args }: Launch) => ({ command, args })
const typed = ({ command, args }: Launch) => ({ type: 'stdio', command, args })
const bearer = (variable: string) => ({ Authorization: `Bearer ${variable}` })
/** A variable as most clients write one in their files. */
const inBraces = (variable: string) => `$\{${variable}}`
const everywhere = (next: string) => ({ project: next, user: next })

/** The clients that can be set up, by name. */
export const CLIENTS: readonly Client[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    startsInProject: true,
    signs: ['{claude}', '{home}/.claude.json', '{project}/.mcp.json', '{project}/.claude'],
    server: { project: '{project}/.mcp.json', user: '{besideClaude}/.claude.json' },
    format: 'json',
    key: 'mcpServers',
    value: (launch) => ({ ...typed(launch), env: {} }),
    // Its documentation promises variables for the file of a project alone.
    remote: (url, place) =>
      place === 'user' ? undefined : { type: 'http', url, headers: bearer(inBraces('ELFMEM_TOKEN')) },
    rules: { project: '{project}/CLAUDE.md', user: '{claude}/CLAUDE.md' },
    hooks: {
      files: { project: '{project}/.claude/settings.json', user: '{claude}/settings.json' },
      entries: () => hooksOfPlugin('hooks.json'),
    },
    hasPlugin: hasClaudePlugin,
    isAllowed: isAllowedByClaude,
    next: { project: 'Claude Code asks at its next start whether to use the server of this project.' },
  },
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    startsInProject: false,
    signs: ['{settings}/Claude'],
    server: { user: '{settings}/Claude/claude_desktop_config.json' },
    format: 'json',
    key: 'mcpServers',
    value: plain,
    next: everywhere('Quit Claude Desktop and start it again.'),
  },
  {
    name: 'codex',
    title: 'Codex',
    startsInProject: true,
    signs: ['{codex}', '{project}/.codex'],
    server: { project: '{project}/.codex/config.toml', user: '{codex}/config.toml' },
    format: 'toml',
    key: 'mcp_servers',
    value: plain,
    remote: (url) => ({ url, bearer_token_env_var: 'ELFMEM_TOKEN' }),
    rules: { project: '{project}/AGENTS.md', user: '{codex}/AGENTS.md' },
    hooks: {
      files: { project: '{project}/.codex/hooks.json', user: '{codex}/hooks.json' },
      entries: () => hooksOfPlugin('codex.json'),
      areTrusted: isTrustedByCodex,
      next: 'Open /hooks in Codex once and trust those of elfmem: until then it skips them without a word.',
    },
    isAllowed: isAllowedByCodex,
    next: { project: 'Codex reads a file of a project only if it was told to trust the project.' },
  },
  {
    name: 'cursor',
    title: 'Cursor',
    startsInProject: false,
    signs: ['{home}/.cursor', '{project}/.cursor'],
    server: { project: '{project}/.cursor/mcp.json', user: '{home}/.cursor/mcp.json' },
    format: 'json',
    key: 'mcpServers',
    value: plain,
    remote: (url) => ({ url, headers: bearer(inBraces('env:ELFMEM_TOKEN')) }),
    // The front matter says that the rule always holds.
    preamble: '---\ndescription: The memory of this project\nalwaysApply: true\n---\n\n',
    rules: { project: '{project}/.cursor/rules/elfmem.mdc' },
    next: everywhere('Switch the server on in the settings of Cursor, under MCP.'),
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    startsInProject: true,
    signs: ['{home}/.gemini', '{project}/.gemini'],
    server: { project: '{project}/.gemini/settings.json', user: '{home}/.gemini/settings.json' },
    format: 'json',
    key: 'mcpServers',
    value: plain,
    remote: (url) => ({ httpUrl: url, headers: bearer('$ELFMEM_TOKEN') }),
    rules: { project: '{project}/GEMINI.md', user: '{home}/.gemini/GEMINI.md' },
    hooks: {
      files: { project: '{project}/.gemini/settings.json', user: '{home}/.gemini/settings.json' },
      entries: hooksOfGemini,
      needSocket: true,
    },
  },
  {
    name: 'opencode',
    title: 'opencode',
    startsInProject: true,
    signs: ['{config}/opencode', '{project}/opencode.json', '{project}/.opencode'],
    server: {
      project: ['{project}/opencode.jsonc', '{project}/opencode.json'],
      user: ['{config}/opencode/opencode.jsonc', '{config}/opencode/opencode.json'],
    },
    format: 'json',
    key: 'mcp',
    value: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
    // Without `oauth: false` it asks for a login in the place of sending the header.
    remote: (url) => ({
      ...{ type: 'remote', url, oauth: false, enabled: true },
      headers: bearer('{env:ELFMEM_TOKEN}'),
    }),
    rules: { project: '{project}/AGENTS.md', user: '{config}/opencode/AGENTS.md' },
  },
  {
    name: 'vscode',
    title: 'VS Code',
    startsInProject: false,
    signs: ['{settings}/Code', '{project}/.vscode'],
    server: { project: '{project}/.vscode/mcp.json', user: '{settings}/Code/User/mcp.json' },
    format: 'json',
    key: 'servers',
    value: typed,
    rules: { project: '{project}/.github/copilot-instructions.md' },
    next: everywhere('VS Code asks before it starts the server for the first time.'),
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    startsInProject: false,
    signs: ['{home}/.codeium/windsurf', '{project}/.windsurf'],
    server: { user: '{home}/.codeium/windsurf/mcp_config.json' },
    format: 'json',
    key: 'mcpServers',
    value: plain,
    remote: (url) => ({ serverUrl: url, headers: bearer(inBraces('env:ELFMEM_TOKEN')) }),
    rules: { project: '{project}/.windsurf/rules/elfmem.md' },
  },
  {
    name: 'zed',
    title: 'Zed',
    startsInProject: true,
    signs: ['{zed}', '{project}/.zed'],
    server: { user: '{zed}/settings.json' },
    format: 'json',
    key: 'context_servers',
    value: (launch) => ({ ...plain(launch), env: {} }),
    rules: { project: '{project}/AGENTS.md' },
  },
]
