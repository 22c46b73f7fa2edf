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

/** True if a file says that the server of a project may be used. */
function allows(path: string, at: readonly string[]): boolean {
  const names = valueOfFile(path, 'json', [...at, 'enabledMcpjsonServers'])
  const isNamed = Array.isArray(names) && names.includes('elfmem')
  return isNamed || valueOfFile(path, 'json', [...at, 'enableAllProjectMcpServers']) === true
}

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
    if (allows(join(folderOf(ground), 'settings.json'), [])) return true
    const known = ['projects', project]
    // Files of a project count once its owner trusts the project.
    if (valueOfFile(own, 'json', [...known, 'hasTrustDialogAccepted']) !== true) return false
    return allows(own, known) || SETTINGS.some((name) => allows(join(project, '.claude', name), []))
  },
  next: 'Claude Code asks at its next start whether to use the server of this project.',
}
