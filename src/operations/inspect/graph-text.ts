import { count, shownLine } from '../../block/text.ts'
import { type Edge, relationFrom } from '../../graph/edge.ts'
import { shortId } from '../wording.ts'

/** A joined block, with the beginning of its content. */
interface GraphNode {
  readonly id: string
  readonly preview: string
  readonly category: string
  readonly tags: readonly string[]
  readonly confidence: number
}

/** Blocks and the edges among them: around a block nearest first, then heaviest; of the whole graph heaviest first. */
export interface Graph {
  readonly root: string | undefined
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly Edge[]
}

/** Hubs shown when the whole graph is asked for in a terminal. */
const HUBS = 10

/** A block's neighbourhood as a tree; each block once, where it is nearest and joined most firmly. */
export function treeOf({ root, nodes, edges }: Graph): string {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const first = root === undefined ? undefined : byId.get(root)
  if (!first) return ''
  const children = childrenOf(first.id, edges)
  const branch = (id: string, indent: string): string[] => {
    const own = children.get(id) ?? []
    return own.flatMap(({ child, edge }, i) => {
      const last = i === own.length - 1
      const node = byId.get(child)
      const note = edge.note === undefined ? '' : `  (${shownLine(edge.note)})`
      const line = `${indent}${last ? '└─' : '├─'} ${relationFrom(id, edge)} ${edge.weight.toFixed(2)}  ${labelOf(child, node)}${note}`
      return [line, ...branch(child, `${indent}${last ? '   ' : '│  '}`)]
    })
  }
  return [labelOf(first.id, first), ...branch(first.id, '')].join('\n')
}

/** The best joined blocks, for a first look at the whole. */
export function hubsOf({ nodes, edges }: Graph): string {
  const degrees = new Map<string, number>()
  for (const { from, to } of edges) for (const id of [from, to]) degrees.set(id, (degrees.get(id) ?? 0) + 1)
  return [...nodes]
    .sort((a, b) => (degrees.get(b.id) ?? 0) - (degrees.get(a.id) ?? 0) || (a.id < b.id ? -1 : 1))
    .slice(0, HUBS)
    .map((node) => `${count(degrees.get(node.id) ?? 0, 'edge').padStart(9)}  ${labelOf(node.id, node)}`)
    .join('\n')
}

/** Returns a graph as text for Graphviz. Contents are quoted, so nothing in them is syntax. */
export function dotOf({ nodes, edges }: Graph): string {
  return [
    'graph elfmem {',
    '  node [shape=box];',
    ...nodes.map(({ id, preview }) => `  ${quoted(id)} [label=${quoted(preview)}];`),
    ...edges.map((edge) => {
      const attributes = Object.entries(edgeData(edge)).map(([key, value]) => `${key}=${quoted(value)}`)
      return `  ${quoted(edge.from)} -- ${quoted(edge.to)} [label=${quoted(edge.relation)}, ${attributes.join(', ')}];`
    }),
    '}',
  ].join('\n')
}

const NODE_KEYS = ['preview', 'category', 'tags', 'confidence']
const EDGE_KEYS = ['relation', 'origin', 'weight', 'uses', 'created_at', 'note', 'declared_by']

/** Returns a graph as GraphML for Gephi, yEd, Cytoscape and others. */
export function graphmlOf({ nodes, edges }: Graph): string {
  const key = (name: string, of: 'node' | 'edge') =>
    `  <key id="${name}" for="${of}" attr.name="${name}" attr.type="${['weight', 'confidence', 'uses'].includes(name) ? 'double' : 'string'}"/>`
  const data = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => `<data key="${name}">${escaped(value)}</data>`)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ...NODE_KEYS.map((name) => key(name, 'node')),
    ...EDGE_KEYS.map((name) => key(name, 'edge')),
    '  <graph id="elfmem" edgedefault="undirected">',
    ...nodes.map(
      ({ id, preview, category, tags, confidence }) =>
        `    <node id="${escaped(id)}">${data({ preview, category, tags: tags.join(' '), confidence: confidence.toFixed(4) }).join('')}</node>`,
    ),
    ...edges.map(
      (edge) =>
        `    <edge source="${escaped(edge.from)}" target="${escaped(edge.to)}">${data({ relation: edge.relation, ...edgeData(edge) }).join('')}</edge>`,
    ),
    '  </graph>',
    '</graphml>',
  ].join('\n')
}

interface Child {
  readonly child: string
  readonly edge: Edge
}

/** Breadth first, so that a block hangs where it is nearest; edges come strongest first. */
function childrenOf(root: string, edges: readonly Edge[]): Map<string, Child[]> {
  const around = new Map<string, Edge[]>()
  for (const edge of edges)
    for (const id of [edge.from, edge.to]) around.set(id, [...(around.get(id) ?? []), edge])
  const children = new Map<string, Child[]>()
  const seen = new Set([root])
  const waiting = [root]
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    const own: Child[] = []
    for (const edge of around.get(id) ?? []) {
      const child = edge.from === id ? edge.to : edge.from
      if (seen.has(child)) continue
      seen.add(child)
      waiting.push(child)
      own.push({ child, edge })
    }
    children.set(id, own)
  }
  return children
}

function edgeData({
  origin,
  weight,
  reinforcementCount,
  createdAt,
  note,
  declaredBy,
}: Edge): Record<string, string> {
  return {
    origin,
    weight: weight.toFixed(4),
    uses: String(reinforcementCount),
    created_at: createdAt,
    ...(note === undefined ? {} : { note }),
    ...(declaredBy === undefined ? {} : { declared_by: declaredBy }),
  }
}

function labelOf(id: string, node: GraphNode | undefined): string {
  return `${shortId(id)}  ${shownLine(node?.preview ?? '')}`
}

function quoted(text: string): string {
  return `"${shownLine(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

/** Escapes a text for XML and leaves out what XML 1.0 cannot hold. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
