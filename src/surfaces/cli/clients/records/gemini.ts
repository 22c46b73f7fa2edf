import { join } from 'node:path'
import type { Client, Ground, Place } from '../client.ts'
import { hookOn } from './hooks.ts'
import { inProject, plainServer } from './shared.ts'

function folderOf(place: Place, ground: Ground): string | undefined {
  return place === 'project' ? inProject(ground, '.gemini') : join(ground.home, '.gemini')
}

/** Milliseconds that Gemini CLI waits for a hook at most; elfmem answers sooner. */
const HOOK_MS = 1_000
/** Events that elfmem has a use for, with the tools that they are about. */
const EVENTS = {
  SessionStart: {},
  BeforeAgent: {},
  AfterTool: { matcher: 'run_shell_command|write_file|replace' },
  AfterAgent: {},
} as const

/** Gemini CLI: servers and hooks in one file. */
export const gemini: Client = {
  name: 'gemini',
  title: 'Gemini CLI',
  startsInProject: true,
  signs: (ground) => [folderOf('user', ground), folderOf('project', ground)],
  serverFile(place, ground) {
    const folder = folderOf(place, ground)
    return folder === undefined ? undefined : join(folder, 'settings.json')
  },
  format: 'json',
  serverEntry: plainServer,
  rulesFile(place, ground) {
    const path =
      place === 'project' ? inProject(ground, 'GEMINI.md') : join(ground.home, '.gemini', 'GEMINI.md')
    return path === undefined ? undefined : { path }
  },
  hooksFile(place, ground, command) {
    const folder = folderOf(place, ground)
    const hook = {
      hooks: [{ type: 'command', name: 'elfmem', command: `${command} gemini`, timeout: HOOK_MS }],
    }
    const entries = Object.entries(EVENTS).map(([event, matcher]) => hookOn(event, { ...matcher, ...hook }))
    return folder === undefined ? undefined : { path: join(folder, 'settings.json'), entries }
  },
  needsSocket: true,
}
