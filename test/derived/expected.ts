import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'

type Row = Readonly<Record<string, string | number>>

/** Recalls are listed so many at a time. */
const AT_ONCE = 32

const DERIVED = ['block_tags', 'block_strengths', 'scope_strengths', 'edge_counts', 'operation_blocks']

/** Checks that the derived tables of a file are what its rows say; returns the number of rows in each. */
export function expectDerived(path: string): Record<string, number> {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const read = (table: string) => database.prepare(`SELECT * FROM ${table}`).all() as unknown as Row[]
    const found = Object.fromEntries(DERIVED.map((table) => [table, sorted(read(table).map(Object.values))]))
    const wanted = {
      ...fromBlocks(read('blocks')),
      ...fromEdges(read('edges')),
      ...fromEntries(read('operations')),
    }
    expect(found).toEqual(wanted)
    return Object.fromEntries(DERIVED.map((table) => [table, found[table]?.length ?? 0]))
  } finally {
    database.close()
  }
}

function sorted(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort()
}

function fromBlocks(rows: readonly Row[]) {
  const tags = rows.flatMap(({ id, scope, tags }) =>
    [...new Set(JSON.parse(String(tags)))].map((tag) => [tag, id, scope]),
  )
  return { block_tags: sorted(tags) }
}

function fromEdges(rows: readonly Row[]) {
  const sums = (name: (row: Row) => (string | number | undefined)[][], of: (row: Row) => number[]) => {
    const byName = new Map<string, number[]>()
    for (const row of rows)
      for (const each of name(row).map((parts) => JSON.stringify(parts))) {
        const before = byName.get(each)
        byName.set(
          each,
          of(row).map((value, i) => value + (before?.[i] ?? 0)),
        )
      }
    return sorted([...byName].map(([each, values]) => [...JSON.parse(each), ...values]))
  }
  const strength = ({ weight, reinforcement_count: uses }: Row) => [
    Math.round((Number(weight) + 0.1 * Math.log(1 + Number(uses))) * 1e9),
    1,
  ]
  return {
    block_strengths: sums(({ from_id, to_id }) => [[from_id], [to_id]], strength),
    scope_strengths: sums(
      ({ from_id, to_id, scope }) => [from_id, to_id].flatMap((id) => (scope === '' ? [] : [[id, scope]])),
      strength,
    ),
    edge_counts: sums(
      ({ scope, relation, origin }) => [[scope, relation, origin]],
      () => [1],
    ),
  }
}

function fromEntries(rows: readonly Row[]) {
  const newest = Math.max(0, ...rows.map(({ id }) => Number(id)))
  const listed = rows.filter(
    ({ id, operation }) => operation !== 'recall' || Number(id) <= newest - (newest % AT_ONCE),
  )
  const named = listed.flatMap(({ id, block_ids }) =>
    [...new Set(JSON.parse(String(block_ids)))].map((block) => [block, id]),
  )
  return { operation_blocks: sorted(named) }
}
