import { type Stats, statSync } from 'node:fs'
import { shellWord } from '../../domain/text/text.ts'
import { attempt, type ElfmemError } from '../../errors.ts'
import { foreign } from './refusals.ts'

/**
 * Refuses to open a memory whose file has another name. SQLite looks for the log beside the name by which a file is
 * opened, so that who comes by the other name neither sees what is in this log nor lets it be read again. Whoever only
 * copies a file may take one with many names.
 *
 * @throws `STORE_FOREIGN`
 */
export function mustHaveOneName(path: string): void {
  const stats = attempt(() => statSync(path, { throwIfNoEntry: false }))
  if (stats !== undefined && hasOtherName(stats))
    throw foreign(
      path,
      'The file of the memory has another name (a hard link): what is written under one name is lost to the other.',
      `Close whatever has it open, then make it a file of its own: ${copyOverItself(path)}. Keep a memory elsewhere as a copy (elfmem backup), never as a link.`,
    )
}

/** The refusal of a log, an index or a journal that has another name. */
export function linkedBeside(path: string, beside: string): ElfmemError {
  return foreign(
    path,
    `Beside the memory lies ${beside}, which has another name (a hard link): SQLite would write over what has it.`,
    `Close whatever has the memory open. If the file is the memory's own and a program that keeps copies linked it, make it a file of its own: ${copyOverItself(beside)}. Else move it away.`,
  )
}

/** True of a file with a second name; a folder has some anyway, and some file systems count none. */
export function hasOtherName(stats: Stats): boolean {
  return stats.isFile() && stats.nlink > 1
}

/** Leaves the other name to the file as it is. */
function copyOverItself(path: string): string {
  const [file, copy] = [shellWord(path), shellWord(`${path}.copy`)]
  return process.platform === 'win32'
    ? `copy ${file} ${copy}, then move ${copy} ${file}`
    : `cp -p ${file} ${copy} && mv ${copy} ${file}`
}
