import { join } from 'node:path'
import type { Client } from '../client.ts'
import { inProject, plainServer } from './shared.ts'

/** Windsurf: one file of servers for all projects; rules are files of the project. */
export const windsurf: Client = {
  name: 'windsurf',
  title: 'Windsurf',
  startsInProject: false,
  signs: (ground) => [join(ground.home, '.codeium', 'windsurf'), inProject(ground, '.windsurf')],
  serverFile: (place, ground) =>
    place === 'user' ? join(ground.home, '.codeium', 'windsurf', 'mcp_config.json') : undefined,
  format: 'json',
  serverEntry: plainServer,
  rulesFile(_place, ground) {
    const path = inProject(ground, '.windsurf', 'rules', 'elfmem.md')
    return path === undefined ? undefined : { path }
  },
}
