import { join } from 'node:path'
import type { Client } from '../client.ts'
import { plainServer, settingsFolder } from './shared.ts'

/** Claude Desktop: one file for all chats, no projects and no rules. */
export const claudeDesktop: Client = {
  name: 'claude-desktop',
  title: 'Claude Desktop',
  startsInProject: false,
  signs: (ground) => [join(settingsFolder(ground), 'Claude')],
  serverFile: (place, ground) =>
    place === 'user' ? join(settingsFolder(ground), 'Claude', 'claude_desktop_config.json') : undefined,
  format: 'json',
  serverEntry: plainServer,
  rulesFile: () => undefined,
  next: 'Quit Claude Desktop and start it again.',
}
