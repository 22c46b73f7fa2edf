import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Client, Ground, Place } from '../client.ts'
import { configFolder, inProject, serverIn } from './shared.ts'

function folderOf(place: Place, ground: Ground): string | undefined {
  return place === 'project' ? ground.project : join(configFolder(ground), 'opencode')
}

/** opencode: `opencode.json`, or `opencode.jsonc` where that is there. A server is a list of words. */
export const opencode: Client = {
  name: 'opencode',
  title: 'opencode',
  startsInProject: true,
  signs: (ground) => [
    folderOf('user', ground),
    inProject(ground, 'opencode.json'),
    inProject(ground, '.opencode'),
  ],
  serverFile(place, ground) {
    const folder = folderOf(place, ground)
    if (folder === undefined) return undefined
    const commented = join(folder, 'opencode.jsonc')
    return existsSync(commented) ? commented : join(folder, 'opencode.json')
  },
  format: 'json',
  serverEntry: ({ command, args }) =>
    serverIn('mcp', { type: 'local', command: [command, ...args], enabled: true }),
  rulesFile(place, ground) {
    const folder = folderOf(place, ground)
    return folder === undefined ? undefined : { path: join(folder, 'AGENTS.md') }
  },
}
