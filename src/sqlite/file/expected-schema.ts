import { hash } from 'node:crypto'
import { ElfmemError } from '../../errors.ts'
import { Connection } from '../connection/driver.ts'
import type { LoggedFile } from './belonging.ts'
import { headerOf } from './bytes/header.ts'
import type { Pages } from './bytes/pages.ts'
import { schemaIn } from './bytes/stored-schema.ts'
import { rescueSentence } from './refusals.ts'

/**
 * The schema of `PRAGMA user_version` n: the first 32 hex digits that `schemaOf` makes, of no tables at all for 0.
 */
export const SCHEMA_HASHES: readonly string[] = [
  'e3b0c44298fc1c149afbf4c8996fb924',
  '9396aa0f2b1caad0bde0eed2d984d3b3',
  'a0bdac040a023c8e9a942098756033d0',
  '7f3e6bf667ac8008e3c703e81095b493',
  '4dc11e7b64dd96b7a999f533a654e302',
  'e4a9a6b3106c54a83360341745b34720',
  '2844c11c8a9edf03212a49c56e4bb126',
  'e5535e33f51d74a676785090981aa49b',
  '61ccd42a7dfba70655f5aec7ee7896aa',
  'a61db592fa9cc72c75eee02ca41b5187',
  '3af89672892f789aa73415ca03af026b',
  'fcdd9e70f7b0f6de966de89f16b8dd20',
  'd18d0bc67986a9239a8b15750aa827f3',
  'daa43f6fe0da648967526e9d3203cd23',
  '949b12a6c48434df0ee130c7e548e975',
  'edb87a82b52c11ca3a6dfb94c8c162cb',
  'a70fdb38e3f3de0f2fa9dc0183091727',
  'fdd728f4e7910f2d988cad6f564e8720',
  '54b3f566d746fa96a20d29c63e54488a',
  '8a6b91f5093410086ed85cd50f93ff24',
  'e23073bb05aa5d8d0ea18846653f2f88',
  '7e10a7081f903a5f571dfafcc39b91cb',
  '7c2ee06fab964d44b14e157d4471f953',
  '9279b6fddaa522f73b8d1dce2b37b622',
]

/** Files up to version 12: before a swap of the vectors made it anew, this trigger followed the vectors to their other name. */
const FOLLOWED: Readonly<Record<string, readonly [before: string, after: string]>> = {
  'trigger waiting_changed': ['DELETE FROM block_vectors', 'DELETE FROM spare_vectors'],
}

/** Statistics of the query planner, which a person may have had made; in the very words of SQLite. */
const OF_STATISTICS = [
  'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
]
const STATISTICS = `type = 'table' AND sql IN (${OF_STATISTICS.map((sql) => `'${sql}'`).join()})`

const ENTRIES = `SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE NOT (${STATISTICS}) ORDER BY type, name`

/** All entries in the order in which they were made. */
const ALL_ENTRIES = `SELECT group_concat(type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, ''), char(10)) AS entries
FROM sqlite_schema WHERE NOT (${STATISTICS})`

/** Differences that are named; there may be any number. */
const MOST_NAMED = 5

interface Entry {
  readonly type: string
  readonly name: string
  readonly tbl_name: string
  readonly sql: string | null
}

/** The version of a database, and the first 32 hex digits of sha256 over all entries of its schema, both of one state. */
export function schemaOf(connection: Connection): { readonly version: number; readonly hash: string } {
  for (;;) {
    const version = versionOf(connection)
    const entries = String(connection.control(ALL_ENTRIES)?.entries ?? '')
    // Another process may be bringing the file to the next version.
    if (versionOf(connection) === version) return { version, hash: hash('sha256', entries).slice(0, 32) }
  }
}

/** Version of the file's tables; 0 of one without any. */
export function versionOf(connection: Connection): number {
  return Number(connection.control('PRAGMA user_version')?.user_version)
}

/**
 * Refuses a file that has other tables, indexes or triggers than its version has, or any view: they would run within our
 * own statements. Only reads, and nothing of the file runs.
 *
 * @param made brings an empty database to a version
 */
export function assertSchema(connection: Connection, made: Making, path: string): void {
  const { version, hash: found } = schemaOf(connection)
  if (found === SCHEMA_HASHES[version]) return
  const differing = differencesFrom(made, version, entriesOf(connection))
  if (differing.length === 0) return
  throw new ElfmemError('STORE_FOREIGN', `The file ${isNot(version, differing)}`, {
    recovery: `It was left as it is. ${rescueSentence(path)}`,
    details: { location: path, version, found: differing.slice(0, MOST_NAMED) },
  })
}

/**
 * The same of a file with its log, by the bytes: SQLite moves the log into the file when it closes it, whatever was found,
 * so such a file is not opened.
 */
export function assertLoggedSchema({ alone, together }: LoggedFile, made: Making, path: string): void {
  const { version, differing } = foreignIn(together, made)
  if (differing.length === 0) return
  const isOfLog = foreignIn(alone, made).differing.length === 0
  throw new ElfmemError(
    differing.includes(UNREADABLE) ? 'STORE_CORRUPT' : 'STORE_FOREIGN',
    `${isOfLog ? `With its log ${path}-wal the file` : 'The file'} ${isNot(version, differing)}`,
    {
      recovery: isOfLog
        ? `Both were left as they are. Without the log the memory is as it was before: move ${path}-wal away, then try again.`
        : `It was left as it is, and so was its log. ${rescueSentence(path)}`,
      // Somebody may be writing the log while it is read.
      details: { location: path, version, found: differing.slice(0, MOST_NAMED), mayPass: true },
    },
  )
}

const UNREADABLE = 'a part of its schema cannot be read'

/** Brings an empty database to a version. */
type Making = (empty: Connection, version: number) => void

function isNot(version: number, differing: readonly string[]): string {
  const more = differing.length > MOST_NAMED ? `, and ${differing.length - MOST_NAMED} more` : ''
  return `is not as elfmem makes it (version ${version}): ${differing.slice(0, MOST_NAMED).join(', ')}${more}.`
}

function foreignIn(
  pages: Pages,
  made: Making,
): { readonly version: number; readonly differing: readonly string[] } {
  const version = headerOf(pages.read(1) ?? Buffer.alloc(0))?.userVersion ?? 0
  let isWhole = true
  const found = schemaIn(pages, () => {
    isWhole = false
  }).filter(({ type, sql }) => type !== 'table' || !OF_STATISTICS.includes(sql))
  if (!isWhole) return { version, differing: [UNREADABLE] }
  const entries = found.map(({ type, name, table, sql }) => `${type} ${name} ${table} ${sql}`).join('\n')
  if (hash('sha256', entries).slice(0, 32) === SCHEMA_HASHES[version]) return { version, differing: [] }
  const named = new Map(
    found.map(({ type, name, table, sql }) => [`${type} ${name}`, { type, name, tbl_name: table, sql }]),
  )
  return { version, differing: differencesFrom(made, version, named) }
}

function differencesFrom(made: Making, version: number, found: ReadonlyMap<string, Entry>): string[] {
  const expected = new Connection(':memory:')
  try {
    made(expected, version)
    return differences(found, entriesOf(expected))
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
    else if (!isSame(key, textOf(known), textOf(entry))) said.push(`the ${key} was changed`)
  }
  for (const key of expected.keys()) if (!found.has(key)) said.push(`the ${key} is missing`)
  return said
}

function isSame(key: string, expected: string, found: string): boolean {
  const [before, after] = FOLLOWED[key] ?? ['', '']
  return found === expected || (before !== '' && found === expected.replace(before, after))
}

/** Versions of SQLite quote and space what they write themselves at a renaming differently. */
function textOf({ tbl_name: table, sql }: Entry): string {
  return `${table}: ${(sql ?? '').replaceAll('"', '').replace(/\s+/g, ' ')}`
}
