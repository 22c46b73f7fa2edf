import type { Engine } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { COPIES_ELSEWHERE } from '../history/erasing.ts'
import type { Store } from '../store/contract.ts'
import { readMeta, saveMeta } from '../store/log.ts'
import type { StoreFiles } from '../store/maintenance.ts'

/** Pattern of a file name in a folder of ours; matches no path. */
const PLAIN_NAME = /^[\w][\w.-]{0,119}$/

/** Paths that are remembered, the newest. */
const KEPT_MOST = 200

/** Returns the file of the memory; throws `OUT_OF_SCOPE` in a view of one scope, `STORE_FAILED` without a file. */
export function filesOf(engine: Engine): StoreFiles {
  mustBeWhole(engine)
  if (engine.store.files !== undefined) return engine.store.files
  throw new ElfmemError('STORE_FAILED', 'This memory is in no file, and ends with whatever opened it.', {
    recovery: 'Open a memory in a file to keep it.',
  })
}

/** Returns everything the memory holds, as records; throws `OUT_OF_SCOPE` in a view of one scope. */
export function recordsIn(engine: Engine): NonNullable<Store['records']> {
  mustBeWhole(engine)
  return engine.store.records as NonNullable<Store['records']>
}

function mustBeWhole({ scope, store, isAbsent }: Engine): void {
  if (scope !== undefined)
    throw new ElfmemError('OUT_OF_SCOPE', `This memory sees the scope ${scope} only; the whole holds more.`, {
      recovery: 'Call it on the whole memory, opened without a scope.',
      details: { scope },
    })
  if (isAbsent)
    throw new ElfmemError('NOT_FOUND', `There is no memory at ${store.location} yet.`, {
      recovery: 'Name another one, or remember something first.',
    })
}

/** A name that stays in its folder; throws `INVALID_INPUT`. */
export function plainName(given: string): string {
  if (PLAIN_NAME.test(given)) return given
  throw new ElfmemError('INVALID_INPUT', 'A name has letters, digits, dots, dashes and underscores only.', {
    recovery: 'Give the name as it was told; a path is for path.',
  })
}

/** A time as a file name has it. */
export function timeName(engine: Engine): string {
  return atNow(engine).replaceAll(/[:.]/g, '-')
}

/** ISO-8601 UTC. */
export function atNow({ clock }: Pick<Engine, 'clock'>): string {
  return new Date(clock.now()).toISOString()
}

/** A name in the folder that exports go to and imports come from. */
export function exportPath({ store }: Pick<Engine, 'store'>, name: string): string {
  return `${exportFolder({ store })}/${plainName(name)}`
}

/** The folder that exports go to and imports come from. */
export function exportFolder({ store }: Pick<Engine, 'store'>): string {
  return `${store.location}.exports`
}

/**
 * Remembers where a backup or an export went that is not beside the memory, so that an erasing can name it. Once it is
 * there: one that failed left nothing.
 */
export async function noteCopyElsewhere({ store }: Pick<Engine, 'store'>, path: string): Promise<void> {
  await store.write(
    async (tx) => {
      const kept = await readMeta(tx, COPIES_ELSEWHERE)
      const others = (kept === undefined ? [] : (JSON.parse(kept) as string[])).filter(
        (each) => each !== path,
      )
      await saveMeta(tx, COPIES_ELSEWHERE, JSON.stringify([...others, path].slice(-KEPT_MOST)))
    },
    { durable: false },
  )
}
