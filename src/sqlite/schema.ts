import { randomBytes } from 'node:crypto'
import { ElfmemError } from '../errors.ts'
import { checksOf, defaultOf, indexesOf } from '../sql/making.ts'
import { DERIVED } from '../store/derived.ts'
import { type Column, columnName, type Kind, type Table } from '../store/description.ts'
import { MEMORY_ID, TABLES } from '../store/tables.ts'
import { predictions } from '../store/tables-to-decide.ts'
import { type BusyRetry, type Connection, whileBusy } from './connection/connection.ts'
import { APPLICATION_ID, foreignDatabase } from './file/own-file.ts'

const TYPES: Readonly<Record<Kind, string>> = {
  text: 'TEXT',
  integer: 'INTEGER',
  real: 'REAL',
  flag: 'INTEGER',
  json: 'TEXT',
  bytes: 'BLOB',
}

/** Returns the statements that make a described table and its indexes. */
function statementsFor(table: Table): string[] {
  const { name, key, unique, isUndirected = false } = table
  const named = (properties: readonly string[]) =>
    properties.map((each) => columnName(table, each)).join(', ')
  const [one, other] = unique ?? key
  const parts = [
    ...Object.entries(table.columns).map((each) => columnIn(table, each)),
    ...(isRowNumber(table) ? [] : [`PRIMARY KEY (${named(key)})`]),
    ...(unique === undefined ? [] : [`UNIQUE (${named(unique)})`]),
    ...(isUndirected ? [`CHECK (${named([one as string])} < ${named([other as string])})`] : []),
  ]
  // Rows with blobs are better read by number than walked through in a tree of keys.
  const hasBlobs = Object.values(table.columns).some(
    ({ kind, isOptional }) => kind === 'bytes' && !isOptional,
  )
  const rowid = isRowNumber(table) || hasBlobs ? '' : ', WITHOUT ROWID'
  return [
    `CREATE TABLE ${name} (\n  ${parts.join(',\n  ')}\n) STRICT${rowid}`,
    // An index is named after its columns.
    ...indexesOf(table).map(({ definition, columns, where }) => {
      const index = `${name}_${definition}`.match(/\w+/g)?.join('_')
      return `CREATE INDEX ${index} ON ${name} (${columns})${where}`
    }),
  ]
}

/** Returns true if the key is the number by which SQLite stores a row. */
function isRowNumber({ key, columns }: Table): boolean {
  return key.length === 1 && columns[key[0] as string]?.kind === 'integer'
}

function columnIn(table: Table, [property, column]: [string, Column]): string {
  const name = columnName(table, property)
  const { kind, isOptional, blank, block, isEntry } = column
  const isNumber = isRowNumber(table) && table.key[0] === property
  const mustBe = !isNumber && (!isOptional || blank !== undefined)
  const about =
    block === 'id' || block === 'arrival'
      ? `blocks (${block})`
      : isEntry === true
        ? 'operations (id)'
        : undefined
  // `json_valid` is the only condition that SQLite does not let NULL pass.
  const validJson = kind === 'json' ? [`${isOptional ? `${name} IS NULL OR ` : ''}json_valid(${name})`] : []
  return [
    `${name} ${TYPES[kind]}`,
    ...(isNumber ? ['PRIMARY KEY'] : []),
    ...(mustBe ? ['NOT NULL'] : []),
    ...defaultOf(column),
    ...[...checksOf(name, column), ...validJson].map((check) => `CHECK (${check})`),
    ...(about === undefined ? [] : [`REFERENCES ${about} ON DELETE CASCADE`]),
  ].join(' ')
}

/** The statements that make an empty memory, in order. SQLite stores each as it is written here. */
const STATEMENTS: readonly string[] = [...TABLES, ...DERIVED].flatMap(statementsFor)

/** The version of the tables that this code reads and writes; `PRAGMA user_version` of a file holds its own. */
const SCHEMA_VERSION = 5

/** The steps from a former version to the next one, by the former version, with the tables that each step adds. */
const STEPS: ReadonlyMap<number, readonly Table[]> = new Map([[4, [predictions]]])

/** Returns the statements that make the tables which a version lacks; of a version without steps, none. */
function lackingIn(version: number): string[] {
  if (version === 0) return [...STATEMENTS, `PRAGMA application_id = ${APPLICATION_ID}`]
  return [...STEPS].flatMap(([from, tables]) => (from < version ? [] : tables.flatMap(statementsFor)))
}

/** The tables with statistics of the query planner, which `ANALYZE` makes. */
const STATISTICS: readonly string[] = [
  'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
]

/** Reads version, application id and entries in one statement, so that they are of one state. Indexes of keys have no text. */
const SELECT_SCHEMA = `SELECT
  (SELECT user_version FROM pragma_user_version) AS version,
  (SELECT application_id FROM pragma_application_id) AS application,
  (SELECT json_group_array(json_array(type || ' ' || name, sql)) FROM sqlite_schema WHERE sql IS NOT NULL) AS entries`

/** The tables and indexes of a memory by type and name, with the statement that makes each. */
const OURS: ReadonlyMap<string, string> = new Map(
  STATEMENTS.map((sql) => {
    const [, type = '', name = ''] = /^CREATE (\w+) (\w+)/.exec(sql) ?? []
    return [`${type.toLowerCase()} ${name}`, sql]
  }),
)

/** Number of differences that a refusal names at most. */
const MOST_NAMED = 5

/** Returns the version of the tables in a file; 0 if it has none. */
export function versionOf(connection: Connection): number {
  return Number(connection.control('PRAGMA user_version')?.user_version)
}

/**
 * Refuses a file whose tables and indexes are not exactly ours, or that has a trigger or a view, since these run within our
 * statements. It only reads, and nothing of the file runs. A file without any tables passes.
 *
 * @param path what the refusal calls the file
 * @param mayBeFormer true if a file passes that `bringForward` makes one of the present version
 * @throws `STORE_FOREIGN`
 */
export function assertOurs(
  connection: Connection,
  {
    path = connection.location,
    mayBeFormer = false,
  }: { path?: string | undefined; mayBeFormer?: boolean } = {},
): void {
  const row = connection.control(SELECT_SCHEMA)
  const version = Number(row?.version)
  const found = new Map(JSON.parse(String(row?.entries)) as [string, string][])
  if (found.size === 0 && version === 0) return
  if (row?.application !== APPLICATION_ID)
    throw foreignDatabase(
      path,
      [...found.keys()].map((key) => key.replace('table ', '')),
    )
  const isFormer = STEPS.has(version)
  if (version !== SCHEMA_VERSION && !(isFormer && mayBeFormer))
    throw new ElfmemError(
      'STORE_FOREIGN',
      `The memory was made by another elfmem: its tables have version ${version}, and this one reads version ${SCHEMA_VERSION}.`,
      {
        recovery: isFormer
          ? 'Open it once as a user who can write it; the file was left as it is.'
          : 'Export it with the elfmem that made it, then import the export here; the file was left as it is.',
        details: { location: path, version },
      },
    )
  const differing = differencesIn(found, lackingIn(version))
  if (differing.length > 0) throw otherSchema(path, version, differing)
}

/** Names each table, index, trigger and view of an open memory that is not as elfmem makes it. */
export function differencesOf(connection: Connection): string[] {
  const entries = String(connection.control(SELECT_SCHEMA)?.entries)
  return differencesIn(new Map(JSON.parse(entries) as [string, string][]), [])
}

function otherSchema(location: string, version: number, differing: readonly string[]): ElfmemError {
  const named = differing.slice(0, MOST_NAMED)
  const more = differing.length > MOST_NAMED ? `, and ${differing.length - MOST_NAMED} more` : ''
  return new ElfmemError('STORE_FOREIGN', `The file is not as elfmem makes it: ${named.join(', ')}${more}.`, {
    recovery:
      'If another build of elfmem made it, export it with that one and import the export here; else move it away with its -wal and -shm, and restore a backup. The file was left as it is.',
    details: { location, version, found: named },
  })
}

function differencesIn(found: ReadonlyMap<string, string>, lacking: readonly string[]): string[] {
  const expected = new Map([...OURS].filter(([, sql]) => !lacking.includes(sql)))
  const foreignEntries = [...found]
    .filter(([key, sql]) => !expected.has(key) && !STATISTICS.includes(sql))
    .map(([key]) => `there is a foreign ${key.slice(0, 80)}`)
  const changed = [...expected].flatMap(([key, sql]) => {
    const known = found.get(key)
    if (known === sql) return []
    return [known === undefined ? `the ${key} is missing` : `the ${key} was changed`]
  })
  return [...foreignEntries, ...changed]
}

/** Makes the tables that a file lacks, in one transaction; another process may be doing the same. Throws `STORE_BUSY`. */
export function makeTables(connection: Connection): void {
  if (versionOf(connection) === SCHEMA_VERSION) return
  connection.control('BEGIN EXCLUSIVE')
  try {
    const lacking = lackingIn(versionOf(connection))
    connection.script([...lacking, `PRAGMA user_version = ${SCHEMA_VERSION}`].join(';\n'))
    connection.control('COMMIT')
  } catch (error) {
    connection.rollback()
    throw error
  }
}

/**
 * Makes a memory of a former version one of the present version. Nobody else may have the file open, because an older elfmem
 * would go on writing in its own way: SQLite then refuses to leave its log. Throws `STORE_BUSY`.
 */
export function bringForward(connection: Connection): void {
  if (!STEPS.has(versionOf(connection))) return
  connection.control('PRAGMA journal_mode = DELETE')
  makeTables(connection)
}

/** The memory's random name; undefined if it has none yet. */
export function memoryIdOf(connection: Connection): string | undefined {
  const value = connection.control(`SELECT value FROM meta WHERE key = '${MEMORY_ID}'`)?.value
  return typeof value === 'string' ? value : undefined
}

/** Names a memory that has no name yet: 16 random hex digits. Returns the name that it has then. */
export async function nameMemory(writer: Connection, busyRetry: BusyRetry): Promise<string> {
  const known = memoryIdOf(writer)
  if (known !== undefined) return known
  const id = randomBytes(8).toString('hex')
  const insert = `INSERT INTO meta (key, value) VALUES ('${MEMORY_ID}', ?1) ON CONFLICT (key) DO NOTHING`
  await whileBusy(busyRetry, () => writer.run(insert, id))
  return memoryIdOf(writer) ?? id
}
