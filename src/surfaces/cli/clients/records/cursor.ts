import { join } from 'node:path'
import type { Client } from '../client.ts'
import { inProject, plainServer } from './shared.ts'

/** The front matter of a rule that always holds. */
const ALWAYS = '---\ndescription: The memory of this project\nalwaysApply: true\n---\n\n'

/** Cursor: `mcp.json` of the project or of the user; rules are files of their own. */
export const cursor: Client = {
  name: 'cursor',
  title: 'Cursor',
  startsInProject: false,
  signs: (ground) => [join(ground.home, '.cursor'), inProject(ground, '.cursor')],
  serverFile: (place, ground) =>
    place === 'project' ? inProject(ground, '.cursor', 'mcp.json') : join(ground.home, '.cursor', 'mcp.json'),
  format: 'json',
  serverEntry: plainServer,
  rulesFile(_place, ground) {
    const path = inProject(ground, '.cursor', 'rules', 'elfmem.mdc')
    return path === undefined ? undefined : { path, preamble: ALWAYS }
  },
  next: 'Switch the server on in the settings of Cursor, under MCP.',
}
