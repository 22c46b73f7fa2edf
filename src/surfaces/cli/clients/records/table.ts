import { existsSync } from 'node:fs'
import { ElfmemError } from '../../../../errors.ts'
import { nearest } from '../../../../operations/wording.ts'
import type { Client, Ground } from '../client.ts'
import { claudeCode } from './claude-code.ts'
import { claudeDesktop } from './claude-desktop.ts'
import { codex } from './codex.ts'
import { cursor } from './cursor.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'
import { vscode } from './vscode.ts'
import { windsurf } from './windsurf.ts'
import { zed } from './zed.ts'

/** The clients that can be set up, by name. */
export const CLIENTS: readonly Client[] = [
  claudeCode,
  claudeDesktop,
  codex,
  cursor,
  gemini,
  opencode,
  vscode,
  windsurf,
  zed,
]

/** The word for every client that was found. */
export const ALL = 'all'

/** Clients that left a sign on this machine or in this project. */
export function foundOn(ground: Ground): readonly Client[] {
  return CLIENTS.filter((client) =>
    client.signs(ground).some((path) => path !== undefined && existsSync(path)),
  )
}

/** The clients of names, with commas between them or not; throws `INVALID_INPUT` for a name that is none. */
export function clientsNamed(names: readonly string[]): readonly Client[] {
  const given = names.flatMap((each) => each.split(',')).map((name) => name.trim().toLowerCase())
  const known = CLIENTS.map(({ name }) => name)
  const wrong = given.find((name) => !known.includes(name))
  if (wrong !== undefined) {
    const similar = nearest(wrong, known)
    throw new ElfmemError('INVALID_INPUT', `There is no client "${wrong}".`, {
      recovery: `${similar === undefined ? '' : `Did you mean ${similar}? `}Name one of ${known.join(', ')}, or ${ALL}.`,
    })
  }
  return CLIENTS.filter(({ name }) => given.includes(name))
}
