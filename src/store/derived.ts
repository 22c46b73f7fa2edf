import type { Cells } from './database.ts'
import { type Cell, integer, listIn, type Table, table, text } from './description.ts'
import { blocks, edges, operations } from './tables.ts'

const blockId = text().always()
const scope = text().maybe({ blank: '' })
const sum = integer.always()

/** The tags of blocks, by tag. */
export const blockTags = table(
  'block_tags',
  { tag: text().always(), blockId, scope },
  { key: ['tag', 'blockId'], within: ['tag, block_id'] },
)

/** The weights of a block's edges with their use, in whole billionths so that sums are exact in any order, and their number. */
export const blockStrengths = table(
  'block_strengths',
  { blockId, strength: sum, degree: sum },
  { key: ['blockId'], indexes: ['strength DESC, block_id'] },
)

/** The strengths within each scope, without edges that lead out of it. */
export const scopeStrengths = table(
  'scope_strengths',
  { blockId, scope, strength: sum, degree: sum },
  { key: ['blockId'], indexes: ['scope, strength DESC, block_id'] },
)

/** The numbers of edges. */
export const edgeCounts = table(
  'edge_counts',
  { scope, relation: text().always(), origin: text().always(), total: sum },
  { key: ['scope', 'relation', 'origin'] },
)

/** The entries of the log, by the blocks they name. */
export const operationBlocks = table(
  'operation_blocks',
  { blockId, operationId: sum },
  { key: ['blockId', 'operationId'] },
)

/** Tables whose rows follow from other rows. No export, undo or list of rows has them; `DerivedChanges` keeps them. */
export const DERIVED: readonly Table[] = [
  ...[blockTags, blockStrengths, scopeStrengths, edgeCounts, operationBlocks],
]

/** Number of recalls that are listed in `operation_blocks` at a time, because one alone would cost an answer some ten pages. */
export const LISTED_AT_ONCE = 32

/** A part is a row of a derived table, or what a row adds to the sums of one. */
type Part = readonly [of: Table, cells: Cells]

/** A source gives the parts that follow from a row, and the places of its columns that they depend on. */
interface Source {
  readonly by: readonly number[]
  readonly partsOf: (cells: Cells) => readonly Part[]
}

const BLOCK = placesIn(blocks)
const EDGE = placesIn(edges)
const ENTRY = placesIn(operations)

const SOURCES: ReadonlyMap<Table, Source> = new Map<Table, Source>([
  [blocks, { by: [BLOCK.tags], partsOf: partsOfBlock }],
  [edges, { by: [EDGE.weight, EDGE.reinforcementCount, EDGE.relation, EDGE.origin], partsOf: partsOfEdge }],
  [operations, { by: [ENTRY.blockIds], partsOf: partsOfEntry }],
])

/** The tables from whose rows derived tables follow. */
export const DERIVED_FROM: readonly Table[] = [...SOURCES.keys()]

function placesIn<T extends Table>({ properties }: T): Record<keyof T['columns'], number> {
  return Object.fromEntries(properties.map((each, place) => [each, place])) as never
}

function partsOfBlock(cells: Cells): Part[] {
  return textsIn(cells[BLOCK.tags]).map((tag) => [
    blockTags,
    [tag, at(cells, BLOCK.id), at(cells, BLOCK.scope)],
  ])
}

function partsOfEdge(cells: Cells): Part[] {
  const [scope, from, to] = [at(cells, EDGE.scope), at(cells, EDGE.from), at(cells, EDGE.to)]
  const strength = strengthOf(Number(cells[EDGE.weight]), Number(cells[EDGE.reinforcementCount]))
  const parts: Part[] = [
    [blockStrengths, [from, strength, 1]],
    [blockStrengths, [to, strength, 1]],
    [edgeCounts, [scope, at(cells, EDGE.relation), at(cells, EDGE.origin), 1]],
  ]
  if (scope !== '')
    parts.push([scopeStrengths, [from, scope, strength, 1]], [scopeStrengths, [to, scope, strength, 1]])
  return parts
}

/** Returns the weight of an edge with its use (`effectiveEdgeWeight`), in whole billionths. */
function strengthOf(weight: number, uses: number): number {
  return Math.round((weight + 0.1 * Math.log(1 + uses)) * 1e9)
}

function partsOfEntry(cells: Cells): Part[] {
  return textsIn(cells[ENTRY.blockIds]).map((id) => [operationBlocks, [id, at(cells, ENTRY.id)]])
}

function at(cells: Cells, place: number): Cell {
  return cells[place] as Cell
}

/** Returns each text of a list once. */
function textsIn(list: Cell | undefined): readonly string[] {
  return list === '[]' ? [] : [...new Set(listIn(String(list)) as string[])]
}

/** A change of one row of a derived table: the row, or what its sums grow by, and by how many parts. */
export interface DerivedChange {
  readonly cells: Cell[]
  parts: number
}

/** A row that a call inserted, changed or removed: its values before and after. */
export interface RowChange {
  readonly was: Cells | undefined
  readonly is: Cells | undefined
}

/** Derived changes add up what derived tables gain and lose as rows come, change and go. */
export class DerivedChanges {
  /** By table, then by key. */
  readonly byTable = new Map<Table, Map<string, DerivedChange>>()
  /** The numbers of the changes of blocks that became active, each with the block's `arrival`. */
  readonly activated: (readonly [sequence: number, arrival: number])[] = []
  /** The least number of new entries, and the number up to which recalls are listed, if some may not be yet. */
  listed: readonly [least: number, until: number] | undefined

  /** Adds up the changes of rows of a table. */
  constructor(table: Table, changes: readonly RowChange[]) {
    const { by, partsOf } = SOURCES.get(table) as Source
    if (table === blocks) for (const { was, is } of changes) this.#noteActive(was, is)
    const noted = table === operations ? this.#withoutRecalls(changes) : changes
    for (const { was, is } of noted) {
      if (was !== undefined && is !== undefined && by.every((place) => was[place] === is[place])) continue
      this.#add(was && partsOf(was), -1)
      this.#add(is && partsOf(is), 1)
    }
  }

  #noteActive(was: Cells | undefined, is: Cells | undefined): void {
    if (was === undefined || was[BLOCK.status] === 'active' || is?.[BLOCK.status] !== 'active') return
    this.activated.push([Number(is[BLOCK.sequence]), Number(is[BLOCK.arrival])])
  }

  /** Returns changes without new recalls, which are listed later; notes when some may be enough to be listed. */
  #withoutRecalls(changes: readonly RowChange[]): RowChange[] {
    let [least, most] = [Number.POSITIVE_INFINITY, 0]
    for (const { was, is } of changes) {
      const id = was === undefined ? Number(is?.[ENTRY.id]) : most
      least = Math.min(least, id)
      most = Math.max(most, id)
    }
    const until = most - (most % LISTED_AT_ONCE)
    if (least < most || until === most) this.listed = [least, until]
    return changes.filter(({ was, is }) => was !== undefined || is?.[ENTRY.operation] !== 'recall')
  }

  /** Notes recalls that are listed now. */
  list(recalls: readonly Cells[]): void {
    for (const [id = 0, ids] of recalls)
      this.#add(
        textsIn(ids).map((each) => [operationBlocks, [each, id]]),
        1,
      )
  }

  #add(parts: readonly Part[] | undefined, sign: 1 | -1): void {
    for (const [of, cells] of parts ?? []) {
      const { keyPlaces, sums } = shapeOf(of)
      const changes = this.byTable.get(of) ?? new Map<string, DerivedChange>()
      this.byTable.set(of, changes)
      const key = keyPlaces.map((place) => cells[place]).join('\n')
      const change = changes.get(key) ?? withoutSums(cells, sums)
      changes.set(key, change)
      change.parts += sign
      for (const place of sums)
        change.cells[place] = Number(change.cells[place]) + sign * Number(cells[place])
    }
  }
}

function withoutSums(cells: Cells, sums: readonly number[]): DerivedChange {
  return { cells: cells.map((cell, place) => (sums.includes(place) ? 0 : cell)), parts: 0 }
}

/** The places of the columns of the key, and of those that are sums. */
interface Shape {
  readonly keyPlaces: readonly number[]
  readonly sums: readonly number[]
}

const SHAPES: ReadonlyMap<Table, Shape> = new Map(
  DERIVED.map((of) => [
    of,
    {
      keyPlaces: of.key.map((each) => of.properties.indexOf(each)),
      sums: [...of.properties.keys()].filter((place) => isSum(of, place)),
    },
  ]),
)

/** Returns the shape of a derived table. */
export function shapeOf(of: Table): Shape {
  return SHAPES.get(of) as Shape
}

function isSum({ columns, properties, key }: Table, place: number): boolean {
  const property = properties[place] as string
  return columns[property]?.kind === 'integer' && !key.includes(property)
}
