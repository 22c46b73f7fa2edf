import * as z from 'zod'
import type { Block } from '../../block/block.ts'
import { count, defined, preview } from '../../block/text.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Edge, Ends } from '../../graph/edge.ts'
import { inPast, momentsOf, pastNote, requireThen } from '../../history/past.ts'
import { confidenceOf } from '../../outcome/formulas.ts'
import { readBlocks } from '../../store/blocks.ts'
import { readLinks } from '../../store/graph.ts'
import { EDGE } from '../../store/tables.ts'
import type { ReadTransaction } from '../../store/transaction.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { pastArguments, pastFields, validityOfEdge } from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'
import { columnsOf, graphColumns } from './graph-columns.ts'
import { dotOf, type Graph, graphmlOf, hubsOf, treeOf } from './graph-text.ts'

/** Blocks read at a time. */
const PAGE = 2_000
/** Code points of each text: for people, and for pictures of 5,000 blocks, whose columns then are some 500 kB of JSON. */
const PREVIEW = 80
const TEXT_IN_COLUMNS = 24

const input = z.object({
  blockId: schemas.blockId.optional().describe('The block in the middle; the whole graph when left out'),
  depth: z.int().min(1).max(4).default(2).describe('Steps from the block'),
  dot: z.boolean().default(false).describe('Text for Graphviz'),
  graphml: z.boolean().default(false).describe('Text as GraphML, for Gephi, yEd or Cytoscape'),
  columns: z
    .boolean()
    .default(false)
    .describe('Columns of numbers in place of objects, for a picture of many blocks'),
  textLength: z
    .int()
    .min(0)
    .max(280)
    .optional()
    .describe('Characters of each text: 80, in columns 24, when left out'),
  limit: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(10_000)
    .describe('At most so many edges: around a block the nearest, else the heaviest'),
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
          createdAt: z.string().describe('When it was made'),
          note: z.string().optional(),
          declaredBy: z.string().optional().describe('The end the relation was said of'),
          ...validityOfEdge,
        }),
      )
      .readonly(),
    columns: graphColumns.optional().describe('Only when asked for; nodes and edges are empty then'),
    truncated: z.boolean().describe('There are more edges than limit'),
    ...pastFields,
    text: z.string().describe('A tree around the block, the best joined blocks, DOT or GraphML'),
    summary: schemas.summary,
  }),
  positionals: ['blockId'],
  run: (engine, asked) =>
    inPast(engine, asked, async (looking) => {
      const { blockId } = asked
      const root = blockId === undefined ? undefined : (await requireThen(looking, blockId)).id
      const { truncated, columns, ...found } = await readGraph(looking.engine, { ...asked, root })
      return {
        ...defined({ root }),
        nodes: found.nodes,
        edges: columns === undefined ? found.edges.map(toGraphEdge) : [],
        ...defined({ columns }),
        truncated,
        text: columns === undefined ? textOf(found, asked) : '',
        ...momentsOf(looking),
        summary: sentences(summaryOf(found, truncated), pastNote(looking)),
      }
    }),
  // What another program reads must be nothing but that.
  render: ({ text, summary }) =>
    /^(graph |<\?xml)/.test(text) ? text : [text, summary].filter(Boolean).join('\n\n'),
})

type Asked = z.output<typeof input>

/** A graph and, if they were asked for, its columns. */
interface ReadGraph extends Graph {
  readonly nodeCount: number
  readonly truncated: boolean
  readonly columns: z.output<typeof graphColumns> | undefined
}

/** Blocks and edges around a block, or all that are joined. Changes nothing; one statement a step or 2,000 blocks. */
function readGraph(
  engine: Engine,
  { root, ...asked }: Asked & { readonly root: string | undefined },
): Promise<ReadGraph> {
  const length = asked.textLength ?? (asked.columns ? TEXT_IN_COLUMNS : PREVIEW)
  return engine.store.read(async (tx) => {
    const all =
      root === undefined
        ? await tx.rows.scan(EDGE, { order: ['-weight', 'from', 'to'], limit: asked.limit + 1 })
        : await edgesNear(tx, root, asked)
    const edges = all.slice(0, asked.limit)
    const ids = [...new Set([...(root === undefined ? [] : [root]), ...edges.flatMap(endsOf)])]
    const blocks: Block[] = []
    for (let at = 0; at < ids.length; at += PAGE)
      blocks.push(...(await readBlocks(tx, ids.slice(at, at + PAGE))))
    const columns = asked.columns ? await pictured(tx, engine, { blocks, edges, length }) : undefined
    const nodes = columns === undefined ? blocks.map((block) => toGraphNode(block, length)) : []
    const nodeCount = blocks.length
    return { root, nodes, nodeCount, edges, truncated: all.length > edges.length, columns }
  })
}

async function pictured(
  tx: ReadTransaction,
  { experience, index }: Engine,
  {
    length,
    ...found
  }: { readonly blocks: readonly Block[]; readonly edges: readonly Edge[]; readonly length: number },
): Promise<z.output<typeof graphColumns>> {
  await experience.refresh(tx, index.generation)
  const joined = await tx.queries.strengths(found.blocks.map(({ id }) => id))
  return columnsOf({
    ...found,
    degrees: new Map([...joined].map(([id, { degree }]) => [id, degree])),
    beliefOf: (id) => (1 + experience.general(id)) / 2,
    textLength: length,
  })
}

function toGraphNode(block: Block, length: number): Graph['nodes'][number] {
  const { id, content, category, tags } = block
  return { id, preview: preview(content, length), category, tags, confidence: confidenceOf(block) }
}

function toGraphEdge({ from, to, relation, origin, weight, reinforcementCount, createdAt, ...edge }: Edge) {
  const { note, declaredBy, validFrom, validUntil } = edge
  return {
    ...{ from, to, relation, origin, weight, reinforcementCount, createdAt },
    ...defined({ note, declaredBy, validFrom, validUntil }),
  }
}

async function edgesNear(tx: ReadTransaction, root: string, { depth, limit }: Asked): Promise<Edge[]> {
  const found = new Map<string, Edge>()
  const seen = new Set([root])
  let frontier: readonly string[] = [root]
  for (let step = 0; step < depth && frontier.length > 0 && found.size <= limit; step++) {
    const { edges } = await readLinks(tx, frontier)
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

function summaryOf(
  { root, nodeCount, edges }: Omit<ReadGraph, 'columns' | 'truncated'>,
  truncated: boolean,
): string {
  const what = root === undefined ? 'The graph' : `Around ${shortId(root)}`
  return sentences(
    edges.length === 0
      ? `${what}: nothing is joined${root === undefined ? ' yet' : ' to it'}.`
      : `${what}: ${count(nodeCount, 'block')}, ${count(edges.length, 'edge')}.`,
    truncated && 'There are more; raise limit.',
  )
}
