import { createHash } from 'node:crypto'
import { rememberAnalysis } from '../../src/engine/embedding.ts'
import { type Edge, orderedPair } from '../../src/graph/edge.ts'
import { normalise } from '../../src/index/columns.ts'
import { createAnalysis, createLanguage } from '../../src/language/question.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { type NewBlock, saveIndex } from '../../src/store/blocks.ts'
import { saveEdges } from '../../src/store/graph.ts'
import { saveMeta } from '../../src/store/log.ts'
import { insertBlock } from '../../test/helpers/rows.ts'
import { createRandom, type Random } from '../lib/random.ts'

/** How large a made memory is. */
export interface Size {
  readonly blocks: number
  readonly edges: number
}

const BATCH = 2_000
const BEGIN = Date.UTC(2026, 0, 5, 8)
/** The days over which the memory grew. */
const DAYS = 200
const MS_PER_DAY = 86_400_000
/** Age of the memory in active hours. */
const HOURS = 1_000

const PEOPLE = ['ada', 'bruno', 'carla', 'dev', 'elif', 'farid', 'greta', 'hugo']
const THINGS = [
  'garden seeds compost tomato watering greenhouse',
  'bicycle chain brakes saddle repair workshop',
  'violin rehearsal orchestra bow concert sonata',
  'sourdough oven flour starter baking crust',
  'harbour ferry timetable island luggage cabin',
  'invoice budget ledger payment quarter account',
  'telescope planet orbit lens eclipse observatory',
  'pottery glaze kiln wheel clay workshop',
  'database migration schema query backup cluster',
  'chess opening endgame tournament clock rating',
  'birdsong binoculars migration nest feeder heron',
  'marathon training interval shoes recovery pace',
  'translation glossary chapter footnote draft editor',
  'apartment landlord lease heating balcony kitchen',
  'robot sensor firmware motor battery gripper',
  'festival stage lighting volunteers permits stall',
]
const VERBS = ['prefers', 'moved', 'ordered', 'postponed', 'explained', 'repaired', 'compared', 'borrowed']

/** Relations and origins of edges, with the share up to which each goes. */
const KINDS = [
  [0.55, 'similar', 'similarity'],
  [0.7, 'co_occurs', 'co_retrieval'],
  [0.8, 'outcome', 'outcome'],
  [0.9, 'supports', 'agent'],
  [0.98, 'elaborates', 'agent'],
  [1, 'contradicts', 'agent'],
] as const
const SPEAKERS = ['user', 'agent', 'document', 'peer'] as const

/** The built-in embedder, so that the dashboard's command opens the memory as any other. */
const MODEL = 'all-MiniLM-L6-v2-int8'
const DIMENSIONS = 384

/** Writes a made memory through the store: blocks in topics of many sizes, most edges within them. It is the same each time. */
export async function makeMemory(path: string, { blocks, edges }: Size): Promise<void> {
  const random = createRandom(41, blocks, edges)
  const topics = topicsOf(random, blocks)
  const made = topics.map((topic, i) => blockOf(random, topic, i))
  const joined = edgesOf(random, { blocks: made, topics, wanted: edges })
  const centres = new Map<number, Float32Array>()
  const vectorOf = (i: number) => near(random, centreOf(random, centres, topics[i] ?? 0))
  const analysis = createAnalysis(createLanguage('auto'))
  const store = await openSqliteStore(path)
  try {
    let at = 0
    for (const part of batches(made))
      await store.write(async (tx) => {
        for (const block of part) await insertBlock(tx, block)
        await saveIndex(
          tx,
          part.map((block) => analysis.entry(block, { vector: vectorOf(at++) })),
        )
      })
    for (const part of batches(joined)) await store.write((tx) => saveEdges(tx, part))
    await store.write(async (tx) => {
      await saveMeta(tx, 'embedding_model', MODEL)
      await saveMeta(tx, 'embedding_dimensions', String(DIMENSIONS))
      await rememberAnalysis(tx, analysis)
    })
  } finally {
    await store.close()
  }
}

/** The topic of each block; a few topics hold most of them, as in any memory. */
function topicsOf(random: Random, blocks: number): number[] {
  const shares = Array.from({ length: Math.ceil(Math.sqrt(blocks) / 2) }, (_, i) => 1 / (i + 3))
  const total = shares.reduce((sum, share) => sum + share, 0)
  return Array.from({ length: blocks }, () => {
    let left = random.next() * total
    const found = shares.findIndex((share) => {
      left -= share
      return left < 0
    })
    return Math.max(0, found)
  })
}

function centreOf(random: Random, centres: Map<number, Float32Array>, topic: number): Float32Array {
  const known = centres.get(topic) ?? direction(random)
  centres.set(topic, known)
  return known
}

function near(random: Random, centre: Float32Array): Float32Array {
  const own = direction(random)
  return normalise(centre.map((each, i) => 0.75 * each + 0.66 * (own[i] ?? 0)))
}

function direction(random: Random): Float32Array {
  return normalise(Float32Array.from({ length: DIMENSIONS }, () => random.next() + random.next() - 1))
}

function wordsOf(topic: number): string[] {
  return (THINGS[topic % THINGS.length] ?? '').split(' ')
}

function blockOf(random: Random, topic: number, i: number): NewBlock {
  const person = PEOPLE[Math.floor(topic / 2) % PEOPLE.length] ?? 'ada'
  const [one, two] = random.sample(wordsOf(topic), 2)
  const createdAt = new Date(BEGIN + random.next() * DAYS * MS_PER_DAY).toISOString()
  const used = HOURS - random.between(0, 200)
  return {
    id: createHash('sha256').update(`dashboard ${i}`).digest('hex').slice(0, 16),
    content: `${person} ${random.pick(VERBS)} the ${one} and the ${two} for project ${topic + 1}, as noted in entry ${i}`,
    category: 'knowledge',
    tags: [`person/${person}`, `project/${topic + 1}`],
    sourceClass: random.pick(SPEAKERS),
    status: 'active',
    createdAt,
    occurredAt: createdAt,
    session: `session-${Math.floor(i / 20)}`,
    successes: random.below(4),
    failures: random.below(2),
    reinforcementCount: random.below(5),
    lastReinforcedAt: used,
    lastUsefulAt: used,
    decayLambda: 0.01,
    tokenCount: 20,
  }
}

interface World {
  readonly blocks: readonly NewBlock[]
  readonly topics: readonly number[]
  readonly wanted: number
}

/** Nine of ten edges stay within a topic, near ones first; most of the rest go to topics beside it. */
function edgesOf(random: Random, { blocks, topics, wanted }: World): Edge[] {
  const members: number[][] = []
  topics.forEach((topic, i) => {
    members[topic] ??= []
    members[topic].push(i)
  })
  const other = (from: number): number => {
    const topic = topics[from] ?? 0
    const own = members[topic] ?? []
    const drawn = random.next()
    if (drawn < 0.5) return own[(own.indexOf(from) + 1 + random.below(6)) % own.length] ?? from
    if (drawn < 0.88) return own[Math.floor(own.length * random.next() * random.next())] ?? from
    if (drawn < 0.97) return random.pick(members[(topic + 1 + random.below(3)) % members.length] ?? own)
    return random.below(blocks.length)
  }
  const found = new Map<number, Edge>()
  while (found.size < wanted) {
    const from = random.below(blocks.length)
    const to = other(from)
    const key = Math.min(from, to) * blocks.length + Math.max(from, to)
    const [one, two] = [blocks[from], blocks[to]]
    if (from === to || found.has(key) || one === undefined || two === undefined) continue
    found.set(key, edgeOf(random, one, two))
  }
  return [...found.values()]
}

function edgeOf(random: Random, one: NewBlock, other: NewBlock): Edge {
  const [from, to] = orderedPair(one.id, other.id)
  const drawn = random.next()
  const [, relation, origin] = KINDS.find(([upTo]) => drawn < upTo) ?? KINDS[0]
  return {
    from,
    to,
    relation,
    origin,
    weight: random.between(0.3, 0.95),
    reinforcementCount: random.below(6),
    lastActiveAt: HOURS - random.between(0, 150),
    createdAt: one.createdAt > other.createdAt ? one.createdAt : other.createdAt,
    ...(origin === 'agent' ? { note: 'because both were read together', declaredBy: from } : {}),
  }
}

function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH)
}
