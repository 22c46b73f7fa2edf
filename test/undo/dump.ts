import { DatabaseSync } from 'node:sqlite'
import type { Store } from '../../src/ports/store/store.ts'

/** Clock, log, days, what was asked beside its entries, sessions, accounts and the numbers of changes are never set back. */
const APART = new Set([
  'operations',
  'operation_blocks',
  'operation_changes',
  'days',
  'recent_questions',
  'sessions',
  'meta',
  'usage',
])

const NOTHING: ReadonlySet<string> = new Set()

/**
 * Everything a file holds, row by row, what triggers keep included.
 *
 * @param without columns that are left out
 */
export function dumpOf(path: string, without: ReadonlySet<string> = NOTHING): Record<string, unknown[]> {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    const names = tables.map(({ name }) => String(name)).filter((name) => !APART.has(name))
    return Object.fromEntries(names.map((name) => [name, rowsOf(database, name, without)]))
  } finally {
    database.close()
  }
}

/** Vectors of blocks that wait are made whenever there is time, and no operation makes them. */
const OF_OPERATIONS: Readonly<Record<string, string>> = {
  block_vectors: `WHERE arrival NOT IN (SELECT arrival FROM blocks WHERE status = 'inbox')`,
}

function rowsOf(database: DatabaseSync, table: string, without: ReadonlySet<string>): unknown[] {
  const rows = database.prepare(`SELECT * FROM ${table} ${OF_OPERATIONS[table] ?? ''}`).all()
  return rows
    .map((row) =>
      JSON.stringify(Object.entries(row).filter(([column]) => column !== 'sequence' && !without.has(column))),
    )
    .sort()
}

/** What the port shows of any store. */
export function lookOf(store: Store): Promise<unknown> {
  return store.read(async (tx) => {
    const pages = await tx.page({ order: 'arrival', limit: 1_000 })
    const ids = pages.blocks.map(({ id }) => id)
    const dreamt = pages.blocks.filter(({ status }) => status !== 'inbox').map(({ id }) => id)
    const active: unknown[] = []
    await tx.livingBlocks((batch) => active.push(...batch))
    return {
      blocks: pages.blocks,
      active: active.length,
      vectors: [...(await tx.vectors(dreamt)).keys()].sort(),
      edges: await tx.edgesAround(ids),
      strengths: [...(await tx.strengths(ids))].sort(),
      openPairs: await tx.openPairs(1_000),
      staged: await tx.stagedPairs({ atLeast: 1, limit: 1_000 }),
      pending: await tx.pendingConnections(1_000),
      disconnections: await tx.disconnections(ids, 0),
      unlabelled: await tx.unlabelledPairs(1_000),
      outcomes: await Promise.all(ids.map((id) => tx.outcomes(id, 1_000))),
      counts: await tx.counts(),
    }
  })
}
