import { join } from 'node:path'
import type { Client, Ground } from '../client.ts'
import { configFolder, inProject, serverIn, settingsFolder } from './shared.ts'

function folderOf(ground: Ground): string {
  return ground.platform === 'win32' ? join(settingsFolder(ground), 'Zed') : join(configFolder(ground), 'zed')
}

/** Zed: the user's settings, with a key of its own for servers. It starts them in the folder of the project. */
export const zed: Client = {
  name: 'zed',
  title: 'Zed',
  startsInProject: true,
  signs: (ground) => [folderOf(ground), inProject(ground, '.zed')],
  serverFile: (place, ground) => (place === 'user' ? join(folderOf(ground), 'settings.json') : undefined),
  format: 'json',
  serverEntry: ({ command, args }) => serverIn('context_servers', { command, args, env: {} }),
  rulesFile(_place, ground) {
    const path = inProject(ground, 'AGENTS.md')
    return path === undefined ? undefined : { path }
  },
}
