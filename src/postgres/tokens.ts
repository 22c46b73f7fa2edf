import type { TokenIndex, TokenRecord } from '../engine/ports.ts'
import { ElfmemError } from '../errors.ts'

/** A token pool runs statements in transactions of their own, as the pool of `pg` does. */
export interface TokenPool {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number | null }>
}

/** The tokens of a database of many memories. No row policy binds the table to a memory: a token is found by its hash alone. */
export const TOKENS_TABLE = `CREATE TABLE tokens (
  sha256 text COLLATE "C" PRIMARY KEY CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  name text COLLATE "C" NOT NULL UNIQUE,
  memory text COLLATE "C" NOT NULL,
  "as" text NOT NULL,
  scope text,
  tools text,
  made_at text NOT NULL,
  expires_at text
)`

const SELECT = `SELECT sha256, name, memory, "as", scope, tools, made_at AS "madeAt", expires_at AS "expiresAt" FROM elfmem.tokens`

const ADD = `INSERT INTO elfmem.tokens (sha256, name, memory, "as", scope, tools, made_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (name) DO NOTHING`

/** Returns the tokens of a PostgreSQL database. */
export function postgresTokens(pool: TokenPool): TokenIndex {
  return {
    find: async (sha256) => {
      const { rows } = await pool.query(`${SELECT} WHERE sha256 = $1`, [sha256])
      return rows.map(recordOf)[0]
    },
    list: async () => (await pool.query(`${SELECT} ORDER BY name LIMIT 10000`)).rows.map(recordOf),
    add: async ({ sha256, name, memory, as, scope, tools, madeAt, expiresAt }) => {
      const values = [sha256, name, memory, as, scope, tools, madeAt, expiresAt].map((each) => each ?? null)
      const { rowCount } = await pool.query(ADD, values)
      if (rowCount === 1) return
      throw new ElfmemError('INVALID_INPUT', `There is a token of the name ${name}.`, {
        recovery: 'Choose another name, or revoke that token first.',
      })
    },
    revoke: async (name) =>
      (await pool.query('DELETE FROM elfmem.tokens WHERE name = $1', [name])).rowCount === 1,
  }
}

function recordOf(row: unknown): TokenRecord {
  const present = Object.entries(Object(row)).filter(([, value]) => value !== null)
  return Object.fromEntries(present) as unknown as TokenRecord
}
