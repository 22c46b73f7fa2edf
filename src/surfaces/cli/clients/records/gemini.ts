import { join } from 'node:path'
import type { Client, Ground, Place } from '../client.ts'
import { inProject, plainServer } from './shared.ts'

function folderOf(place: Place, ground: Ground): string | undefined {
  return place === 'project' ? inProject(ground, '.gemini') : join(ground.home, '.gemini')
}

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
}
