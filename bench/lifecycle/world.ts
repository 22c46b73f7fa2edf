import { createRandom, type Random } from '../lib/random.ts'
import type { Conditions, StrategyWorld } from './conditions.ts'
import {
  createUniverse,
  type Fact,
  isHarmful,
  liveVersion,
  meanOf,
  mix,
  randomDirection,
  type Universe,
} from './facts.ts'

/** What an agent asks, and what would help. Facts are named by their place in `World.facts`. */
export interface Query {
  readonly session: number
  /** Active hours. */
  readonly hours: number
  readonly vector: Float32Array
  readonly words: readonly string[]
  readonly useful: ReadonlySet<number>
  /** Useful facts of other topics that the question does not speak of. */
  readonly hidden: readonly number[]
  /** The agent notices that this is missing and asks for it by name. */
  readonly followUp?: {
    readonly target: number
    readonly vector: Float32Array
    readonly words: readonly string[]
  }
  /** Seeds what is reported after it, the same for every policy. */
  readonly seed: readonly number[]
  /** The recurring task that it belongs to; absent for a question about one fact. */
  readonly task?: Task
  /** The strategy of its task; what solves it, unless any useful fact does; the strategy if that misleads here. */
  readonly strategy?: number
  readonly solvedBy?: ReadonlySet<number>
  readonly misleads?: number
}

/** Facts, sessions and questions of one seed. Nothing in it depends on the memory that is measured. */
export interface World {
  readonly facts: readonly Fact[]
  /** Active hours at which each session starts. */
  readonly starts: readonly number[]
  readonly queries: readonly Query[]
  /** In a world with strategies agents ask for the frame of a task. */
  readonly conditions: Conditions
}

const SESSIONS = 100
const QUERIES = 20
const HOT_TOPICS = 6
const TASKS_PER_TOPIC = 3
/** Share of questions about one fact that belongs to no recurring task. */
const AD_HOC = 0.4

/** Facts that are needed together: `direct` of one topic, `cross` of others. */
interface Task {
  readonly direct: readonly number[]
  readonly cross: readonly number[]
}

interface Asking {
  readonly conditions: Conditions
  readonly random: Random
  readonly universe: Universe
  readonly partners: ReadonlyMap<number, readonly number[]>
  readonly tasks: readonly (readonly Task[])[]
}

/**
 * A world by the rules of the measured simulation: 30 topics whose hot ones drift, facts that arrive, mislead and go
 * stale, hidden relations across topics, recurring tasks among ad hoc questions. The same seed and conditions make the
 * same world.
 */
export function createWorld(seed: number, conditions: Conditions): World {
  const random = createRandom(seed, 1)
  const universe = createUniverse(random)
  const partners = partnersOf(universe, random)
  const tasks = tasksOf(universe, partners, random)
  const asking = { conditions, random, universe, partners, tasks }
  const hours = Array.from({ length: SESSIONS }, () => random.between(2, 6))
  const starts = hours.map((_, s) => hours.slice(0, s).reduce((sum, each) => sum + each, 0))
  const queries: Query[] = []
  let hot = random.sample([...universe.topics.keys()], HOT_TOPICS)
  for (let session = 0; session < SESSIONS; session++) {
    hot = drift(hot, universe.topics.length, random)
    for (let n = 0; n < QUERIES; n++) {
      const at = (starts[session] as number) + ((hours[session] as number) * (n + 0.5)) / QUERIES
      queries.push(ask(asking, { session, hours: at, hot, seed: [seed, 2, session, n] }))
    }
  }
  const world = { facts: universe.facts, starts, queries, conditions }
  const kind = conditions.strategies
  return kind === undefined ? world : withStrategies(world, kind, universe, tasks.flat())
}

/** True if a fact leads astray what the question is about. */
export function harms(place: number, { session, misleads }: Query, { facts }: World): boolean {
  return place === misleads || isHarmful(facts[place] as Fact, session)
}

function drift(hot: readonly number[], topics: number, random: Random): number[] {
  const next = [...hot]
  next.forEach((_, i) => {
    if (random.next() < 1 / 12) {
      const cold = [...Array(topics).keys()].filter((topic) => !next.includes(topic))
      next[i] = random.pick(cold)
    }
  })
  return next
}

/** Hidden relations: what else a fact needs, of other topics. */
function partnersOf({ facts, originals }: Universe, random: Random): Map<number, number[]> {
  const all = originals.flat()
  const partners = new Map<number, number[]>()
  for (const place of all) {
    if (random.next() >= 0.4) continue
    const elsewhere = all.filter((other) => facts[other]?.topic !== facts[place]?.topic)
    partners.set(place, random.sample(elsewhere, random.next() < 0.35 ? 2 : 1))
  }
  return partners
}

function tasksOf(
  { originals }: Universe,
  partners: ReadonlyMap<number, readonly number[]>,
  random: Random,
): Task[][] {
  return originals.map((own) => {
    const popularity = random.shuffled(own.map((_, i) => (1 + i) ** -0.7))
    return Array.from({ length: TASKS_PER_TOPIC }, () => {
      const direct = random.sample(own, 2 + random.below(3), popularity)
      return { direct, cross: direct.flatMap((place) => partners.get(place) ?? []).slice(0, 2) }
    })
  })
}

interface Occasion {
  readonly session: number
  readonly hours: number
  readonly hot: readonly number[]
  readonly seed: readonly number[]
}

/** What is named in the question, and what else it needs. */
interface Need {
  readonly topic: number
  readonly named: readonly number[]
  readonly direct: readonly number[]
  readonly cross: readonly number[]
  readonly task?: Task
}

function ask(asking: Asking, { session, hours, hot, seed }: Occasion): Query {
  const { conditions, random, universe } = asking
  const { facts, topics } = universe
  const need = needOf(asking, session, hot)
  const live = (place: number) => liveVersion(facts, place, session) as number
  const cross = need.cross.filter((place) => liveVersion(facts, place, session) !== undefined)
  const full = random.next() < conditions.full
  const spoken = [...need.named, ...(full ? cross.slice(0, 1) : [])].map(live)
  const hidden = cross.map(live).filter((place) => !spoken.includes(place))
  const of = (place: number) => facts[place] as Fact
  const vector = mix(
    [1, meanOf(spoken.map((place) => of(place).vector))],
    [0.35, meanOf(spoken.map((place) => topics[of(place).topic] as Float32Array))],
    [conditions.noise, randomDirection(random)],
  )
  const heard = spoken.flatMap((place) =>
    of(place).words.filter(
      (word) => random.next() < (word.startsWith('x') ? conditions.heard.identifier : conditions.heard.word),
    ),
  )
  const noise = [...universe.commonWords(2), random.pick(universe.topicWords[need.topic] as string[])]
  const target = hidden[0]
  const followed = target !== undefined && random.next() < 0.25
  return {
    session,
    hours,
    vector,
    words: [...new Set([...heard, ...noise])],
    useful: new Set([...need.direct, ...cross].map(live)),
    hidden,
    ...(followed ? { followUp: { target, ...askByName(asking, of(target)) } } : {}),
    ...(need.task ? { task: need.task } : {}),
    seed,
  }
}

function askByName(
  { conditions, random, universe }: Asking,
  { vector, topic, words }: Fact,
): Pick<Query, 'words' | 'vector'> {
  const around = universe.topics[topic] as Float32Array
  return {
    vector: mix([1, vector], [0.35, around], [conditions.noise / 2, randomDirection(random)]),
    words: words.filter(() => random.next() < 0.4),
  }
}

/** An ad hoc question about one fact, or one of a recurring task; tried anew until something of it is known. */
function needOf(
  { random, universe, partners, tasks }: Asking,
  session: number,
  hot: readonly number[],
): Need {
  const { facts, originals } = universe
  const known = (place: number) => liveVersion(facts, place, session) !== undefined
  for (;;) {
    const topic = random.next() < 0.8 ? random.pick(hot) : random.below(originals.length)
    if (random.next() < AD_HOC) {
      const all = (originals[topic] as readonly number[]).filter(known)
      if (all.length === 0) continue
      const one = random.pick(all)
      const cross = (partners.get(one) ?? []).filter(() => random.next() < 0.7)
      return { topic, named: [one], direct: [one], cross }
    }
    const task = random.pick(tasks[topic] as readonly Task[])
    const all = random.shuffled(task.direct.filter(known))
    if (all.length === 0) continue
    const named = all.slice(0, random.next() < 0.5 ? 2 : 1)
    const more = all.slice(named.length).filter(() => random.next() < 0.6)
    const cross = task.cross.filter(() => random.next() < 0.85)
    return { topic, named, direct: [...named, ...more], cross, task }
  }
}

/** Chance that a strategy helps with its own task. Otherwise it is beside the point in the world `pay`, and misleads in `mislead`. */
const HELPS: Readonly<Record<StrategyWorld, number>> = { pay: 0.8, mislead: 0.3 }
/** Number of words in a situation, and the share of them that a question about the task has. */
const SITUATION = 5
const SAID = 0.5
/** Sessions in which strategies become known. */
const KNOWN_BY = 5

/** Returns a world with a strategy for each recurring task. Questions about other things are off the point of every strategy. */
function withStrategies(
  world: World,
  kind: StrategyWorld,
  universe: Universe,
  tasks: readonly Task[],
): World {
  const random = createRandom(world.queries[0]?.seed[0] ?? 0, 5)
  const facts: Fact[] = [...world.facts]
  const places = new Map<Task, number>()
  for (const task of tasks) {
    const direct = task.direct.map((place) => facts[place] as Fact)
    const situation = random.sample([...new Set(direct.flatMap(({ words }) => words))], SITUATION)
    const [topic = 0] = direct.map((fact) => fact.topic)
    const doing = [...random.sample(universe.topicWords[topic] as string[], 2), ...universe.commonWords(2)]
    places.set(task, facts.length)
    facts.push({
      ...{ topic, kind: 'strategy', arrives: random.below(KNOWN_BY), until: Number.POSITIVE_INFINITY },
      vector: mix([1, meanOf(direct.map(({ vector }) => vector))], [0.7, randomDirection(random)]),
      // The clause of the situation ends with a comma.
      words: [...situation.slice(0, -1), `${situation.at(-1)},`, ...doing],
    })
  }
  const queries = world.queries.map((query): Query => {
    const place = query.task && places.get(query.task)
    if (place === undefined || (facts[place] as Fact).arrives > query.session) return query
    const luck = createRandom(...query.seed, 7)
    const helps = luck.next() < HELPS[kind]
    const { vector, words } = facts[place] as Fact
    const situation = words.slice(0, SITUATION).filter(() => luck.next() < SAID)
    const asked = {
      ...query,
      vector: mix([1, query.vector], [SAID, vector]),
      words: [...new Set([...query.words, ...situation])],
    }
    if (!helps) return { ...asked, strategy: place, ...(kind === 'mislead' && { misleads: place }) }
    const useful = new Set([...query.useful, place])
    return { ...asked, strategy: place, useful, solvedBy: new Set([place]) }
  })
  return { ...world, facts, queries }
}
