import { basename, dirname } from 'node:path'
import { ElfmemError } from '../../errors.ts'
import type { Connection } from '../connection/driver.ts'
import { unsound } from '../file/sound-pages.ts'
import { SCHEMA_VERSION } from '../migrations/schema.ts'
import { copyTo } from './backup.ts'
import { removeAbandoned } from './paths.ts'

/** Keeps a memory as it is before its format is changed; if that fails nothing is to be changed. */
export async function backupBefore(writer: Connection): Promise<void> {
  const target = `${writer.location}.before-v${SCHEMA_VERSION}.db`
  try {
    removeAbandoned(dirname(target), basename(target))
    // One of an earlier try is older than the memory is now.
    await copyTo(target, writer.location, { isForeign: true })
  } catch (cause) {
    if (ElfmemError.is(cause) && cause.code === 'STORE_CORRUPT') throw unsound(writer.location, cause.message)
    const message = `The memory has to be brought to a newer format, and the backup before that failed: ${(cause as Error).message}`
    throw new ElfmemError('STORE_FAILED', message, {
      recovery: `Make room for ${target}, then open the memory again; it was left as it is.`,
      details: { location: writer.location, target },
      cause,
    })
  }
}
