import { normalise } from '../../src/index/columns.ts'
import type { Random } from '../lib/random.ts'

/** Components of the world's vectors. */
export const DIMENSIONS = 64

/** Returns a unit vector of normal deviates. */
export function randomDirection(random: Random): Float32Array {
  return normalise(Float32Array.from({ length: DIMENSIONS }, () => random.normal()))
}

/** Returns the direction of a weighted sum. */
export function mix(...parts: readonly (readonly [weight: number, vector: Float32Array])[]): Float32Array {
  return normalise(sumOf(parts))
}

/** Returns the plain mean, which is not a unit vector. */
export function meanOf(vectors: readonly Float32Array[]): Float32Array {
  return sumOf(vectors.map((vector) => [1 / vectors.length, vector] as const))
}

function sumOf(parts: readonly (readonly [weight: number, vector: Float32Array])[]): Float32Array {
  const sum = new Float32Array(DIMENSIONS)
  for (const [weight, vector] of parts)
    for (let i = 0; i < DIMENSIONS; i++) sum[i] = (sum[i] as number) + weight * (vector[i] as number)
  return sum
}

/** Something that can be learned. */
export interface Fact {
  readonly topic: number
  /**
   * `misleading` lies near the middle of its topic and never helps; `update` replaced an older version; `strategy` says what to do with a
   * recurring task.
   */
  readonly kind: 'true' | 'misleading' | 'update' | 'strategy'
  readonly vector: Float32Array
  readonly words: readonly string[]
  /** Session at whose start it becomes known. */
  readonly arrives: number
  /** From this session on it is wrong; Infinity when it stays true. */
  until: number
  /** Place of the version that replaces it. */
  next?: number
}

/** What facts are made of: directions and vocabularies of the topics, common words, identifiers. */
export interface Universe {
  readonly topics: readonly Float32Array[]
  readonly topicWords: readonly (readonly string[])[]
  readonly facts: readonly Fact[]
  /** Places of the true facts nobody has replaced when they were made, by topic. */
  readonly originals: readonly (readonly number[])[]
  commonWords(count: number): string[]
}

const TOPICS = 30
const AREAS = 6
const ASPECTS = 3
const TOPIC_WORDS = 14
const COMMON_WORDS = 80
const IDENTIFIERS = 300
const FACTS_PER_TOPIC = 20
const LAST_ARRIVAL = 80

/** All facts of a world, by the rules of the measured simulation: about 600 true, 75 misleading, 120 updates. */
export function createUniverse(random: Random): Universe {
  const areas = times(AREAS, () => randomDirection(random))
  const topics = times(TOPICS, (t) =>
    mix([0.5, areas[t % AREAS] as Float32Array], [1, randomDirection(random)]),
  )
  const aspects = topics.map(() => times(ASPECTS, () => randomDirection(random)))
  const topicWords = topics.map((_, t) => times(TOPIC_WORDS, (w) => `t${t}w${w}`))
  const common = times(COMMON_WORDS, (w) => `c${w}`)
  const zipf = common.map((_, w) => 1 / (1 + w))
  const commonWords = (count: number) => random.sample(common, count, zipf)
  const identifiers = times(IDENTIFIERS, (w) => `x${w}`)
  const arrives = () => (random.next() < 0.4 ? 0 : 1 + random.below(LAST_ARRIVAL))
  const facts: Fact[] = []
  const originals = topics.map((topic, t) => {
    const own = times(FACTS_PER_TOPIC, () => {
      const aspect = random.pick(aspects[t] as Float32Array[])
      return facts.push({
        topic: t,
        kind: 'true',
        vector: mix([0.75, topic], [0.4, aspect], [0.4, randomDirection(random)]),
        words: unique([
          ...random.sample(topicWords[t] as string[], 4),
          ...commonWords(3),
          ...random.sample(identifiers, 2),
        ]),
        arrives: arrives(),
        until: Number.POSITIVE_INFINITY,
      })
    }).map((length) => length - 1)
    for (let i = 0; i < 2 + random.below(2); i++)
      facts.push({
        topic: t,
        kind: 'misleading',
        vector: mix([0.95, topic], [0.5, randomDirection(random)]),
        words: unique([...random.sample(topicWords[t] as string[], 6), ...commonWords(2)]),
        arrives: arrives(),
        until: Number.POSITIVE_INFINITY,
      })
    return own
  })
  for (const fact of facts.filter(({ kind, arrives: at }) => kind === 'true' && at < 85))
    if (random.next() < 0.2) supersede(fact, facts, { random, identifiers })
  return { topics, topicWords, facts, originals, commonWords }
}

/** A new version, much like the old one, from some later session on. */
function supersede(
  fact: Fact,
  facts: Fact[],
  { random, identifiers }: { random: Random; identifiers: readonly string[] },
): void {
  const from = Math.max(fact.arrives + 4, 8)
  const session = from + random.below(96 - from)
  fact.until = session
  fact.next = facts.length
  facts.push({
    topic: fact.topic,
    kind: 'update',
    vector: mix([1, fact.vector], [random.between(0.4, 0.7), randomDirection(random)]),
    words: unique([...fact.words.filter(() => random.next() < 0.8), random.pick(identifiers)]),
    arrives: session,
    until: Number.POSITIVE_INFINITY,
  })
}

/** Place of the version of a fact that is true in the session, or undefined while it is not known. */
export function liveVersion(facts: readonly Fact[], place: number, session: number): number | undefined {
  let at = place
  for (;;) {
    const fact = facts[at] as Fact
    if (fact.until > session || fact.next === undefined) return fact.arrives <= session ? at : undefined
    at = fact.next
  }
}

export function isHarmful({ kind, until }: Fact, session: number): boolean {
  return kind === 'misleading' || until <= session
}

function times<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i))
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)]
}
