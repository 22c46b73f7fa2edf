import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { shellWord } from '../../block/text.ts'
import { ElfmemError } from '../../errors.ts'
import { backupFolder, backupNames, bytesOf, exportFolder, namesIn } from './paths.ts'

/**
 * Refuses to begin a new memory where there was one: its file is empty or missing, and backups, exports or a log lie
 * beside it. A new one would answer as if nothing had ever been known.
 *
 * @throws `STORE_MISSING`, which names what lies there and how to go on
 */
export function mustNotBeLost(location: string): void {
  const [backup] = backupNames(backupFolder(location))
  const others = tracesOf(location)
  if (backup === undefined && others.length === 0) return
  const isThere = existsSync(location)
  const beside = [...(backup === undefined ? [] : [`backups (the newest is ${backup})`]), ...others]
  const bring =
    backup === undefined
      ? ''
      : `To have it back: elfmem restore-backup ${backup} --db ${shellWord(location)}. `
  const log =
    bytesOf(`${location}-wal`) === 0
      ? 'what lies there stays'
      : 'SQLite removes the log then, so move it away if the file may come back'
  const message = `The file of the memory is ${isThere ? 'empty' : 'gone'}, but there was one: beside it lie ${beside.join(' and ')}.`
  throw new ElfmemError('STORE_MISSING', message, {
    recovery: `${bring}To begin a new memory open it with --new, or { anew: true }; ${log}.`,
    details: { location, ...(backup === undefined ? {} : { backup }), beside },
  })
}

function tracesOf(location: string): string[] {
  const exported = namesIn(exportFolder(location)).filter((each) => each.endsWith('.jsonl'))
  return [
    ...(exported.length === 0 ? [] : [`exports (${exportFolder(location)})`]),
    ...(bytesOf(`${location}-wal`) === 0 ? [] : [`its log (${basename(location)}-wal)`]),
  ]
}
