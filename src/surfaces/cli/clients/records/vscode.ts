import { join } from 'node:path'
import type { Client } from '../client.ts'
import { inProject, serverIn, settingsFolder } from './shared.ts'

/** VS Code: its own key for servers, in the folder of the project or in the user's profile. */
export const vscode: Client = {
  name: 'vscode',
  title: 'VS Code',
  startsInProject: false,
  signs: (ground) => [join(settingsFolder(ground), 'Code'), inProject(ground, '.vscode')],
  serverFile: (place, ground) =>
    place === 'project'
      ? inProject(ground, '.vscode', 'mcp.json')
      : join(settingsFolder(ground), 'Code', 'User', 'mcp.json'),
  format: 'json',
  serverEntry: ({ command, args }) => serverIn('servers', { type: 'stdio', command, args }),
  rulesFile(_place, ground) {
    const path = inProject(ground, '.github', 'copilot-instructions.md')
    return path === undefined ? undefined : { path }
  },
  next: 'VS Code asks before it starts the server for the first time.',
}
