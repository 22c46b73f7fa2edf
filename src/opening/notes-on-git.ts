import { filesInGit } from '../adapters/system/tracked-files.ts'
import { stillTracked } from '../flow/inspect/file-checks.ts'

/**
 * The notes on a memory that git is made to ignore and tracks all the same, before it is opened; none or one
 * sentence.
 */
export async function notesOnGit(database: string): Promise<string[]> {
  const note = stillTracked((await filesInGit(database)).tracked, database)
  return note === undefined ? [] : [note]
}
