import { checksOf, defaultOf, indexesOf } from '../sql/making.ts'
import { DERIVED } from '../store/derived.ts'
import { type Column, columnName, type Kind, type Table } from '../store/description.ts'
import { blocks, operations, TABLES } from '../store/tables.ts'
import { predictions } from '../store/tables-to-decide.ts'
import { TOKENS_TABLE } from './tokens.ts'

/** The schema in which all tables lie, so that those of another program in the same database are no matter. */
export const SCHEMA = 'elfmem'

/** The number of the memory whose rows a transaction sees; an error where none is set. */
const MEMORY = "current_setting('elfmem.memory')::int4"

/** The types of columns. Texts are in the order of their bytes, as everywhere in elfmem. */
const TYPES: Readonly<Record<Kind, string>> = {
  text: 'text COLLATE "C"',
  integer: 'int8',
  real: 'float8',
  flag: 'int2',
  json: 'text COLLATE "C"',
  bytes: 'bytea',
}

/** Returns the statements that make a described table, its indexes and the policy that sets memories apart. */
function statementsFor(table: Table): string[] {
  const { name, key, unique, isUndirected = false } = table
  const named = (properties: readonly string[]) => properties.map((each) => columnName(table, each))
  const ends = named(unique ?? key).slice(0, 2)
  const parts = [
    `memory int4 NOT NULL DEFAULT ${MEMORY}`,
    ...Object.entries(table.columns).map((each) => columnIn(table, each)),
    `PRIMARY KEY (${['memory', ...named(key)].join(', ')})`,
    ...(unique === undefined ? [] : [`UNIQUE (${['memory', ...named(unique)].join(', ')})`]),
    ...(isUndirected ? [`CHECK (${ends.join(' < ')})`] : []),
  ]
  return [
    `CREATE TABLE ${name} (\n  ${parts.join(',\n  ')}\n)`,
    ...setApart(name, `memory = ${MEMORY}`),
    ...indexesOf(table).map(({ columns, where }) => `CREATE INDEX ON ${name} (memory, ${columns})${where}`),
  ]
}

/** Shows and takes only rows that fulfil a condition, the owner of the table not excepted. */
function setApart(table: string, condition: string): string[] {
  return [
    `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
    `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`,
    `CREATE POLICY of_one_memory ON ${table} USING (${condition})`,
  ]
}

function columnIn(table: Table, [property, column]: [string, Column]): string {
  const name = columnName(table, property)
  const { kind, isOptional, blank } = column
  return [
    `${name} ${TYPES[kind]}`,
    ...(isOptional && blank === undefined ? [] : ['NOT NULL']),
    ...defaultOf(column),
    ...checksOf(name, column).map((check) => `CHECK (${check})`),
  ].join(' ')
}

/**
 * The memories of the database. A memory is found by the name or by the number that the transaction set. Its row is the lock of its
 * writers, and its version grows with each commit.
 */
const MEMORIES = [
  `CREATE TABLE memories (
  memory int4 PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name text COLLATE "C" NOT NULL UNIQUE,
  version int8 NOT NULL DEFAULT 0
) WITH (fillfactor = 50)`,
  ...setApart(
    'memories',
    `name = current_setting('elfmem.name', true) OR memory = nullif(current_setting('elfmem.memory', true), '')::int4`,
  ),
]

/** All tables with the rows of memories. */
const STORED = [...TABLES, ...DERIVED]

/** The tables of version 1. */
const FIRST = STORED.filter(({ name }) => name !== predictions.name)

/** Rows that do not outlive a removed block or a removed entry of the log go with it, in the same statement. */
const CASCADES = [blocks, operations].map(({ name }) => {
  const removals = TABLES.flatMap((table) =>
    Object.entries(table.columns).flatMap(([property, { block, isEntry }]) => {
      const of = name === blocks.name ? (block === 'mention' ? undefined : block) : isEntry && 'id'
      if (of === undefined) return []
      return `DELETE FROM ${table.name} WHERE ${columnName(table, property)} = ANY (ARRAY(SELECT ${of} FROM gone));`
    }),
  )
  return `CREATE OR REPLACE FUNCTION ${name}_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  ${removals.join('\n  ')}
  RETURN NULL;
END $$`
})

const TRIGGERS = [blocks, operations].map(
  ({ name }) => `CREATE TRIGGER gone AFTER DELETE ON ${name} REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION ${name}_gone()`,
)

/** Only an owner may count rows for the planner, so this does it for whoever has just copied many. */
const COUNT_ROWS = [
  `CREATE OR REPLACE FUNCTION count_rows() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${SCHEMA}
AS $$ BEGIN ANALYZE ${STORED.map(({ name }) => name).join(', ')}; END $$`,
  'REVOKE ALL ON FUNCTION count_rows() FROM PUBLIC',
]

/** A migration makes the tables of one version from those of the version before. */
export type Migration = readonly string[]

/** The functions that name all tables; each migration with a new table makes them anew. Nothing calls them before the last one. */
const FUNCTIONS = [...CASCADES, ...COUNT_ROWS]

/** All migrations; the first makes version 1 of an empty schema. */
export const MIGRATIONS: readonly Migration[] = [
  [...MEMORIES, ...FIRST.flatMap(statementsFor), ...FUNCTIONS, ...TRIGGERS, TOKENS_TABLE],
  [...statementsFor(predictions), ...FUNCTIONS],
]

/** Returns the statements that let a role work with the tables, and do nothing else. */
export function grantsTo(role: string): string[] {
  const name = `"${role.replaceAll('"', '""')}"`
  const rows = [...STORED.map((table) => table.name), 'memories', 'tokens'].join(', ')
  return [
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO ${name}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${SCHEMA} TO ${name}`,
    `GRANT INSERT, UPDATE, DELETE ON ${rows} TO ${name}`,
    `GRANT EXECUTE ON FUNCTION ${SCHEMA}.count_rows() TO ${name}`,
  ]
}
