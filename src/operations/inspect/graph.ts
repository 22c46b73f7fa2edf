import * as z from 'zod'
import type { Edge, Ends } from '../../domain/graph/edge.ts'
import { confidenceOf } from '../../domain/score/experience.ts'
import { count, defined, preview } from '../../domain/text/text.ts'
import type { Engine } from '../../flow/engine/engine.ts'
import { inPast, momentsOf, pastNote, requireThen } from '../../flow/past/in-past.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { pastArguments, pastFields, validityOfEdge } from '../validity.ts'
import { sentences, shortId } from '../wording.ts'
import { dotOf, type Graph, graphmlOf, hubsOf, treeOf } from './graph-text.ts'

/** Edges or blocks read at a time. */
const PAGE = 2_000
const PREVIEW = 80

const input = z.object({
  blockId: schemas.blockId.optional().describe('The block in the middle; the whole graph when left out'),
  depth: z.int().min(1).max(4).default(2).describe('Steps from the block'),
  dot: z.boolean().default(false).describe('Text for Graphviz'),
  graphml: z.boolean().default(false).describe('Text as GraphML, for Gephi, yEd or Cytoscape'),
  limit: z.int().min(1).max(1_000_000).default(10_000).describe('At most so many edges'),
  ...pastArguments,
})

/** Returns the edges within `depth` steps of a block, or of the whole graph, up to `limit`. */
export const graph = defineScopedOperation({
  name: 'graph',
  summary: 'Show what a block is joined to, or export the whole graph.',
  guide: {
    when: 'You want to see what bears on a block and why, or to look at the graph in another program.',
    whenNot: 'To find what answers a question: recall() follows the edges by itself.',
    next: 'connect() what is missing, disconnect() what is wrong.',
    example: "const { text } = await memory.graph({ blockId: '3f2a9c1e', depth: 2 })",
  },
  tools: 'all',
  needs: 'reader',
  effect: 'read',
  cost: 'instant',
  idempotent: true,
  refuses: ['NOT_FOUND', 'AMBIGUOUS_ID'],
  input,
  output: z.object({
    root: z.string().optional(),
    nodes: z
      .array(
        z.object({
          id: z.string(),
          preview: z.string(),
          category: z.string(),
          tags: z.array(z.string()).readonly(),
          confidence: z.number(),
        }),
      )
      .readonly(),
    edges: z
      .array(
        z.object({
          from: z.string(),
          to: z.string(),
          relation: z.string(),
          origin: z.string().describe('similarity, co_retrieval, outcome, agent or llm_inferred'),
          weight: z.number(),
          reinforcementCount: z.int(),
          note: z.string().optional(),
          declaredBy: z.string().optional().describe('The end the relation was said of'),
          ...validityOfEdge,
        }),
      )
      .readonly(),
    truncated: z.boolean().describe('There are more edges than limit'),
    ...pastFields,
    text: z.string().describe('A tree around the block, the best joined blocks, DOT or GraphML'),
    summary: schemas.summary,
  }),
  positionals: ['blockId'],
  run: async (engine, asked) => {
    const { truncated, looking, ...found } = await inPast(
      engine,
      { ...asked, extent: 'graph' },
      async (past) => {
        const { blockId } = asked
        const root = blockId === undefined ? undefined : (await requireThen(engine, past, blockId)).id
        return { ...(await readGraph(past.engine, { ...asked, root })), looking: past }
      },
    )
    return {
      ...defined({ root: found.root }),
      nodes: found.nodes,
      edges: found.edges.map(
        ({ from, to, relation, origin, weight, reinforcementCount, note, declaredBy, ...edge }) => ({
          ...{ from, to, relation, origin, weight, reinforcementCount },
          ...defined({ note, declaredBy, validFrom: edge.validFrom, validUntil: edge.validUntil }),
        }),
      ),
      truncated,
      text: textOf(found, asked),
      ...momentsOf(looking),
      summary: sentences(summaryOf(found, truncated), pastNote(looking)),
    }
  },
  // What another program reads must be nothing but that.
  render: ({ text, summary }) =>
    /^(graph |<\?xml)/.test(text) ? text : [text, summary].filter(Boolean).join('\n\n'),
})

type Asked = z.output<typeof input>

/** Blocks and edges around a block, or all that are joined. Changes nothing; one statement a step or 2,000 edges. */
function readGraph(
  engine: Engine,
  { root, ...asked }: Asked & { readonly root: string | undefined },
): Promise<Graph & { readonly truncated: boolean }> {
  return engine.store.read(async (tx) => {
    const all = root === undefined ? await allEdges(tx, asked.limit) : await edgesNear(tx, root, asked)
    const edges = all.slice(0, asked.limit)
    const ids = [...new Set([...(root === undefined ? [] : [root]), ...edges.flatMap(endsOf)])]
    const nodes: Graph['nodes'][number][] = []
    for (let at = 0; at < ids.length; at += PAGE)
      for (const block of await tx.blocks(ids.slice(at, at + PAGE))) {
        const { id, content, category, tags } = block
        nodes.push({
          id,
          preview: preview(content, PREVIEW),
          category,
          tags,
          confidence: confidenceOf(block),
        })
      }
    return { root, nodes, edges, truncated: all.length > edges.length }
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

async function edgesNear(tx: StoreReader, root: string, { depth, limit }: Asked): Promise<Edge[]> {
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

function textOf(found: Graph, { dot, graphml }: Asked): string {
  if (dot) return dotOf(found)
  if (graphml) return graphmlOf(found)
  return found.root === undefined ? hubsOf(found) : treeOf(found)
}

function summaryOf({ root, nodes, edges }: Graph, truncated: boolean): string {
  const what = root === undefined ? 'The graph' : `Around ${shortId(root)}`
  return sentences(
    edges.length === 0
      ? `${what}: nothing is joined${root === undefined ? ' yet' : ' to it'}.`
      : `${what}: ${count(nodes.length, 'block')}, ${count(edges.length, 'edge')}.`,
    truncated && 'There are more; raise limit.',
  )
}
