import { createHash } from 'node:crypto'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Edge, type EdgeOrigin, type Ends, orderedPair } from '../../src/graph/edge.ts'
import { normalise } from '../../src/index/columns.ts'
import type { NewBlock } from '../../src/store/blocks.ts'
import { createRandom, type Random } from '../lib/random.ts'
import { sentence } from '../speed/sentences.ts'

/** A graph of a size: everything is drawn from the same seed, so that two runs measure the same memory. */
export interface World {
  readonly blocks: readonly WorldBlock[]
  readonly edges: readonly Edge[]
  /** Blocks of topics, full of edges when as many were asked for as fit. */
  readonly crowd: readonly string[]
  /** Blocks without an edge. */
  readonly lonely: readonly string[]
  /** Blocks whose edges are all an agent's, as many as a block may have. */
  readonly fixed: readonly string[]
}

interface WorldBlock {
  readonly block: NewBlock
  readonly vector: Float32Array
}

/** The memory's time when the measuring begins, in active hours. */
export const NOW = 1_000
const AT = new Date(Date.UTC(2026, 5, 1)).toISOString()
/** What a memory of the world is opened with; the vectors of its blocks are drawn. */
export const EMBEDDER = { ...createHashingEmbedder({ dimensions: 384 }), dimensions: 384 }
/** The degree cap of the settings. */
const CAP = 10
const TOPIC = 100
const LONELY_SHARE = 0.02
/** So many are joined by the bench itself. */
const LONELY_MIN = 250
/** A clique of so many has exactly as many edges a block as the cap allows. */
const CLIQUE = CAP + 1
const CLIQUES = 10
/** Up to which share of all a kind goes. */
type Kind = readonly [upTo: number, origin: EdgeOrigin, relations: readonly string[]]
const KINDS: readonly Kind[] = [
  [0.5, 'similarity', ['similar']],
  [0.75, 'co_retrieval', ['co_occurs']],
  [0.9, 'outcome', ['outcome']],
  [1, 'agent', ['supports', 'elaborates', 'depends_on']],
]

/** Draws a world of `blocks` blocks in topics with `edges` edges, a few lonely blocks and a few cliques of an agent's. */
export function createWorld(blocks: number, edges: number): World {
  const random = createRandom(17, blocks, edges)
  const ids = (from: number, count: number) => Array.from({ length: count }, (_, i) => idOf(from + i))
  const crowd = ids(0, blocks)
  const lonely = ids(crowd.length, Math.max(LONELY_MIN, Math.ceil(blocks * LONELY_SHARE)))
  const fixed = ids(crowd.length + lonely.length, CLIQUES * CLIQUE)
  const all = [...crowd, ...lonely, ...fixed]
  return {
    blocks: all.map((id, i) => ({
      block: blockOf(id, i, random),
      vector: direction(random),
    })),
    edges: [...crowdEdges(random, crowd, edges), ...cliqueEdges(fixed)],
    crowd,
    lonely,
    fixed,
  }
}

function idOf(i: number): string {
  return createHash('sha256').update(`graph-speed ${i}`).digest('hex').slice(0, 16)
}

/** Sums of uniform deviates are normal enough, and quick. */
function direction(random: Random): Float32Array {
  return normalise(
    Float32Array.from(
      { length: EMBEDDER.dimensions },
      () => random.next() + random.next() + random.next() - 1.5,
    ),
  )
}

function blockOf(id: string, i: number, random: Random): NewBlock {
  const tags = i % 250 === 0 ? ['self/value'] : i % 251 === 0 ? ['topic/some'] : []
  const used = NOW - random.between(0, 200)
  return {
    id,
    content: sentence(i),
    category: 'knowledge',
    tags,
    sourceClass: 'agent',
    status: 'active',
    createdAt: AT,
    occurredAt: AT,
    session: `session-${Math.floor(i / 20)}`,
    successes: random.below(3),
    failures: 0,
    reinforcementCount: random.below(5),
    lastReinforcedAt: used,
    lastUsefulAt: used,
    decayLambda: i % 250 === 0 ? 0.001 : 0.01,
    tokenCount: 20,
  }
}

/** Steps to the next blocks of the own topic. */
const NEAR_STEPS = [1, 2, 3]
/** Steps to blocks of other topics, as shares of all. */
const FAR_STEPS = [0.317, 0.731]

/**
 * Blocks of a topic in a ring, each joined to the next ones, and to a few of other topics: nobody has more edges than
 * the cap, and everybody as many when five times as many edges as blocks are asked for.
 */
function crowdEdges(random: Random, crowd: readonly string[], wanted: number): Edge[] {
  const edges: Edge[] = []
  const left = { wanted, possible: (crowd.length * CAP) / 2 }
  for (const [i, from] of crowd.entries()) {
    const start = i - (i % TOPIC)
    const size = Math.min(TOPIC, crowd.length - start)
    const joined = [
      ...NEAR_STEPS.map((step) => start + ((i - start + step) % size)),
      ...FAR_STEPS.map((share) => (i + Math.floor(share * crowd.length)) % crowd.length),
    ]
    for (const other of joined) {
      const isWanted = random.next() < left.wanted / left.possible--
      if (!isWanted) continue
      left.wanted--
      edges.push(edgeOf(random, orderedPair(from, crowd[other] as string)))
    }
  }
  return edges
}

function edgeOf(random: Random, [from, to]: Ends): Edge {
  const drawn = random.next()
  const [, origin, relations] = KINDS.find(([upTo]) => drawn < upTo) ?? (KINDS[0] as Kind)
  return {
    from,
    to,
    relation: random.pick(relations),
    origin,
    weight: random.between(0.3, 0.9),
    reinforcementCount: random.below(6),
    lastActiveAt: NOW - random.between(0, 150),
    createdAt: AT,
    ...(origin === 'agent' ? { note: 'because both were read together', declaredBy: from } : {}),
  }
}

function cliqueEdges(fixed: readonly string[]): Edge[] {
  const edges: Edge[] = []
  for (const [i, one] of fixed.entries())
    for (let other = i + 1; other < Math.floor(i / CLIQUE + 1) * CLIQUE; other++) {
      const [from, to] = orderedPair(one, fixed[other] as string)
      edges.push({
        from,
        to,
        relation: 'supports',
        origin: 'agent',
        weight: 0.8,
        reinforcementCount: 1,
        lastActiveAt: NOW,
        createdAt: AT,
      })
    }
  return edges
}
