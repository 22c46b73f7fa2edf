import { join } from 'node:path'
import type { Client, Ground } from '../client.ts'
import { hooksOfPlugin } from './hooks.ts'
import { inProject, mcpServers, valueOfFile } from './shared.ts'

function folderOf({ home, env }: Ground): string {
  return env.CLAUDE_CONFIG_DIR || join(home, '.claude')
}

/** Files of a project in which Claude Code keeps what was allowed. */
const SETTINGS = ['settings.json', 'settings.local.json']

/** Where it keeps that the plugin is on. */
const PLUGIN = ['enabledPlugins', 'elfmem@elfmem']

/** Claude Code: `.mcp.json` of the project, which it asks about once, or the user's `.claude.json`. */
export const claudeCode: Client = {
  name: 'claude-code',
  title: 'Claude Code',
  startsInProject: true,
  signs: (ground) => [
    folderOf(ground),
    join(ground.home, '.claude.json'),
    inProject(ground, '.mcp.json'),
    inProject(ground, '.claude'),
  ],
  serverFile: (place, ground) =>
    place === 'project'
      ? inProject(ground, '.mcp.json')
      : join(ground.env.CLAUDE_CONFIG_DIR || ground.home, '.claude.json'),
  format: 'json',
  serverEntry: ({ command, args }) => mcpServers({ type: 'stdio', command, args, env: {} }),
  rulesFile(place, ground) {
    const path = place === 'project' ? inProject(ground, 'CLAUDE.md') : join(folderOf(ground), 'CLAUDE.md')
    return path === undefined ? undefined : { path }
  },
  hooksFile(place, ground) {
    const path =
      place === 'project'
        ? inProject(ground, '.claude', 'settings.json')
        : join(folderOf(ground), 'settings.json')
    return path === undefined ? undefined : { path, entries: hooksOfPlugin('hooks.json') }
  },
  hasPlugin(ground) {
    const files = [
      join(folderOf(ground), 'settings.json'),
      ...SETTINGS.map((name) => inProject(ground, '.claude', name)),
    ]
    return files.some((path) => path !== undefined && valueOfFile(path, 'json', PLUGIN) === true)
  },
  isAllowed(place, ground) {
    const { project } = ground
    if (place === 'user' || project === undefined) return undefined
    const own = join(ground.env.CLAUDE_CONFIG_DIR || ground.home, '.claude.json')
    const lists = [
      valueOfFile(own, 'json', ['projects', project, 'enabledMcpjsonServers']),
      ...SETTINGS.map((name) =>
        valueOfFile(join(project, '.claude', name), 'json', ['enabledMcpjsonServers']),
      ),
      valueOfFile(join(folderOf(ground), 'settings.json'), 'json', ['enabledMcpjsonServers']),
    ]
    return lists.some((names) => Array.isArray(names) && names.includes('elfmem'))
  },
  next: 'Claude Code asks at its next start whether to use the server of this project.',
}
