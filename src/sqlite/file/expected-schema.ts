import { hash } from 'node:crypto'
import { ElfmemError } from '../../errors.ts'
import { Connection } from '../connection/driver.ts'
import { rescueSentence } from './refusals.ts'

/** What `PRAGMA user_version` n promises: the first 32 hex digits of `schemaHash`, of no tables at all for 0. */
export const SCHEMA_HASHES: readonly string[] = [
  '4f53cda18c2baa0c0354bb5f9a3ecbe5',
  'af32aa43f155c162de1ca2ec2d9ae507',
  'a5fe9ec8fea23ad9a99d7d0f049305cb',
  '28f5951713d1e0bc68acc8ffec334ea5',
  'a61f09ed7a4b5ded5d1d45b6b4d66057',
  'a8b305745d83b2a9092c8b5831d49b3c',
  'a1bacb5e793f1fb180628f2c0aac766b',
  '62472290e0fd14c917a5ec206e4a9ac0',
  '11162a376f12305a56d27fff496e9136',
  'ede4d9d08a9e5140d41aca46f9ca801a',
  '19f354da2118683ef7f9ea5efdc48eec',
  '1d2f49c0a093e445d0a77482cce6996e',
  '0bdcc229127b5706b76668c52af964eb',
]

/** Statistics of the query planner, which a person may have had made; in the very words of SQLite. */
const STATISTICS = `type = 'table' AND sql IN ('CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)')`

const ENTRIES = `SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE NOT (${STATISTICS}) ORDER BY type, name`

const ALL_ENTRIES = `SELECT json_group_array(json_array(type, name, tbl_name, sql)) AS entries FROM (${ENTRIES})`

/** Differences that are named; there may be any number. */
const MOST_NAMED = 5

interface Entry {
  readonly type: string
  readonly name: string
  readonly tbl_name: string
  readonly sql: string | null
}

/** The first 32 hex digits of sha256 over all entries of a database's schema. */
export function schemaHash(connection: Connection): string {
  const all = connection.control(ALL_ENTRIES)?.entries
  return hash('sha256', String(all)).slice(0, 32)
}

/**
 * Refuses a file that has other tables, indexes or triggers than its version has, or any view: they would run within our
 * own statements. Only reads, and nothing of the file runs.
 *
 * @param made brings an empty database to a version
 */
export function assertSchema(
  connection: Connection,
  version: number,
  made: (empty: Connection, version: number) => void,
): void {
  if (schemaHash(connection) === SCHEMA_HASHES[version]) return
  const expected = new Connection(':memory:')
  try {
    made(expected, version)
    const found = differences(entriesOf(connection), entriesOf(expected))
    if (found.length === 0) return
    const more = found.length > MOST_NAMED ? `, and ${found.length - MOST_NAMED} more` : ''
    throw new ElfmemError(
      'STORE_FOREIGN',
      `The file is not as elfmem makes it (version ${version}): ${found.slice(0, MOST_NAMED).join(', ')}${more}.`,
      {
        recovery: `It was left as it is. ${rescueSentence(connection.location)}`,
        details: { location: connection.location, version, found: found.slice(0, MOST_NAMED) },
      },
    )
  } finally {
    expected.close()
  }
}

function entriesOf(connection: Connection): Map<string, Entry> {
  const entries = connection.all<Entry>(ENTRIES)
  return new Map(entries.map((entry) => [`${entry.type} ${entry.name}`, entry]))
}

function differences(found: ReadonlyMap<string, Entry>, expected: ReadonlyMap<string, Entry>): string[] {
  const said: string[] = []
  for (const [key, entry] of found) {
    const known = expected.get(key)
    if (known === undefined) said.push(`there is a foreign ${key.slice(0, 80)}`)
    else if (textOf(known) !== textOf(entry)) said.push(`the ${key} was changed`)
  }
  for (const key of expected.keys()) if (!found.has(key)) said.push(`the ${key} is missing`)
  return said
}

/** Versions of SQLite quote and space what they write themselves at a renaming differently. */
function textOf({ tbl_name: table, sql }: Entry): string {
  return `${table}: ${(sql ?? '').replaceAll('"', '').replace(/\s+/g, ' ')}`
}
