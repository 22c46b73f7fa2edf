import { createRandom } from '../lib/random.ts'
import { harms, type Query, type World } from './world.ts'

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
 * Returns the agent's report on the facts shown: none in 30 of 100 cases, single blocks in 35, the whole set in 35. A tenth of the
 * single ratings are wrong. Chance is drawn for every fact of the world, so that it does not depend on what was shown.
 */
export function reportOn(shown: readonly number[], query: Query, world: World): Report[] {
  const random = createRandom(...query.seed)
  const kind = random.next()
  const luck = world.facts.map(() => ({ flipped: random.next() < FLIPPED, rated: random.next() < 0.5 }))
  const noise = random.normal()
  const isSingle = random.next() < 0.5
  if (shown.length === 0 || kind < 0.3) return []
  return isSingle ? reportBlocks(shown, query, { world, luck }) : reportSet(shown, query, { world, noise })
}

interface Luck {
  readonly flipped: boolean
  /** Whether a block that neither helped nor misled is spoken of at all. */
  readonly rated: boolean
}

/** Blocks with the same rating, in one report each. */
function reportBlocks(
  shown: readonly number[],
  query: Query,
  { world, luck }: { readonly world: World; readonly luck: readonly Luck[] },
): Report[] {
  const signals = new Map<number, number[]>()
  for (const place of shown) {
    const honest = honestSignal(place, query, world)
    const { flipped, rated } = luck[place] as Luck
    if (honest === HALF_NEUTRAL && !rated) continue
    const signal = flipped ? opposite(honest) : honest
    signals.set(signal, [...(signals.get(signal) ?? []), place])
  }
  return [...signals]
    .sort(([a], [b]) => b - a)
    .map(([signal, facts]) => ({ facts, signal, scope: 'blocks' as const }))
}

function honestSignal(place: number, query: Query, world: World): number {
  if (query.useful.has(place)) return 1
  return harms(place, query, world) ? 0 : HALF_NEUTRAL
}

function opposite(signal: number): number {
  return signal > 0.5 ? 0 : 1
}

function reportSet(
  shown: readonly number[],
  query: Query,
  { world, noise }: { readonly world: World; readonly noise: number },
): Report[] {
  const signals = shown.map((place) => honestSignal(place, query, world))
  const covered = signals.filter((signal) => signal === 1).length / query.useful.size
  const harm = signals.filter((signal) => signal === 0).length / shown.length
  const signal = Math.min(1, Math.max(0, covered * (1 - 0.5 * harm) + 0.15 * noise))
  return [{ facts: [...shown], signal, scope: 'set' }]
}
