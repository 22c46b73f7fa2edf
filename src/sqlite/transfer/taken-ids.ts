import { hash } from 'node:crypto'
import { otherIds } from '../../domain/block/ids.ts'
import type { Edge } from '../../domain/graph/edge.ts'
import { isSameText } from '../../domain/text/same-text.ts'
import { columnsWhere } from '../../ports/store/description.ts'
import { blocks } from '../../store/tables.ts'
import type { Connection } from '../connection/connection.ts'
import { EXPORTED_TABLES, quoted } from './tables.ts'

const SELECT_MET = `SELECT given.id, given.content, given.scope
FROM staged.blocks AS given CROSS JOIN main.blocks AS there ON there.id = given.id
WHERE there.content <> given.content OR there.scope <> given.scope
ORDER BY given.id`

const SELECT_HOLDERS = `SELECT id, content, scope, 1 AS isHere FROM main.blocks WHERE id IN (SELECT value FROM json_each(?1))
UNION ALL
SELECT id, content, scope, 0 FROM staged.blocks WHERE id IN (SELECT value FROM json_each(?1))`

const RENAMED = 'CREATE TEMP TABLE renamed (old TEXT PRIMARY KEY, new TEXT NOT NULL) STRICT'
const RENAME = 'INSERT INTO temp.renamed (old, new) SELECT value ->> 0, value ->> 1 FROM json_each(?1)'

const MENTIONS = columnsWhere(blocks, ({ block }) => block === 'mention')

/** A block of the import, or of this memory. */
interface Met {
  readonly id: string
  readonly content: string
  readonly scope: string
}

const sha256 = (text: string): string => hash('sha256', text)

/**
 * Gives staged blocks whose ids belong to other texts here, of whatever origin, the ids of their exact words, and lets
 * all that names them follow. The same file again gets the same ids, so that it adds nothing. Two statements for the ids.
 */
export function renameTaken(importer: Connection): void {
  const renamed = renamedIds(importer)
  if (renamed.length === 0) return
  importer.control('PRAGMA defer_foreign_keys = ON')
  importer.control(RENAMED)
  importer.run(RENAME, JSON.stringify(renamed))
  importer.run(`UPDATE staged.blocks SET id = ${current('id')} WHERE id IN (SELECT old FROM temp.renamed)`)
  for (const column of MENTIONS)
    importer.run(
      `UPDATE staged.blocks SET ${column} = ${current(column)} WHERE ${column} IN (SELECT old FROM temp.renamed)`,
    )
  for (const { name, blockIds } of EXPORTED_TABLES)
    if (blockIds.length > 0) importer.run(follow(name, blockIds))
  renameArchived(importer, new Map(renamed))
}

function renamedIds(importer: Connection): readonly (readonly [old: string, now: string])[] {
  // The text of a block here may have changed since the export, but what it says is the same.
  const here = (ids: readonly string[]) =>
    importer.all<Met & { readonly isHere: number }>(SELECT_HOLDERS, JSON.stringify(ids))
  const met = importer.all<Met>(SELECT_MET)
  const known = new Map(
    here(met.map(({ id }) => id)).flatMap((each) => (each.isHere ? [[each.id, each]] : [])),
  )
  const taken = met.filter((block) => !saysSame(block, known.get(block.id)))
  const wanted = new Map(taken.map((block) => [block.id, idsOf(block)]))
  const holders = Map.groupBy(here([...wanted.values()].flat()), ({ id }) => id)
  const given = new Set<string>()
  return taken.flatMap((block) => {
    const isFree = (id: string) =>
      !given.has(id) && (holders.get(id) ?? []).every((each) => each.isHere === 1 && saysSame(block, each))
    const id = wanted.get(block.id)?.find(isFree)
    if (id === undefined) return []
    given.add(id)
    return [[block.id, id] as const]
  })
}

function saysSame(block: Met, other: Met | undefined): boolean {
  return other !== undefined && block.scope === other.scope && isSameText(block.content, other.content)
}

/** Ids a block may get in place of its own, the last from that id, so that nobody else wants it. */
function idsOf({ id, content, scope }: Met): string[] {
  const text = { content, ...(scope === '' ? {} : { scope }) }
  return [...otherIds(text, sha256), sha256(`${content}\0${scope}\0${id}`).slice(0, 16)]
}

/** The id a column names by now. */
function current(column: string): string {
  return `coalesce((SELECT new FROM temp.renamed WHERE old = ${quoted(column)}), ${quoted(column)})`
}

/** Two ends without a direction stand in the order of their ids. */
function follow(table: string, columns: readonly string[]): string {
  const [one = '', other] = columns.toSorted()
  const isOrdered = columns.includes('from_id') || columns.includes('a')
  const values =
    isOrdered && other !== undefined
      ? [
          `${quoted(one)} = min(${current(one)}, ${current(other)})`,
          `${quoted(other)} = max(${current(one)}, ${current(other)})`,
        ]
      : columns.map((column) => `${quoted(column)} = ${current(column)}`)
  const named = columns.map((column) => `${quoted(column)} IN (SELECT old FROM temp.renamed)`)
  return `UPDATE staged.${quoted(table)} SET ${values.join(', ')} WHERE ${named.join(' OR ')}`
}

/** The edges and pairs that archived blocks keep are JSON. */
function renameArchived(importer: Connection, renamed: ReadonlyMap<string, string>): void {
  const now = (id: string) => renamed.get(id) ?? id
  const ends = (one: string, other: string) => [now(one), now(other)].sort() as [string, string]
  const rows = importer.all<{ block_id: string; edges: string; pairs: string }>(
    'SELECT block_id, edges, pairs FROM staged.archived_edges',
  )
  for (const { block_id, edges, pairs } of rows) {
    if (![...renamed.keys()].some((id) => edges.includes(id) || pairs.includes(id))) continue
    const moved = (JSON.parse(edges) as Edge[]).map((edge) => {
      const [from, to] = ends(edge.from, edge.to)
      return { ...edge, from, to }
    })
    const paired = (JSON.parse(pairs) as { a: string; b: string }[]).map((pair) => {
      const [a, b] = ends(pair.a, pair.b)
      return { ...pair, a, b }
    })
    importer.run(
      'UPDATE staged.archived_edges SET edges = ?2, pairs = ?3 WHERE block_id = ?1',
      block_id,
      JSON.stringify(moved),
      JSON.stringify(paired),
    )
  }
}
