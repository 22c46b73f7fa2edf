import { existsSync } from 'node:fs'
import { ElfmemError } from '../../../../errors.ts'
import { nearest } from '../../../../operations/wording.ts'
import type { Client } from '../client.ts'
import { type Ground, pathOn } from '../paths.ts'
import { CLIENTS } from './table.ts'

/** The word for every client that was found. */
const ALL = 'all'

/** Clients that left a sign on this machine or in this project. */
export function foundOn(ground: Ground): readonly Client[] {
  return CLIENTS.filter(({ signs }) => signs.some((sign) => existsSync(pathOn(ground, sign) ?? '')))
}

/**
 * The clients of a flag: each value has one name or several with commas between them.
 *
 * @returns undefined if all are meant
 * @throws `INVALID_INPUT` for a name that is none
 */
export function clientsNamed(given: unknown): readonly Client[] | undefined {
  const names = [given].flat().flatMap((each) => String(each).split(','))
  const wanted = names.map((name) => name.trim().toLowerCase())
  if (wanted.includes(ALL)) return undefined
  const known = CLIENTS.map(({ name }) => name)
  const wrong = wanted.find((name) => !known.includes(name))
  if (wrong !== undefined) {
    const similar = wrong === '' ? undefined : nearest(wrong, known)
    throw new ElfmemError('INVALID_INPUT', `There is no client "${wrong}".`, {
      recovery: `${similar === undefined ? '' : `Did you mean ${similar}? `}Name one of ${known.join(', ')}, or ${ALL}.`,
    })
  }
  return CLIENTS.filter(({ name }) => wanted.includes(name))
}
