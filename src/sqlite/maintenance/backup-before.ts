import { renameSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { ElfmemError } from '../../errors.ts'
import type { Connection } from '../connection/driver.ts'
import { unsound } from '../file/sound-pages.ts'
import { SCHEMA_VERSION } from '../migrations/schema.ts'
import { copyInto, verified } from './backup.ts'
import { checkFile } from './check-file.ts'
import { privateFile, removeAbandoned, removeDatabase, syncPath, unfinished } from './paths.ts'

/** Keeps a memory as it is before its format is changed; if that fails nothing is to be changed. */
export async function backupBefore(writer: Connection): Promise<void> {
  const target = `${writer.location}.before-v${SCHEMA_VERSION}.db`
  const part = unfinished(target)
  try {
    removeAbandoned(dirname(target), basename(target))
    removeDatabase(part)
    privateFile(part)
    // What somebody else may have made is counted where it can be ended.
    const least = await checkFile({ does: 'count', path: writer.location }, { isForeign: true })
    await copyInto(writer.location, part)
    await verified(part, { least, isForeign: true })
    syncPath(part)
    // One of an earlier try is older than the memory is now.
    renameSync(part, target)
    syncPath(dirname(target))
  } catch (cause) {
    if (ElfmemError.is(cause) && cause.code === 'STORE_CORRUPT') throw unsound(writer.location, cause.message)
    throw new ElfmemError(
      'STORE_FAILED',
      `The memory has to be brought to a newer format, and the backup before that failed: ${(cause as Error).message}`,
      {
        recovery: `Make room for ${target}, then open the memory again; it was left as it is.`,
        details: { location: writer.location, target },
        cause,
      },
    )
  } finally {
    removeDatabase(part)
  }
}
