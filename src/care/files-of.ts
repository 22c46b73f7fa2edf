import type { Engine } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { COPIES_ELSEWHERE } from '../history/erase.ts'
import type { ScopeCounts, StoreFiles } from '../store/database.ts'
import { readMeta, saveMeta } from '../store/log.ts'
import type { Store } from '../store/transaction.ts'

/** Pattern of a file name in a folder of elfmem; matches no path. */
const PLAIN_NAME = /^[\w][\w.-]{0,119}$/

/** Returns the file of the memory; throws `OUT_OF_SCOPE` in a view of one scope, `INVALID_INPUT` without a file. */
export function filesOf(engine: Engine): StoreFiles {
  mustBeWhole(engine)
  const { files, isLasting } = engine.store
  if (files !== undefined) return files
  throw new ElfmemError('INVALID_INPUT', 'This memory is in no file of its own.', {
    recovery: isLasting
      ? 'Back it up with the tools of the database that holds it (pg_dump for PostgreSQL), or call export() with a path. From a service the owner gets all of it with GET /v1/export.'
      : 'It ends with what opened it: call export() with a path to keep what it has, or open a memory in a file.',
  })
}

/** Returns all rows of the memory as records; throws `OUT_OF_SCOPE` in a view of one scope. */
export function recordsIn(engine: Engine): NonNullable<Store['records']> {
  mustBeWhole(engine)
  return engine.store.records as NonNullable<Store['records']>
}

/** Throws `OUT_OF_SCOPE` in a view of one scope, `NOT_FOUND` where no memory is. */
export function mustBeWhole(engine: Engine): void {
  const { scope } = engine
  if (scope !== undefined)
    throw new ElfmemError('OUT_OF_SCOPE', `This memory sees the scope ${scope} only; the whole holds more.`, {
      recovery: 'Call it on the whole memory, opened without a scope.',
      details: { scope },
    })
  mustBeThere(engine)
}

/** Throws `NOT_FOUND` where no memory is. */
export function mustBeThere({ store, isAbsent }: Engine): void {
  if (isAbsent)
    throw new ElfmemError('NOT_FOUND', `There is no memory at ${store.location} yet.`, {
      recovery: 'Name another one, or remember something first.',
    })
}

/** Returns a file name that stays in its folder; throws `INVALID_INPUT` for any other. */
export function plainName(given: string): string {
  if (PLAIN_NAME.test(given)) return given
  throw new ElfmemError('INVALID_INPUT', 'A name has letters, digits, dots, dashes and underscores only.', {
    recovery: 'Give the name as it was told; a path is for path.',
  })
}

/** Returns the present time in the form of a file name. */
export function timeName(engine: Engine): string {
  return atNow(engine).replaceAll(/[:.]/g, '-')
}

/** Returns the present time, ISO-8601 UTC. */
export function atNow({ clock }: Pick<Engine, 'clock'>): string {
  return new Date(clock.now()).toISOString()
}

/** Returns the path of a name in the folder of exports; throws as `filesOf`. */
export function exportPath(engine: Engine, name: string): string {
  return `${filesOf(engine).exportFolder}/${plainName(name)}`
}

/**
 * Notes the path of a backup or an export that is not beside the memory, or the folder of its files, so that an erasing can name it. It is
 * called once a file is there.
 */
export async function noteCopyElsewhere({ store }: Pick<Engine, 'store'>, path: string): Promise<void> {
  await store.write(
    async (tx) => {
      const kept = JSON.parse((await readMeta(tx, COPIES_ELSEWHERE)) ?? '[]') as string[]
      const others = kept.filter((each) => each !== path)
      await saveMeta(tx, COPIES_ELSEWHERE, JSON.stringify([...others, path].slice(-200)))
    },
    { durable: false },
  )
}

/** A memory place has the size of the memory's file, its backups and its scopes. */
export interface MemoryPlace {
  /** Bytes of the memory's file; absent without a file, or for a memory of one scope. */
  readonly bytes?: number
  readonly backupFolder?: string
  /** Names of the backups in that folder, newest first. */
  readonly backups: readonly string[]
  /** At most 50 scopes, those with most blocks first. */
  readonly scopes: readonly ScopeCounts[]
}

/** Reads the size, the backups and the scopes of a memory. */
export async function readPlace({ store, scope }: Pick<Engine, 'store' | 'scope'>): Promise<MemoryPlace> {
  const scopes = scope === undefined ? await store.read((tx) => tx.queries.scopes(50)) : []
  const { files } = store
  if (files === undefined) return { backups: [], scopes }
  const [bytes, backups] = await Promise.all([files.bytes(), files.backups()])
  return { bytes, backupFolder: files.folder, backups, scopes }
}
