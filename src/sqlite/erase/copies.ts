import { rmSync } from 'node:fs'
import type { NeedleKind } from '../../domain/erasure/needles.ts'
import type { ErasingRequest, HeldFile } from '../../ports/store/erasing.ts'
import { bytesOf, isAbandoned, removeDatabase } from '../maintenance/paths.ts'
import { rewriteCopy } from './database-copies.ts'
import { rewriteExport } from './exports.ts'
import { allFiles, memoryFiles } from './memory-files.ts'
import { namesAny, scanFiles, timesIn, whyUnseen } from './scan.ts'

/** The remedy for a copy that cannot be written anew. */
export const DELETE_IT =
  'Delete or mend what cannot be written anew and call erase again without blocks (elfmem erase), or have it deleted with copies: delete (elfmem erase --copies delete).'
const WAIT =
  'Wait until the backup, export or import ends, then call erase again without blocks (elfmem erase).'

/** The wanted treatment of the copies of a memory. */
export interface CopiesWanted {
  readonly location: string
  readonly ids: readonly string[]
  readonly forms: ReadonlyMap<string, NeedleKind>
  readonly copies: ErasingRequest['copies']
  /** Files that held words when the erasing began. */
  readonly remembered: readonly string[]
}

/** The result for the copies. */
export interface CopiesDone {
  readonly rewritten: readonly string[]
  readonly deleted: readonly string[]
  readonly held: readonly HeldFile[]
}

/**
 * Writes the copies that hold something anew, or deletes them. What held words when the erasing began is written anew
 * whatever is found now: with the rows, the words to look for may be gone.
 */
export function doCopies({ location, ids, forms, copies, remembered }: CopiesWanted): CopiesDone {
  const { indexes, backups, unfinished, exports } = memoryFiles(location)
  const [rewritten, deleted, held]: [string[], string[], HeldFile[]] = [[], [], []]
  const holding = new Set(
    scanFiles(allFiles(location), forms)
      .filter((each) => timesIn(each) > 0 || each.unread)
      .map(({ path }) => path),
  )
  const attempt = (path: string, work: () => void) => {
    try {
      work()
    } catch (error) {
      held.push({ path, reason: `It cannot be written anew: ${whyNot(error)}`, remedy: DELETE_IT })
    }
  }
  const remove = (path: string) => {
    removeDatabase(path)
    deleted.push(path)
  }
  // Indexes are caches: whoever misses one reads the rows.
  for (const path of indexes) attempt(path, () => rmSync(path, { force: true }))
  for (const path of unfinished)
    if (isAbandoned(path)) attempt(path, () => remove(path))
    else held.push({ path, reason: 'Another process is writing it.', remedy: WAIT })
  const heldBefore = new Set(remembered.filter((path) => bytesOf(path) > 0))
  const going = { ids, forms: [...forms.keys()] }
  const isHolding = (path: string) => holding.has(path) || holding.has(`${path}-wal`) || namesAny(path, ids)
  const rewrite = (path: string) => {
    if (backups.includes(path)) rewriteCopy(path, going)
    else rewriteExport(path, going)
    rewritten.push(path)
  }
  const isDeleting = copies === 'delete'
  /** It may be clean by now. */
  const rewriteAgain = (path: string) => {
    try {
      rewrite(path)
    } catch (error) {
      if (!isDeleting) throw error
      remove(path)
    }
  }
  const doCopy = (path: string) => {
    const isExport = exports.includes(path)
    const unseen = whyUnseen(path, { isExport })
    // An export in another encoding would get other signs, whatever was found in it.
    if (unseen !== undefined && (isExport || !isHolding(path))) {
      if (isDeleting) return remove(path)
      return void held.push({ path, reason: unseen, remedy: DELETE_IT })
    }
    if (isHolding(path)) return isDeleting ? remove(path) : rewrite(path)
    if (heldBefore.has(path)) rewriteAgain(path)
  }
  for (const path of [...backups, ...exports]) attempt(path, () => doCopy(path))
  return { rewritten, deleted, held }
}

/** Says why a copy failed. Node quotes invalid JSON in its message, and that may be what is to be erased. */
function whyNot(error: unknown): string {
  if (error instanceof SyntaxError) return 'something in it is not JSON.'
  return error instanceof Error ? error.message : String(error)
}
