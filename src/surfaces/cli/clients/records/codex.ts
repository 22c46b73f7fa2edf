import { join } from 'node:path'
import type { Client, Ground, Place } from '../client.ts'
import { hooksOfPlugin } from './hooks.ts'
import { inProject, serverIn, valueOfFile } from './shared.ts'

function userFolder({ home, env }: Ground): string {
  return env.CODEX_HOME || join(home, '.codex')
}

function folderOf(place: Place, ground: Ground): string | undefined {
  return place === 'project' ? inProject(ground, '.codex') : userFolder(ground)
}

/** Codex: TOML in the user's folder, or in that of a project that the user let Codex trust. */
export const codex: Client = {
  name: 'codex',
  title: 'Codex',
  startsInProject: true,
  signs: (ground) => [userFolder(ground), inProject(ground, '.codex')],
  serverFile(place, ground) {
    const folder = folderOf(place, ground)
    return folder === undefined ? undefined : join(folder, 'config.toml')
  },
  format: 'toml',
  serverEntry: ({ command, args }) => serverIn('mcp_servers', { command, args }),
  rulesFile(place, ground) {
    const path = place === 'project' ? inProject(ground, 'AGENTS.md') : join(userFolder(ground), 'AGENTS.md')
    return path === undefined ? undefined : { path }
  },
  hooksFile(place, ground) {
    const folder = folderOf(place, ground)
    return folder === undefined
      ? undefined
      : { path: join(folder, 'hooks.json'), entries: hooksOfPlugin('codex.json') }
  },
  trustsHooks(path, ground) {
    const state = valueOfFile(join(userFolder(ground), 'config.toml'), 'toml', ['hooks', 'state'])
    const isOf = ([key, value]: [string, unknown]) =>
      key.startsWith(`${path}:`) && Object(value).trusted_hash !== undefined
    return Object.entries(Object(state)).some(isOf)
  },
  nextForHooks:
    'Open /hooks in Codex once and trust those of elfmem: until then it skips them without a word.',
  isAllowed(place, ground) {
    const { project } = ground
    if (place === 'user' || project === undefined) return undefined
    const config = join(userFolder(ground), 'config.toml')
    return valueOfFile(config, 'toml', ['projects', project, 'trust_level']) === 'trusted'
  },
  next: 'Codex reads a file of a project only if it was told to trust the project.',
}
