import { Finder, piecesOf } from '../../history/erase.ts'
import type { Connection } from '../connection/connection.ts'
import { ERASABLE_TABLES, TEXT_COLUMNS } from './tables.ts'

/** The texts of blocks that are to be erased, and the kept blocks that hold one of them. */
export interface Looked {
  readonly texts: readonly string[]
  /** The words of these texts, in lower case, that no kept block has. */
  readonly words: readonly string[]
  readonly standingIn: readonly string[]
  /** The pieces of these texts that no kept block holds: no byte of them is to be left. */
  readonly pieces: readonly string[]
}

/** Number of kept blocks that are named at most because they hold a text of an erased one. */
const MOST_STANDING = 20

/** Selects the words from before an edit, and reasons: in what is kept for `undo`, and in the log. */
const SELECT_FORMER = `SELECT changed.value -> 'was' ->> 'content' AS one, changed.value -> 'is' ->> 'content' AS two,
  changed.value -> 'was' ->> 'cue' AS three, changed.value -> 'is' ->> 'cue' AS four
FROM operation_changes, json_each(changes, '$.blocks') AS changed
WHERE changed.value -> 'key' ->> 0 IN (SELECT arrival FROM blocks WHERE id IN (SELECT value FROM json_each(?1)))
UNION ALL SELECT reason, before ->> 'content', before ->> 'cue', NULL FROM operations
WHERE json_array_length(block_ids) = 1 AND operation <> 'recall'
  AND block_ids ->> 0 IN (SELECT value FROM json_each(?1))`

const SELECT_KEPT = `SELECT id, content, summary, cue FROM blocks
WHERE id NOT IN (SELECT value FROM json_each(?1)) ORDER BY arrival`

/** Collects the texts of blocks, also those from before an edit, and finds the kept blocks that hold one of them. */
export function lookAt(memory: Connection, ids: readonly string[], given: readonly string[]): Looked {
  const list = JSON.stringify(ids)
  const texts = textsOf(memory, list, given)
  const pieces = [...new Set(texts.flatMap(piecesOf))]
  const finder = new Finder(pieces)
  const words = new Set(texts.flatMap(wordsOf))
  const standing = new Set<string>()
  const standingIn: string[] = []
  for (const { id, ...row } of memory.each<{ id: string }>(SELECT_KEPT, list)) {
    const said = textIn(row)
    const found = finder.standingIn(said)
    for (const piece of found) standing.add(piece)
    for (const word of wordsOf(said)) words.delete(word)
    if (found.size > 0 && standingIn.length < MOST_STANDING) standingIn.push(id)
  }
  return { texts, words: [...words], standingIn, pieces: pieces.filter((piece) => !standing.has(piece)) }
}

/** Returns all texts of blocks: their words now and before, and the notes about them. */
function textsOf(memory: Connection, list: string, given: readonly string[]): string[] {
  const statements = [SELECT_FORMER]
  for (const [table, { ends, words }] of ERASABLE_TABLES) {
    if (words.length === 0 || ends.length === 0) continue
    const isTheirs = ends.map((end) => `${end} IN (SELECT value FROM json_each(?1))`).join(' OR ')
    statements.push(`SELECT ${words.join(', ')} FROM ${table} WHERE ${isTheirs}`)
  }
  const rows = statements.flatMap((sql) => memory.all(sql, list).flatMap((row) => Object.values(row)))
  const texts = [...given, ...rows].flatMap((text) => (typeof text === 'string' ? [text.trim()] : []))
  return [...new Set(texts)].filter((text) => text !== '')
}

/** Returns the pieces that no row holds any more, so that they may stand in no byte of the file. */
export function piecesWithoutRow(memory: Connection, pieces: readonly string[]): readonly string[] {
  const finder = new Finder(pieces)
  const standing = new Set<string>()
  const statements = [...TEXT_COLUMNS].map(([table, columns]) => `SELECT ${columns.join(', ')} FROM ${table}`)
  for (const sql of [...statements, 'SELECT sql FROM sqlite_schema'])
    for (const row of memory.each(sql))
      for (const piece of finder.standingIn(textIn(row))) standing.add(piece)
  return pieces.filter((piece) => !standing.has(piece))
}

/** Returns the words and numbers of a text with four characters or more, in lower case. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]{4,}/gu) ?? []
}

function textIn(row: Readonly<Record<string, unknown>>): string {
  return Object.values(row)
    .filter((value) => typeof value === 'string')
    .join('\n')
}
