import type { GraphResult } from '../../../../src/operations/methods.generated.ts'

/** What `graph` answers when columns are asked for. */
export type Columns = NonNullable<GraphResult['columns']>

/** A block that nothing joins, as `ls` lists it. */
export interface LoneBlock {
  readonly id: string
  readonly content: string
  readonly sourceClass: string
  readonly createdAt: string
  readonly belief?: number | undefined
}

/** Blocks and edges of a graph by columns; blocks without an edge come after the joined ones. */
export interface Picture {
  readonly ids: readonly string[]
  /** How many blocks are joined. */
  readonly joined: number
  readonly texts: readonly string[]
  readonly speakers: readonly string[]
  /** Hundredths. */
  readonly beliefs: readonly number[]
  readonly degrees: readonly number[]
  /** Hours after `begin` when each block came. */
  readonly bornAt: readonly number[]
  /** When the oldest of it came, in milliseconds. */
  readonly begin: number
  /** The last hour in which anything came. */
  readonly span: number
  readonly relations: readonly string[]
  readonly edges: Columns['edges']
}

const MS_PER_HOUR = 3_600_000

/** Puts columns and blocks without edges together. */
export function pictureOf(columns: Columns, lone: readonly LoneBlock[]): Picture {
  const { nodes, edges, relations, sourceClasses } = columns
  const known = new Set(nodes.id)
  const others = lone.filter(({ id }) => !known.has(id))
  const begin = Date.parse(columns.begin || others[0]?.createdAt || '') || 0
  const bornAt = [
    ...nodes.createdAt,
    ...others.map(({ createdAt }) => Math.max(0, Math.floor((Date.parse(createdAt) - begin) / MS_PER_HOUR))),
  ]
  return {
    ids: [...nodes.id, ...others.map(({ id }) => id)],
    joined: nodes.id.length,
    texts: [...nodes.text, ...others.map(({ content }) => content)],
    speakers: [
      ...nodes.sourceClass.map((at) => sourceClasses[at] ?? ''),
      ...others.map(({ sourceClass }) => sourceClass),
    ],
    beliefs: [...nodes.belief, ...others.map(({ belief }) => Math.round(100 * (belief ?? 0.5)))],
    degrees: [...nodes.degree, ...others.map(() => 0)],
    bornAt,
    begin,
    span: Math.max(1, largest(bornAt), largest(edges.createdAt)),
    relations,
    edges,
  }
}

/** The largest of many numbers: `Math.max` takes only as many arguments as fit on the stack. */
function largest(values: readonly number[]): number {
  return values.reduce((most, value) => (value > most ? value : most), 0)
}

/** What of a picture is shown. */
export interface Showing {
  /** Relations whose edges are left out. */
  readonly without: ReadonlySet<string>
  /** The least weight of edges, in hundredths. */
  readonly least: number
  /** Hours after the beginning up to which blocks and edges had come. */
  readonly until: number
  /** True: blocks without an edge are shown, too. */
  readonly lone: boolean
  /** One group alone. */
  readonly group: number | undefined
}

/** More edges are not drawn of the whole graph: they hide what they join. */
const MOST_EDGES = 15_000

/** The blocks and edges of a picture that fit. */
export interface Fitting {
  /** 1 for each block that is shown. */
  readonly blocks: Uint8Array
  readonly blockCount: number
  /** Places of edges, the firmest first. */
  readonly edges: readonly number[]
  /** The firmest of them, at most so many as are drawn. */
  readonly drawn: readonly number[]
}

/** Finds what of a picture is shown; blocks whose edges are all left out count as without edges. */
export function fittingOf(picture: Picture, showing: Showing, groups?: ArrayLike<number>): Fitting {
  const { edges } = picture
  const isIn = (block: number) =>
    (picture.bornAt[block] ?? 0) <= showing.until &&
    (showing.group === undefined || groups === undefined || groups[block] === showing.group)
  const left = picture.relations.map((relation) => showing.without.has(relation))
  const blocks = new Uint8Array(picture.ids.length)
  const isEdgeIn = (edge: number) =>
    !left[edges.relation[edge] ?? 0] &&
    (edges.weight[edge] ?? 0) >= showing.least &&
    (edges.createdAt[edge] ?? 0) <= showing.until &&
    isIn(edges.a[edge] ?? 0) &&
    isIn(edges.b[edge] ?? 0)
  const fitting: number[] = []
  for (let edge = 0; edge < edges.a.length; edge++) {
    if (!isEdgeIn(edge)) continue
    blocks[edges.a[edge] ?? 0] = 1
    blocks[edges.b[edge] ?? 0] = 1
    fitting.push(edge)
  }
  if (showing.lone) for (let block = 0; block < blocks.length; block++) if (isIn(block)) blocks[block] = 1
  const blockCount = blocks.reduce((sum, each) => sum + each, 0)
  // The columns have the firmest edges first.
  return { blocks, blockCount, edges: fitting, drawn: fitting.slice(0, MOST_EDGES) }
}

/** The number of edges of each relation, the most frequent first. */
export function relationCounts({ relations, edges }: Picture): readonly (readonly [string, number])[] {
  const counts = relations.map(() => 0)
  for (const relation of edges.relation) counts[relation] = (counts[relation] ?? 0) + 1
  return relations
    .map((relation, at) => [relation, counts[at] ?? 0] as const)
    .sort((one, other) => other[1] - one[1])
}

/** Blocks whose words hold a text, in either case, the best joined first. */
export function find({ texts, ids, degrees }: Picture, words: string, most: number): readonly number[] {
  const asked = words.trim().toLowerCase()
  if (asked.length < 2) return []
  const found = texts.flatMap((text, at) =>
    text.toLowerCase().includes(asked) || ids[at]?.startsWith(asked) ? [at] : [],
  )
  return found.sort((p, q) => (degrees[q] ?? 0) - (degrees[p] ?? 0)).slice(0, most)
}
