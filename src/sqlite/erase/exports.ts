import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { Finder } from '../../domain/erasure/finder.ts'
import {
  type Erased,
  type Fields,
  LostChanges,
  type References,
  type Whose,
  withoutErased,
  wordsIn,
} from '../../domain/erasure/records.ts'
import { syncPath, unfinished } from '../maintenance/paths.ts'
import type { Going } from './erase-rows.ts'
import { addWords, isHolder, type Words } from './held-words.ts'
import { ERASABLE_TABLES } from './tables.ts'

const PIECE_BYTES = 1 << 20

/** Keys of what a server said, and of which blocks were removed. */
const TOLD = ['llm_trouble', 'removed_blocks']

/** Where the name of the table stands in a line of an export. */
const TABLE = 'table'

/** Adds what an export holds of the blocks to their words. */
export function collectFromExport(path: string, ids: readonly string[], into: Words): void {
  const { whose } = blocksIn(path, ids)
  for (const { table, row } of recordsOf(path)) addWords(into, wordsIn(table, row, whose))
}

/** Writes an export anew without the blocks and their words; it is the old or the new one, whole. */
export function rewriteExport(path: string, { ids: given, forms }: Going): void {
  const ids = withHolders(path, given, new Finder(forms))
  const finder = new Finder([...forms, ...ids])
  const { whose, references } = blocksIn(path, ids)
  const erased: Erased = {
    ...whose,
    references,
    holds: (text) => finder.isIn(text),
    lost: new LostChanges(),
  }
  // What is kept for undo comes before the log in every export, so entries know what was dropped.
  const kept = function* (): Generator<{ readonly table: string; readonly row: Fields }> {
    for (const { table, row } of recordsOf(path)) {
      const isTold = table === 'meta' && TOLD.includes(String(row.key))
      const left = isTold ? undefined : withoutErased(table, row, erased)
      if (left !== undefined) yield { table, row: left }
      else if (table === 'operation_changes') erased.lost.add(row)
    }
  }
  const counts: Record<string, number> = {}
  for (const { table } of kept()) counts[table] = (counts[table] ?? 0) + 1
  writeAnew(path, headOf(path, counts), kept())
}

/** With all other blocks of an export that hold the words: as in any copy, these are of before. */
function withHolders(path: string, ids: readonly string[], finder: Finder): string[] {
  const all = new Set(ids)
  for (const { table, row } of recordsOf(path))
    if (table === 'blocks' && isHolder(row, finder)) all.add(String(row.id))
  return [...all]
}

/** The blocks' numbers in an export, and what they refer to. */
function blocksIn(
  path: string,
  ids: readonly string[],
): { readonly whose: Whose; readonly references: ReadonlyMap<string, References> } {
  const wanted = new Set(ids)
  const [arrivals, references] = [new Set<number>(), new Map<string, References>()]
  for (const { table, row } of recordsOf(path)) {
    if (table !== 'blocks' || !wanted.has(String(row.id))) continue
    arrivals.add(Number(row.arrival))
    references.set(String(row.id), row as References)
  }
  return { whose: { ids: wanted, arrivals, tables: ERASABLE_TABLES }, references }
}

/** The first line with other counts; one that is none of ours stays as it is. */
function headOf(path: string, counts: Readonly<Record<string, number>>): string {
  const [first = ''] = linesOf(path)
  const head = asFields(first)
  return head === undefined || head.counts === undefined ? first : JSON.stringify({ ...head, counts })
}

function* recordsOf(path: string): Generator<{ readonly table: string; readonly row: Fields }> {
  let isHead = true
  for (const line of linesOf(path)) {
    const fields = isHead ? undefined : asFields(line)
    isHead = false
    if (fields === undefined) continue
    const { [TABLE]: table, ...row } = fields
    yield { table: String(table), row }
  }
}

function asFields(line: string): Fields | undefined {
  if (line.trim() === '') return undefined
  const value: unknown = JSON.parse(line)
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined
}

function* linesOf(path: string): Generator<string> {
  const file = openSync(path, 'r')
  try {
    const decoder = new TextDecoder()
    const piece = new Uint8Array(PIECE_BYTES)
    const open: string[] = []
    for (;;) {
      const read = readSync(file, piece, 0, piece.length, null)
      const text = decoder.decode(piece.subarray(0, read), { stream: read > 0 })
      const parts = text.split('\n')
      open.push(parts[0] ?? '')
      for (const next of parts.slice(1)) {
        yield open.splice(0).join('')
        open.push(next)
      }
      if (read === 0) break
    }
    const rest = open.join('')
    if (rest !== '') yield rest
  } finally {
    closeSync(file)
  }
}

function writeAnew(
  path: string,
  head: string,
  records: Iterable<{ readonly table: string; readonly row: Fields }>,
): void {
  const part = unfinished(path)
  rmSync(part, { force: true })
  const file = openSync(part, 'wx', 0o600)
  try {
    writeSync(file, `${head}\n`)
    for (const { table, row } of records) {
      const fields = Object.entries(row).filter(([, value]) => value !== null && value !== undefined)
      writeSync(file, `${JSON.stringify({ table, ...Object.fromEntries(fields) })}\n`)
    }
    fsyncSync(file)
    renameSync(part, path)
  } finally {
    closeSync(file)
    rmSync(part, { force: true })
  }
  syncPath(dirname(path))
}
