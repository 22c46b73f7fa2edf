import { DatabaseSync } from 'node:sqlite'

/** Edges of one kind. */
interface EdgeKind {
  readonly relation: string
  readonly origin: string
  readonly edges: number
  readonly meanWeight: number
}

/** The edges of a memory after a session. */
export interface GraphState {
  /** Sessions played by then. */
  readonly sessions: number
  readonly kinds: readonly EdgeKind[]
}

const KINDS = `SELECT relation, origin, count(*) AS edges, avg(weight) AS meanWeight
FROM edges GROUP BY relation, origin ORDER BY relation, origin`

/** Relations that only use makes. */
const USAGE = new Set(['co_occurs', 'outcome'])

/** Reads the edges from the memory's file, because no operation tells mean weights. Changes nothing. */
export function readGraph(path: string, sessions: number): GraphState {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const kinds = database.prepare(KINDS).all() as unknown as EdgeKind[]
    return { sessions, kinds: kinds.map((kind) => ({ ...kind })) }
  } finally {
    database.close()
  }
}

/** Edges altogether, or of one relation. */
export function edgesOf({ kinds }: GraphState, relation?: string): number {
  const meant = relation === undefined ? kinds : kinds.filter((kind) => kind.relation === relation)
  return meant.reduce((sum, { edges }) => sum + edges, 0)
}

/** Share of the edges that reports or joint retrieval made, 0 without any edge. */
export function usageShare(state: GraphState): number {
  const used = state.kinds.filter(({ relation }) => USAGE.has(relation))
  return used.reduce((sum, { edges }) => sum + edges, 0) / Math.max(1, edgesOf(state))
}

/** Mean stored weight of the edges that reports made; 0 without any. */
export function meanOutcomeWeight({ kinds }: GraphState): number {
  const made = kinds.filter(({ relation }) => relation === 'outcome')
  const edges = made.reduce((sum, kind) => sum + kind.edges, 0)
  return made.reduce((sum, kind) => sum + kind.edges * kind.meanWeight, 0) / Math.max(1, edges)
}
