import type { Client, Launch } from '../client.ts'
import { hooksOfGemini, hooksOfPlugin } from './hooks.ts'
import { hasClaudePlugin, isAllowedByClaude, isAllowedByCodex, isTrustedByCodex } from './permissions.ts'

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
