import { mkdirSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { mustBeOwn, openServiceTokens } from '../../adapters/project/tokens/token-store.ts'
import { STORE_VARIABLE } from '../../adapters/project/variables.ts'
import { isPostgresUrl, pathIn, shownUrl } from '../../engine/address.ts'
import type { TokenStore } from '../../engine/ports.ts'
import { ElfmemError } from '../../errors.ts'

/** The place of a service's memories: a folder with a file for each, or a database of all. */
export type ServicePlace =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'database'; readonly url: string }

/** The flags by which a command names a place. */
interface PlaceFlags {
  readonly memories?: unknown
  readonly store?: unknown
  readonly db: string | undefined
}

/** Returns the place that flags or the environment name; undefined if a single file is meant. Throws `INVALID_INPUT` for two. */
export function servicePlace(
  { memories, store, db }: PlaceFlags,
  { env, cwd }: { readonly env: Readonly<Record<string, string | undefined>>; readonly cwd: string },
): ServicePlace | undefined {
  const given = Object.entries({ memories, store, db }).filter(([, value]) => value !== undefined)
  if (given.length > 1)
    throw new ElfmemError(
      'INVALID_INPUT',
      `${given.map(([name]) => `--${name}`).join(' and ')} contradict.`,
      { recovery: 'Say one of them: a folder of memories, a database of memories, or one file.' },
    )
  if (typeof memories === 'string') return { kind: 'folder', path: ownFolder(resolve(cwd, pathIn(memories))) }
  const url = store ?? (db === undefined ? env[STORE_VARIABLE] : undefined)
  if (url === undefined || url === '') return undefined
  if (typeof url === 'string' && isPostgresUrl(url)) return { kind: 'database', url }
  throw new ElfmemError('INVALID_INPUT', 'The address of the store is none of PostgreSQL.', {
    recovery: `Give --store or ${STORE_VARIABLE} an address such as postgres://elfmem@127.0.0.1/elfmem.`,
  })
}

/** Returns a folder that is this user's alone to write to; makes it if it is missing. */
function ownFolder(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new ElfmemError('STORE_FAILED', `${path} cannot be made: ${(cause as Error).message}.`, {
      recovery: 'Name a folder of your own.',
      cause,
    })
  }
  const real = realpathSync(path)
  mustBeOwn(real, process.getuid?.())
  return real
}

/** Opens the tokens of a place. */
export async function openTokens(
  place: ServicePlace,
): Promise<{ readonly tokens: TokenStore; readonly close: () => Promise<void> }> {
  if (place.kind === 'folder')
    return { tokens: openServiceTokens(place.path, process.getuid?.()), close: async () => undefined }
  const { openPostgresServer } = await import('../../engine/open-postgres.ts')
  return openPostgresServer(place.url, { connections: 1 })
}

/** Returns the name of a place without user and password. */
export function placeName(place: ServicePlace): string {
  return place.kind === 'folder' ? place.path : shownUrl(place.url)
}
