import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { attempt, ElfmemError } from '../../errors.ts'
import { logBelongs } from '../file/belonging.ts'
import { HEADER_BYTES, headerOf } from '../file/bytes/header.ts'
import { type Pages, pagesOf } from '../file/bytes/pages.ts'
import { type PageRecord, recordsOf } from '../file/bytes/records.ts'
import { schemaIn } from '../file/bytes/stored-schema.ts'
import { readLog } from '../file/bytes/write-ahead-log.ts'
import { closeFile } from '../file/descriptors.ts'
import { nameOfType } from '../file/refusals.ts'

/** The counts of what was read of a file. */
export interface RescueFindings {
  /** Rows of the table of blocks that were read. */
  readonly rows: number
  /** Pages and rows that could not be. */
  readonly lost: number
  /** True if more rows or bytes were there than are read. */
  readonly isCut: boolean
}

/** More than any memory holds; a crafted file may have any number. */
const MOST_ROWS = 1_000_000
const MOST_BYTES = 2 ** 31

const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Copies the rows of the table `blocks` as JSON, one a line, into a file. The pages are read as bytes: no SQLite opens the
 * file, so nothing in it runs, and torn pages cost only their own rows.
 *
 * @param target an empty file
 * @throws `NOT_FOUND`, `STORE_FOREIGN` or `STORE_CORRUPT` if no such table can be recognised
 */
export function copyForeignRows(path: string, target: string): RescueFindings {
  const { file, log, pages } = openForeign(path)
  try {
    const out = openSync(target, 'w', 0o600)
    try {
      return copyRows(path, pages, out)
    } finally {
      closeSync(out)
    }
  } finally {
    if (log !== undefined) closeSync(log)
    closeFile(file)
  }
}

/** A database that is open as bytes; whoever opens it closes both files. */
interface ForeignFile {
  readonly file: number
  readonly log: number | undefined
  readonly pages: Pages
}

/** Opens a database as bytes, with the log beside it; throws `NOT_FOUND`, `STORE_FOREIGN` or `STORE_CORRUPT`. */
export function openForeign(path: string): ForeignFile {
  const file = opened(path)
  const log = attempt(() => openSync(`${path}-wal`, READ))
  try {
    return { file, log, pages: pagesWith(path, file, log) }
  } catch (error) {
    if (log !== undefined) closeSync(log)
    closeFile(file)
    throw error
  }
}

function opened(path: string): number {
  const file = attempt(() => openSync(path, READ))
  if (file === undefined)
    throw new ElfmemError('NOT_FOUND', `There is no file at ${path} that may be read.`, {
      recovery: 'Name a file that exists.',
    })
  const kind = nameOfType(fstatSync(file))
  if (kind === undefined) return file
  closeSync(file)
  throw new ElfmemError('STORE_FOREIGN', `${path} is ${kind}.`, { recovery: 'Name a regular file.' })
}

/** With the log beside the file, if it is the file's. */
function pagesWith(path: string, file: number, log: number | undefined): Pages {
  const bytes = Buffer.alloc(HEADER_BYTES)
  readSync(file, bytes, 0, HEADER_BYTES, 0)
  const header = headerOf(bytes)
  if (header === undefined)
    throw new ElfmemError('STORE_CORRUPT', `${path} is no SQLite database: its first page says nothing.`, {
      recovery: 'Restore a backup; nothing can be recognised in this file.',
    })
  const alone = pagesOf(file, header)
  const frames = log === undefined || !fstatSync(log).isFile() ? undefined : readLog(log)
  if (log === undefined || frames === undefined || frames.places.size === 0) return alone
  const together = pagesOf(file, header, { file: log, frames })
  return logBelongs({ alone, together, frames }) ? together : alone
}

function copyRows(path: string, pages: Pages, out: number): RescueFindings {
  let [rows, lost, bytes] = [0, 0, 0]
  const lose = () => {
    lost += 1
  }
  const table = schemaIn(pages, lose).find(
    ({ type, name, root, sql }) =>
      type === 'table' && name === 'blocks' && root > 0 && /^CREATE TABLE\b/i.test(sql),
  )
  const columns = columnsOf(table?.sql ?? '')
  if (table === undefined || !columns.includes('content'))
    throw new ElfmemError('STORE_FOREIGN', `${path} has no table in which blocks can be recognised.`, {
      recovery: 'Restore a backup, if there is one.',
    })
  for (const record of recordsOf(pages, table.root, lose)) {
    if (rows >= MOST_ROWS || bytes >= MOST_BYTES) return { rows, lost, isCut: true }
    const line = `${JSON.stringify(fieldsOf(record, columns))}\n`
    writeSync(out, line)
    rows += 1
    bytes += line.length
  }
  return { rows, lost, isCut: false }
}

/** Texts and numbers by their columns; the rest is nothing that a block needs. */
function fieldsOf({ row, values }: PageRecord, columns: readonly string[]): Record<string, unknown> {
  const pairs = columns.map((column, i) => [column, values[i]] as const)
  const plain = pairs.filter(([, value]) => typeof value === 'string' || typeof value === 'number')
  return { arrival: row, ...Object.fromEntries(plain) }
}

/** Words with which a constraint of a table begins, and no column. */
const CONSTRAINTS = new Set(['PRIMARY', 'UNIQUE', 'CHECK', 'FOREIGN', 'CONSTRAINT'])

/** The names of the columns in the text that made a table, in order; linear in the text, and runs nothing. */
export function columnsOf(sql: string): string[] {
  return partsOf(sql).flatMap((part) => {
    const name = /^(?:"([^"]*)"|`([^`]*)`|\[([^\]]*)\]|(\w+))/.exec(part)
    const found = name?.[1] ?? name?.[2] ?? name?.[3] ?? name?.[4]
    return found === undefined || (name?.[4] !== undefined && CONSTRAINTS.has(found.toUpperCase()))
      ? []
      : [found]
  })
}

/** Quoted texts, brackets, commas, and what stands between them. */
const TOKEN = /'[^']*'|"[^"]*"|`[^`]*`|[(),]|[^'"`(),]+/g

/** The texts between the commas of the outermost brackets. */
function partsOf(sql: string): string[] {
  const parts: string[] = []
  let depth = 0
  for (const [token] of sql.matchAll(TOKEN)) {
    if (token === ')') depth -= 1
    if (depth === 1 && token === ',') parts.push('')
    else if (depth >= 1) parts.push(`${parts.pop() ?? ''}${token}`)
    if (token === '(') depth += 1
  }
  return parts.map((part) => part.trim())
}
