import { createRandom } from '../lib/random.ts'
import type { Fact, Universe } from './facts.ts'
import { meanOf, mix, randomDirection } from './vectors.ts'
import type { Query, Task, World } from './world.ts'

/** A strategy says what to do in the situation of a recurring task. */
export type StrategyWorld = 'pay' | 'mislead'

/** Chance that a strategy helps with its own task; where it does not, it is beside the point, or misleads in the world of that name. */
const HELPS: Readonly<Record<StrategyWorld, number>> = { pay: 0.8, mislead: 0.3 }
/** Words of a situation, and the share of it that a question about the task says. */
const SITUATION = 5
const SAID = 0.5
/** Sessions in which strategies become known. */
const KNOWN_BY = 5

/** Returns a world with a strategy for each recurring task. Questions about other things are off the point of every strategy. */
export function withStrategies(
  world: World,
  {
    kind,
    universe,
    tasks,
  }: { readonly kind: StrategyWorld; readonly universe: Universe; readonly tasks: readonly Task[] },
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
    if (helps)
      return {
        ...asked,
        useful: new Set([...query.useful, place]),
        solvedBy: new Set([place]),
        strategy: place,
      }
    return { ...asked, ...(kind === 'mislead' ? { misleads: place } : {}), strategy: place }
  })
  return { ...world, facts, queries, strategies: kind }
}
