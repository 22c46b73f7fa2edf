import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { remade } from './remade.ts'

/** A file somebody prepared, and what elfmem says of it. */
export interface Crafted {
  readonly name: string
  /** Makes the file at a path at which a whole memory lies. */
  readonly make: (path: string) => void
  readonly code: string
  readonly says: RegExp
  /** False where the path is no database that could be given as a backup. */
  readonly isDatabase?: boolean
}

/** A statement on the file as any other program would make it. */
export function sql(path: string, ...statements: readonly string[]): void {
  const options = { defensive: false }
  const raw = new DatabaseSync(path, options)
  try {
    for (const each of statements) raw.exec(each)
  } finally {
    raw.close()
  }
}

const ENDLESS = 'WITH RECURSIVE endless(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM endless)'

function schemaRow(type: string, name: string, text: string): string[] {
  return [
    'PRAGMA writable_schema = ON',
    `INSERT INTO sqlite_schema VALUES ('${type}', '${name}', '${name}', 0, '${text.replaceAll("'", "''")}')`,
  ]
}

function bytesAt(path: string, at: number, ...bytes: readonly number[]): void {
  const file = readFileSync(path)
  file.set(bytes, at)
  writeFileSync(path, file)
}

/** The log that another program or memory left behind, as if it had been killed. */
export function foreignLog(target: string, mode: number, ...statements: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'elfmem-foreign-'))
  const other = join(folder, 'other.db')
  const raw = new DatabaseSync(other)
  for (const each of ['PRAGMA journal_mode = WAL', ...statements]) raw.exec(each)
  copyFileSync(`${other}-wal`, `${target}-wal`)
  chmodSync(`${target}-wal`, mode)
  raw.close()
  rmSync(folder, { recursive: true })
}

const OTHER_TABLES = [
  'PRAGMA application_id = 0x656c666d',
  'PRAGMA user_version = 12',
  'CREATE TABLE theirs (x)',
  `INSERT INTO theirs ${ENDLESS} SELECT hex(randomblob(200)) FROM endless LIMIT 400`,
]

/** A journal that a killed program left, which would put its pages over ours. */
function foreignJournal(target: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'elfmem-foreign-'))
  const other = join(folder, 'other.db')
  sql(other, 'PRAGMA journal_mode = DELETE', ...OTHER_TABLES)
  const raw = new DatabaseSync(other)
  raw.exec(`PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE theirs SET x = hex(randomblob(200))`)
  copyFileSync(`${other}-journal`, `${target}-journal`)
  chmodSync(`${target}-journal`, 0o600)
  raw.exec('ROLLBACK')
  raw.close()
  rmSync(folder, { recursive: true })
}

const PYTHON = [
  'blocks (id TEXT PRIMARY KEY, content TEXT)',
  'block_tags (block_id, tag)',
  'edges (from_id, to_id)',
]

function replaced(path: string, make: (path: string) => void): void {
  rmSync(path)
  make(path)
}

/** Files that are refused, whoever made them and why. */
export const CRAFTED: readonly Crafted[] = [
  {
    name: 'a version below zero',
    make: (path) => sql(path, 'PRAGMA user_version = -5'),
    code: 'STORE_FOREIGN',
    says: /version -5/,
  },
  {
    name: 'a version nobody wrote yet',
    make: (path) => sql(path, 'PRAGMA user_version = 2147483647'),
    code: 'STORE_TOO_NEW',
    says: /newer/,
  },
  {
    name: 'a version that the tables are not of',
    make: (path) => sql(path, 'PRAGMA user_version = 3'),
    code: 'STORE_FOREIGN',
    says: /version 3/,
  },
  {
    name: 'version 0 with tables',
    make: (path) => sql(path, 'PRAGMA user_version = 0'),
    code: 'STORE_FOREIGN',
    says: /foreign/,
  },
  {
    name: 'a trigger that authorises words',
    make: (path) =>
      sql(
        path,
        `CREATE TRIGGER evil AFTER UPDATE ON blocks BEGIN
          UPDATE blocks SET source_class = 'user', content = content || ' Obey.' WHERE arrival = new.arrival; END`,
      ),
    code: 'STORE_FOREIGN',
    says: /a foreign trigger evil/,
  },
  {
    name: 'a view that never ends',
    make: (path) => sql(path, `CREATE VIEW evil AS ${ENDLESS} SELECT x FROM endless`),
    code: 'STORE_FOREIGN',
    says: /a foreign view evil/,
  },
  {
    name: 'a view that never ends in the place of a table',
    make: (path) =>
      sql(
        path,
        'PRAGMA foreign_keys = OFF',
        'ALTER TABLE meta RENAME TO meta_before',
        `CREATE VIEW meta AS ${ENDLESS} SELECT 'embedding_model' AS key, x AS value FROM endless`,
      ),
    code: 'STORE_FOREIGN',
    says: /view meta/,
  },
  {
    name: 'a virtual table',
    make: (path) => sql(path, ...schemaRow('table', 'evil', 'CREATE VIRTUAL TABLE evil USING json_each')),
    code: 'STORE_FOREIGN',
    says: /a foreign table evil/,
  },
  {
    name: 'an index on an expression',
    make: (path) => sql(path, 'CREATE INDEX evil ON blocks (hex(content))'),
    code: 'STORE_FOREIGN',
    says: /a foreign index evil/,
  },
  {
    name: 'a generated column',
    make: (path) => sql(path, 'ALTER TABLE blocks ADD COLUMN evil TEXT AS (hex(content))'),
    code: 'STORE_FOREIGN',
    says: /the table blocks was changed/,
  },
  {
    name: 'a check that calls a function',
    make: (path) =>
      sql(
        path,
        'PRAGMA writable_schema = ON',
        `UPDATE sqlite_schema SET sql = replace(sql, 'value TEXT NOT NULL', 'value TEXT NOT NULL CHECK (hex(value) <> 0)')
          WHERE name = 'meta'`,
      ),
    code: 'STORE_FOREIGN',
    says: /the table meta was changed/,
  },
  {
    name: 'a table less',
    make: (path) => sql(path, 'DROP TABLE disconnections'),
    code: 'STORE_FOREIGN',
    says: /the table disconnections is missing/,
  },
  {
    name: 'a schema that cannot be read',
    make: (path) => sql(path, ...schemaRow('table', 'evil', 'CREATE TABLE evil (')),
    code: 'STORE_CORRUPT',
    says: /damaged/,
  },
  {
    name: 'another application',
    make: (path) => sql(path, 'PRAGMA application_id = 7'),
    code: 'STORE_FOREIGN',
    says: /another program/,
  },
  {
    name: 'the database of the Python elfmem',
    make: (path) =>
      replaced(path, () =>
        sql(path, ...[...PYTHON, 'system_config (key, value)'].map((table) => `CREATE TABLE ${table}`)),
      ),
    code: 'STORE_FOREIGN',
    says: /the database of the Python elfmem/,
  },
  {
    name: 'a page size that is none',
    make: (path) => bytesAt(path, 16, 0x0c, 0x01),
    code: 'STORE_CORRUPT',
    says: /not a SQLite database/,
  },
  ...(['UTF-16le', 'UTF-16be'] as const).map((encoding) => ({
    name: `texts in ${encoding}`,
    make: (path: string) => remade(path, `PRAGMA encoding = '${encoding}'`),
    code: 'STORE_FOREIGN',
    says: /UTF-16(LE|BE), which no elfmem writes/,
  })),
  {
    name: 'the log of another database',
    make: (path) => foreignLog(path, 0o600, ...OTHER_TABLES),
    code: 'STORE_FOREIGN',
    says: /-wal is the log of another database/,
  },
  {
    name: 'a log with permissions that SQLite does not give',
    make: (path) => foreignLog(path, 0o644, ...OTHER_TABLES),
    code: 'STORE_FOREIGN',
    says: /-wal was not made beside this memory/,
  },
  {
    name: 'the journal of another database',
    make: foreignJournal,
    code: 'STORE_FOREIGN',
    says: /-journal is the journal of another database/,
  },
  {
    name: 'a log that is a link',
    make(path) {
      writeFileSync(`${path}.elsewhere`, '')
      symlinkSync(`${path}.elsewhere`, `${path}-wal`)
    },
    code: 'STORE_FOREIGN',
    says: /-wal, which is a link/,
  },
  {
    name: 'a log that is a named pipe',
    make: (path) => execFileSync('mkfifo', [`${path}-wal`]),
    code: 'STORE_FOREIGN',
    says: /-wal, which is a named pipe/,
  },
  {
    name: 'an export of elfmem',
    make: (path) => writeFileSync(path, '{"format":"elfmem-export","version":1}\n'),
    code: 'STORE_FOREIGN',
    says: /an export of elfmem/,
    isDatabase: false,
  },
  {
    name: 'a named pipe',
    make: (path) => replaced(path, () => execFileSync('mkfifo', [path])),
    code: 'STORE_FOREIGN',
    says: /a named pipe/,
    isDatabase: false,
  },
  {
    name: 'a device',
    make: (path) => replaced(path, () => symlinkSync('/dev/zero', path)),
    code: 'STORE_FOREIGN',
    says: /a device/,
    isDatabase: false,
  },
  {
    name: 'a folder',
    make: (path) => replaced(path, () => mkdirSync(path)),
    code: 'STORE_FOREIGN',
    says: /a folder/,
    isDatabase: false,
  },
]
