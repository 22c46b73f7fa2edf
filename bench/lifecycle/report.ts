import { createRandom } from '../lib/random.ts'
import { isHarmful } from './facts.ts'
import type { Query, World } from './world.ts'

/** What the agent says after a recall: how well some of the shown facts served, or the whole answer. */
export interface Report {
  readonly facts: readonly number[]
  /** 0 misled .. 1 helped. */
  readonly signal: number
  readonly scope: 'blocks' | 'set'
}

const HALF_NEUTRAL = 0.3
const FLIPPED = 0.1

/**
 * The agent's report on the facts shown: none in 30 of 100 cases, single blocks in 35, the whole set in 35. A tenth of the
 * single ratings are wrong. Luck is drawn for every fact of the world, so that it is the same whatever was shown.
 */
export function reportOn(shown: readonly number[], query: Query, { facts }: World): Report[] {
  const random = createRandom(...query.seed)
  const kind = random.next()
  const flips = facts.map(() => random.next() < FLIPPED)
  const rated = facts.map(() => random.next() < 0.5)
  const noise = random.normal()
  if (kind < 0.3 || shown.length === 0) return []
  const harmful = (place: number) => isHarmful(facts[place] as World['facts'][number], query.session)
  if (random.next() < 0.5) {
    const signals = shown.flatMap((place) => {
      const useful = query.useful.has(place)
      if (!useful && !harmful(place) && !rated[place]) return []
      const honest = useful ? 1 : harmful(place) ? 0 : HALF_NEUTRAL
      return [{ place, signal: flips[place] ? (honest > 0.5 ? 0 : 1) : honest }]
    })
    return [1, HALF_NEUTRAL, 0].flatMap((signal) => {
      const together = signals.filter((each) => each.signal === signal).map(({ place }) => place)
      return together.length === 0 ? [] : [{ facts: together, signal, scope: 'blocks' as const }]
    })
  }
  const covered = shown.filter((place) => query.useful.has(place)).length / query.useful.size
  const harm = shown.filter(harmful).length / shown.length
  const signal = Math.min(1, Math.max(0, covered * (1 - 0.5 * harm) + 0.15 * noise))
  return [{ facts: [...shown], signal, scope: 'set' }]
}
