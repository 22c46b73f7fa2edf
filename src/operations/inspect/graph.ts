import * as z from 'zod'
import type { Block } from '../../block/block.ts'
import { count, defined, preview, shownLine } from '../../block/text.ts'
import type { Engine } from '../../engine/engine.ts'
import { type Edge, type Ends, relationFrom } from '../../graph/edge.ts'
import { inPast, momentsOf, pastNote, requireThen } from '../../history/past.ts'
import { confidenceOf } from '../../outcome/formulas.ts'
import { readBlocks } from '../../store/blocks.ts'
import { readLinks } from '../../store/graph.ts'
import { EDGE } from '../../store/tables.ts'
import type { ReadTransaction } from '../../store/transaction.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { pastArguments, pastFields, validityFields } from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'

/** Blocks read at a time. */
const PAGE = 2_000
/** Code points of each text: for people, and for pictures of 5,000 blocks, whose columns then are some 500 kB of JSON. */
const PREVIEW = 80
const TEXT_IN_COLUMNS = 24

const MS_PER_HOUR = 3_600_000
/** Tags of one block that a picture tells apart. */
const TAGS_SHOWN = 4

const words = (of: string) =>
  z.array(z.string()).readonly().describe(`${of}, which the columns number from 0`)
const numbers = (meaning: string) => z.array(z.number()).readonly().describe(meaning)
const hours = numbers('Hours of wall time from begin to when it came')

/** The schema of nodes and edges as columns, which take about a tenth of the room of objects. */
const graphColumns = z.object({
  begin: z.string().describe('When the oldest of it came, ISO-8601 UTC'),
  sourceClasses: words('Who speaks'),
  tags: words('Tags'),
  relations: words('Relations'),
  origins: words('Origins of edges'),
  nodes: z
    .object({
      id: z.array(z.string()).readonly().describe('Block ids'),
      text: z.array(z.string()).readonly().describe('The beginning of each content'),
      sourceClass: numbers('Place in sourceClasses'),
      tags: z.array(z.array(z.number())).readonly().describe('Places in tags, at most four of a block'),
      belief: numbers('Belief for all questions, in hundredths, 0..100'),
      degree: numbers('Number of all its edges'),
      createdAt: hours,
    })
    .describe('One column for each field, one place for each block'),
  edges: z
    .object({
      a: numbers('Place of one block in nodes'),
      b: numbers('Place of the other'),
      relation: numbers('Place in relations'),
      origin: numbers('Place in origins'),
      weight: numbers('Weight in hundredths, 0..100'),
      uses: numbers('How often it was used'),
      createdAt: hours,
    })
    .describe('One column for each field, one place for each edge'),
})

/** The fields of an edge in an answer, without its ends. */
export const edgeFields = {
  relation: z.string(),
  origin: z.string().describe('similarity, co_retrieval, outcome, agent or llm_inferred'),
  weight: z.number(),
  reinforcementCount: z.int(),
  createdAt: z.string().describe('When it was made'),
  note: z.string().optional(),
  declaredBy: z.string().optional().describe('The end the relation was said of'),
  ...validityFields,
}

const node = z.object({
  id: z.string(),
  preview: z.string(),
  category: z.string(),
  tags: z.array(z.string()).readonly(),
  confidence: z.number(),
})

const input = z.object({
  blockId: schemas.blockId.optional().describe('The block in the middle; the whole graph when left out'),
  depth: z.int().min(1).max(4).default(2).describe('Steps from the block'),
  columns: z.boolean().default(false).describe('Columns of numbers in place of objects, for a picture'),
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
  summary: 'Show what a block is joined to, or the whole graph.',
  guide: {
    when: 'You want to see what bears on a block and why, or to draw the graph.',
    whenNot: 'To find what answers a question use recall(), which follows the edges by itself.',
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
    nodes: z.array(node).readonly(),
    edges: z.array(z.object({ from: z.string(), to: z.string(), ...edgeFields })).readonly(),
    columns: graphColumns.optional().describe('Only when asked for; nodes and edges are empty then'),
    truncated: z.boolean().describe('There are more edges than limit'),
    ...pastFields,
    text: z.string().describe('A tree around the block, or the best joined blocks'),
    summary: schemas.summary,
  }),
  positionals: ['blockId'],
  run: (engine, asked) =>
    inPast(engine, asked, async (looking) => {
      const { blockId } = asked
      const root = blockId === undefined ? undefined : (await requireThen(looking, blockId)).id
      const { truncated, columns, nodeCount, ...found } = await readGraph(looking.engine, { ...asked, root })
      const { nodes, edges } = found
      return {
        ...defined({ root, columns }),
        nodes,
        edges: columns ? [] : edges.map((edge) => ({ from: edge.from, to: edge.to, ...toEdgeFields(edge) })),
        truncated,
        text: columns ? '' : root === undefined ? hubsOf(found) : treeOf(root, found),
        ...momentsOf(looking),
        summary: sentences(
          `${root === undefined ? 'The graph' : `Around ${shortId(root)}`}: ${count(nodeCount, 'block')}, ${count(edges.length, 'edge')}.`,
          truncated && 'There are more; raise limit.',
          pastNote(looking),
        ),
      }
    }),
  render: ({ text, summary }) => [text, summary].filter(Boolean).join('\n\n'),
})

type Asked = z.output<typeof input>

/** Blocks and edges around a block, or all that are joined. Changes nothing; one statement a step or 2,000 blocks. */
function readGraph(engine: Engine, { root, ...asked }: Asked & { readonly root: string | undefined }) {
  const textLength = asked.textLength ?? (asked.columns ? TEXT_IN_COLUMNS : PREVIEW)
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
    const columns = asked.columns ? await columnsOf(tx, engine, { blocks, edges, textLength }) : undefined
    const nodes = blocks.map((block): GraphNode => {
      const { id, content, category, tags } = block
      return { id, preview: preview(content, textLength), category, tags, confidence: confidenceOf(block) }
    })
    const truncated = all.length > edges.length
    return { nodes: columns ? [] : nodes, nodeCount: blocks.length, edges, truncated, columns }
  })
}

/** Returns the fields of an edge, without its ends. */
export function toEdgeFields({ relation, origin, weight, reinforcementCount, createdAt, ...edge }: Edge) {
  const { note, declaredBy, validFrom, validUntil } = edge
  return {
    ...{ relation, origin, weight, reinforcementCount, createdAt },
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

type GraphNode = z.output<typeof node>

/** Blocks and the edges among them: around a block nearest first, then heaviest; of the whole graph heaviest first. */
interface Graph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly Edge[]
}

/** Hubs shown when the whole graph is asked for in a terminal. */
const HUBS = 10

/** A block's neighbourhood as a tree; each block once, where it is nearest and joined most firmly. */
function treeOf(root: string, { nodes, edges }: Graph): string {
  const byId = new Map(nodes.map((each) => [each.id, each]))
  const children = childrenOf(root, edges)
  const branch = (id: string, indent: string): string[] => {
    const own = children.get(id) ?? []
    return own.flatMap(({ child, edge }, i) => {
      const last = i === own.length - 1
      const note = edge.note === undefined ? '' : `  (${shownLine(edge.note)})`
      const line = `${indent}${last ? '└─' : '├─'} ${relationFrom(id, edge)} ${edge.weight.toFixed(2)}  ${labelOf(child, byId.get(child))}${note}`
      return [line, ...branch(child, `${indent}${last ? '   ' : '│  '}`)]
    })
  }
  return [labelOf(root, byId.get(root)), ...branch(root, '')].join('\n')
}

/** The best joined blocks, for a first look at the whole. */
function hubsOf({ nodes, edges }: Graph): string {
  const degrees = new Map<string, number>()
  for (const id of edges.flatMap(endsOf)) degrees.set(id, (degrees.get(id) ?? 0) + 1)
  return [...nodes]
    .sort((a, b) => (degrees.get(b.id) ?? 0) - (degrees.get(a.id) ?? 0) || (a.id < b.id ? -1 : 1))
    .slice(0, HUBS)
    .map((node) => `${count(degrees.get(node.id) ?? 0, 'edge').padStart(9)}  ${labelOf(node.id, node)}`)
    .join('\n')
}

/** Returns the children of each block, where it is nearest to the root: edges come nearest first, then strongest. */
function childrenOf(root: string, edges: readonly Edge[]): Map<string, { child: string; edge: Edge }[]> {
  const children = new Map<string, { child: string; edge: Edge }[]>([[root, []]])
  for (const edge of edges)
    for (const [id, child] of [endsOf(edge), endsOf(edge).toReversed()] as [string, string][])
      if (!children.has(child) && children.get(id)?.push({ child, edge })) children.set(child, [])
  return children
}

function labelOf(id: string, node: GraphNode | undefined): string {
  return `${shortId(id)}  ${shownLine(node?.preview ?? '')}`
}

interface Pictured {
  readonly blocks: readonly Block[]
  readonly edges: readonly Edge[]
  /** Code points of each text. */
  readonly textLength: number
}

/** Returns the columns of blocks and of the edges between them, in their orders. */
async function columnsOf(
  tx: ReadTransaction,
  { experience, index }: Engine,
  { blocks, edges, textLength }: Pictured,
): Promise<z.output<typeof graphColumns>> {
  await experience.refresh(tx, index.generation)
  const strengths = await tx.queries.strengths(blocks.map(({ id }) => id))
  const times = [...blocks, ...edges].map(({ createdAt }) => createdAt)
  const begin = times.reduce((least, time) => (time < least ? time : least), times[0] ?? '')
  const first = Date.parse(begin)
  const hoursOf = ({ createdAt }: { readonly createdAt: string }) =>
    Math.floor((Date.parse(createdAt) - first) / MS_PER_HOUR)
  const [sourceClasses, tags, relations, origins] = [new Places(), new Places(), new Places(), new Places()]
  const nodes = new Places(blocks.map(({ id }) => id))
  const columns = {
    nodes: {
      id: nodes.words,
      text: blocks.map(({ content }) => preview(content, textLength)),
      sourceClass: blocks.map(({ sourceClass }) => sourceClasses.of(sourceClass)),
      tags: blocks.map((block) => block.tags.slice(0, TAGS_SHOWN).map((tag) => tags.of(tag))),
      belief: blocks.map(({ id }) => Math.round(50 * (1 + experience.general(id)))),
      degree: blocks.map(({ id }) => strengths.get(id)?.degree ?? 0),
      createdAt: blocks.map(hoursOf),
    },
    edges: {
      a: edges.map(({ from }) => nodes.of(from)),
      b: edges.map(({ to }) => nodes.of(to)),
      relation: edges.map(({ relation }) => relations.of(relation)),
      origin: edges.map(({ origin }) => origins.of(origin)),
      weight: edges.map(({ weight }) => Math.round(100 * weight)),
      uses: edges.map(({ reinforcementCount }) => reinforcementCount),
      createdAt: edges.map(hoursOf),
    },
  }
  return {
    begin,
    sourceClasses: sourceClasses.words,
    tags: tags.words,
    relations: relations.words,
    origins: origins.words,
    ...columns,
  }
}

/** Different words, numbered from 0 as they are met. */
class Places {
  readonly words: string[]
  readonly #places: Map<string, number>

  constructor(words: readonly string[] = []) {
    this.words = [...words]
    this.#places = new Map(words.map((word, at) => [word, at]))
  }

  of(word: string): number {
    const known = this.#places.get(word)
    if (known !== undefined) return known
    this.#places.set(word, this.words.length)
    this.words.push(word)
    return this.words.length - 1
  }
}
