import * as z from 'zod'
import { count } from '../../domain/text/count.ts'
import { type GraphResult, readGraph } from '../../flow/inspect/read-graph.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'
import { dotOf, graphmlOf, hubsOf, treeOf } from './graph-text.ts'

export const graph = defineScopedOperation({
  name: 'graph',
  summary: 'Show what a block is joined to, or export the whole graph.',
  guide: {
    when: 'You want to see what bears on a block and why, or to look at the graph in another program.',
    whenNot: 'To find what answers a question: recall follows the edges by itself.',
    next: 'connect what is missing, disconnect what is wrong.',
    example: "const { text } = await memory.graph({ blockId: '3f2a9c1e', depth: 2 })",
  },
  needs: 'reader',
  effect: 'read',
  cost: 'instant',
  idempotent: true,
  input: z.object({
    blockId: schemas.blockId.optional().describe('The block in the middle; the whole graph when left out'),
    depth: z.int().min(1).max(4).default(2).describe('Steps from the block'),
    dot: z.boolean().default(false).describe('Text for Graphviz'),
    graphml: z.boolean().default(false).describe('Text as GraphML, for Gephi, yEd or Cytoscape'),
    limit: z.int().min(1).max(1_000_000).default(10_000).describe('At most so many edges'),
  }),
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
        }),
      )
      .readonly(),
    truncated: z.boolean().describe('There are more edges than limit'),
    text: z.string().describe('A tree around the block, the best joined blocks, DOT or GraphML'),
    summary: schemas.summary,
  }),
  positionals: ['blockId'],
  run: async (engine, { dot, graphml, ...input }) => {
    const found = await readGraph(engine, input)
    return {
      ...(found.root === undefined ? {} : { root: found.root }),
      nodes: found.nodes,
      edges: found.edges.map(
        ({ from, to, relation, origin, weight, reinforcementCount, note, declaredBy }) => ({
          from,
          to,
          relation,
          origin,
          weight,
          reinforcementCount,
          ...(note === undefined ? {} : { note }),
          ...(declaredBy === undefined ? {} : { declaredBy }),
        }),
      ),
      truncated: found.truncated,
      text: textOf(found, { dot, graphml }),
      summary: summaryOf(found),
    }
  },
  // What another program reads must be nothing but that.
  render: ({ text, summary }) =>
    /^(graph |<\?xml)/.test(text) ? text : [text, summary].filter(Boolean).join('\n\n'),
})

function textOf(found: GraphResult, { dot, graphml }: { dot: boolean; graphml: boolean }): string {
  if (dot) return dotOf(found)
  if (graphml) return graphmlOf(found)
  return found.root === undefined ? hubsOf(found) : treeOf(found)
}

function summaryOf({ root, nodes, edges, truncated }: GraphResult): string {
  const what = root === undefined ? 'The graph' : `Around ${shortId(root)}`
  return sentences(
    edges.length === 0
      ? `${what}: nothing is joined${root === undefined ? ' yet' : ' to it'}.`
      : `${what}: ${count(nodes.length, 'block')}, ${count(edges.length, 'edge')}.`,
    truncated && 'There are more; raise limit.',
  )
}
