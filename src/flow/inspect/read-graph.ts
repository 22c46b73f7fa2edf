import type { Block } from '../../domain/block/block.ts'
import type { Edge, Ends } from '../../domain/graph/edge.ts'
import { confidenceOf } from '../../domain/score/experience.ts'
import { preview } from '../../domain/text/text.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import type { Engine } from '../engine/engine.ts'
import { requireBlock } from '../guard/resolve-ids.ts'

export interface GraphInput {
  /** The block in the middle; the whole graph when left out. */
  readonly blockId?: string | undefined
  /** Steps from the block. */
  readonly depth: number
  /** At most so many edges. */
  readonly limit: number
}

/** A joined block. */
export interface GraphNode {
  readonly id: string
  /** The beginning of its content. */
  readonly preview: string
  readonly category: string
  readonly tags: readonly string[]
  /** 0..1. */
  readonly confidence: number
}

export interface GraphResult {
  readonly root?: string
  readonly nodes: readonly GraphNode[]
  /** Around a block nearest first, then strongest; of the whole graph by their ends. */
  readonly edges: readonly Edge[]
  /** There are more edges than `limit`. */
  readonly truncated: boolean
}

/** Edges or blocks read at a time. */
const PAGE = 2_000
const PREVIEW = 80

/** Blocks and edges around a block, or all that are joined. Changes nothing; one statement a step or 2,000 edges. */
export function readGraph(engine: Engine, input: GraphInput): Promise<GraphResult> {
  return engine.store.read(async (tx) => {
    const root = input.blockId === undefined ? undefined : (await requireBlock(tx, input.blockId)).id
    const all = root === undefined ? await allEdges(tx, input.limit) : await edgesNear(tx, root, input)
    const edges = all.slice(0, input.limit)
    const ids = [...new Set([...(root === undefined ? [] : [root]), ...edges.flatMap(endsOf)])]
    const nodes: GraphNode[] = []
    for (let at = 0; at < ids.length; at += PAGE)
      nodes.push(...(await tx.blocks(ids.slice(at, at + PAGE))).map(nodeOf))
    return { ...(root === undefined ? {} : { root }), nodes, edges, truncated: all.length > edges.length }
  })
}

async function allEdges(tx: StoreReader, limit: number): Promise<Edge[]> {
  const edges: Edge[] = []
  for (let after: Ends = ['', '']; edges.length <= limit; ) {
    const page = await tx.edgePage(after, PAGE)
    edges.push(...page)
    const last = edges.at(-1)
    if (last === undefined || page.length < PAGE) break
    after = endsOf(last)
  }
  return edges
}

async function edgesNear(tx: StoreReader, root: string, { depth, limit }: GraphInput): Promise<Edge[]> {
  const found = new Map<string, Edge>()
  const seen = new Set([root])
  let frontier: readonly string[] = [root]
  for (let step = 0; step < depth && frontier.length > 0 && found.size <= limit; step++) {
    const { edges } = await tx.links(frontier)
    for (const edge of edges) found.set(endsOf(edge).join(' '), edge)
    frontier = [...new Set(edges.flatMap(endsOf))].filter((id) => !seen.has(id))
    for (const id of frontier) seen.add(id)
  }
  return [...found.values()]
}

function endsOf({ from, to }: Edge): Ends {
  return [from, to]
}

function nodeOf(block: Block): GraphNode {
  const { id, content, category, tags } = block
  return { id, preview: preview(content, PREVIEW), category, tags, confidence: confidenceOf(block) }
}
