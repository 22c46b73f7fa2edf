/** The file of a client as its users have it: with comments, other servers and settings of their own. */
export interface Config {
  readonly client: string
  readonly path: string
  readonly text: string
  /** The keys that lead to our entry. */
  readonly at: readonly [string, string]
  /** Comments that must stay. */
  readonly comments: readonly string[]
}

const CURSOR = `{
  // servers of the team
  "mcpServers": {
    "github": {
      "url": "https://api.githubcopilot.com/mcp/",
      "headers": { "Authorization": "Bearer \${GITHUB_TOKEN}" }
    }
  }
}
`

export const CONFIGS: readonly Config[] = [
  {
    client: 'claude-code',
    path: 'project/.mcp.json',
    text: '{\n  "mcpServers": {\n    "postgres": { "type": "stdio", "command": "npx", "args": ["-y", "pg-mcp"], "env": {} }\n  }\n}\n',
    at: ['mcpServers', 'elfmem'],
    comments: [],
  },
  {
    client: 'claude-desktop',
    path: 'home/.config/Claude/claude_desktop_config.json',
    text: '{\n  "globalShortcut": "Ctrl+Space",\n  "mcpServers": {\n    "files": { "command": "npx", "args": ["-y", "files-mcp", "/srv"] }\n  }\n}',
    at: ['mcpServers', 'elfmem'],
    comments: [],
  },
  {
    client: 'codex',
    path: 'project/.codex/config.toml',
    text: '# our model\nmodel = "gpt-5.4" # the fast one\n\n[mcp_servers.docs]\ncommand = "npx"\nargs = ["-y", "docs-mcp"]\n\n# looks\n[tui]\nnotifications = true\n',
    at: ['mcp_servers', 'elfmem'],
    comments: ['# our model', '# the fast one', '# looks'],
  },
  {
    client: 'codex',
    path: 'project/.codex/config.toml',
    text: '# our model\r\nmodel = "gpt-5.4"\r\n\r\n[mcp_servers.docs]\r\ncommand = "npx"\r\n',
    at: ['mcp_servers', 'elfmem'],
    comments: ['# our model'],
  },
  {
    client: 'cursor',
    path: 'project/.cursor/mcp.json',
    text: CURSOR,
    at: ['mcpServers', 'elfmem'],
    comments: ['// servers of the team'],
  },
  {
    client: 'gemini',
    path: 'project/.gemini/settings.json',
    text: '{\n\t// looks\n\t"theme": "GitHub",\n\t"mcpServers": {\n\t\t// ours\n\t\t"search": { "command": "search-mcp", "timeout": 3000 }\n\t}\n}\n',
    at: ['mcpServers', 'elfmem'],
    comments: ['// looks', '// ours'],
  },
  {
    client: 'opencode',
    path: 'project/opencode.jsonc',
    text: '{\n  "$schema": "https://opencode.ai/config.json",\n  // the small one\n  "model": "anthropic/claude-haiku-4-5"\n}\n',
    at: ['mcp', 'elfmem'],
    comments: ['// the small one'],
  },
  {
    client: 'vscode',
    path: 'project/.vscode/mcp.json',
    text: '{\r\n  "servers": {\r\n    // tests\r\n    "playwright": { "type": "stdio", "command": "npx" }\r\n  },\r\n  "inputs": []\r\n}\r\n',
    at: ['servers', 'elfmem'],
    comments: ['// tests'],
  },
  {
    client: 'windsurf',
    path: 'home/.codeium/windsurf/mcp_config.json',
    text: '',
    at: ['mcpServers', 'elfmem'],
    comments: [],
  },
  {
    client: 'zed',
    path: 'home/.config/zed/settings.json',
    text: '// Zed settings\n{\n  "vim_mode": true,\n  /* models */ "agent": { "default_model": { "model": "claude" } }, // as of May\n  "context_servers": {\n  },\n}\n',
    at: ['context_servers', 'elfmem'],
    comments: ['// Zed settings', '/* models */', '// as of May'],
  },
]
