import type { Columns, RowOf, Table } from '../../ports/store/description.ts'
import type { Key, Rows } from '../../ports/store/rows.ts'
import type { PastMoment } from '../../ports/store/store.ts'
import { meta, operations, sessions } from '../log-tables.ts'
import {
  archivedEdges,
  blockIndex,
  blocks,
  blockVectors,
  edges,
  grounds,
  occurrences,
  outcomes,
  pairs,
  questionEvidence,
  questions,
} from '../tables.ts'
import { keyIn } from '../transaction.ts'

/** A row of any table, by the properties of its columns. */
export type Row = Readonly<Record<string, unknown>>

/** The rows of some tables at a past time, by their keys; what others refer to comes first. */
export class RowsThen {
  readonly #tables = new Map<string, Map<string, Row>>()

  /** The rows of a table, to be changed in place. */
  of<C extends Columns>(table: Table<C>): Map<string, RowOf<Table<C>>> {
    const known = this.#tables.get(table.name) ?? new Map<string, Row>()
    this.#tables.set(table.name, known)
    return known as Map<string, RowOf<Table<C>>>
  }
}

const OF_BLOCKS: readonly Table[] = [blocks, occurrences, archivedEdges, meta]
const OF_GRAPH: readonly Table[] = [
  ...OF_BLOCKS,
  edges,
  pairs,
  grounds,
  outcomes,
  questions,
  questionEvidence,
]

/** The tables of a past. Rows that only wait or serve an undo are left out, and of the log all but the clock. */
const PAST_TABLES: Readonly<Record<PastMoment['extent'], readonly Table[]>> = {
  blocks: OF_BLOCKS,
  graph: OF_GRAPH,
  all: [...OF_GRAPH, blockIndex, blockVectors, sessions],
}

/** Rows read or written at once, so that others have their turn in between. */
const PAGE = 1_000

/** Reads what there is now. One statement for 1,000 rows. */
export async function readRows(rows: Rows, extent: PastMoment['extent']): Promise<RowsThen> {
  const { vectorSet } = await rows.state()
  const then = new RowsThen()
  const [newest] = await rows.scan(operations, { order: ['-id'], limit: 1 })
  if (newest !== undefined) then.of(operations).set('', { ...newest, blockIds: [] })
  for (const table of PAST_TABLES[extent]) {
    const isKept = (row: Row) => table.name !== blockVectors.name || row.set === vectorSet
    const read = then.of(table) as Map<string, Row>
    await eachPage(rows, table, (page) => {
      for (const row of page) if (isKept(row)) read.set(keyText(table, row), row)
    })
  }
  return then
}

/** All rows of a table in the order of their keys; others have their turn in between. */
async function eachPage(rows: Rows, table: Table, visit: (page: readonly Row[]) => void): Promise<void> {
  for (let after: Key | undefined; ; ) {
    const page: Row[] = await rows.scan(table, { order: table.key, limit: PAGE, ...(after && { after }) })
    visit(page)
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = keyIn(table, last)
    await othersTurn()
  }
}

/** Writes rows into an empty database, without those that name a block that is not there. */
export async function writeRows(rows: Rows, then: RowsThen): Promise<void> {
  const known = new Set<unknown>()
  for (const { id, arrival } of then.of(blocks).values()) known.add(id).add(arrival)
  const tables: readonly Table[] = [...PAST_TABLES.all, operations]
  for (const table of tables) {
    const naming = table.properties.filter((property) => {
      const { block } = table.columns[property] ?? {}
      return block === 'id' || block === 'arrival'
    })
    const there = [...then.of(table).values()].filter((row) =>
      naming.every((property) => known.has((row as Row)[property])),
    )
    for (let at = 0; at < there.length; at += PAGE) {
      await rows.put(table, there.slice(at, at + PAGE), table.name === meta.name ? undefined : [])
      await othersTurn()
    }
  }
}

/** The key of a row as a text. */
export function keyText(table: Table, row: object): string {
  return JSON.stringify(keyIn(table, row))
}

function othersTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
