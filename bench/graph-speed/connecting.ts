import type { Memory } from '../../src/index.ts'
import { type Timing, timed, timeEach } from '../speed/timed.ts'
import type { World } from './world.ts'

/** What an agent's word about two blocks costs, each call durable. Times in milliseconds. */
export interface ConnectPart {
  readonly fresh: Timing
  readonly reinforced: Timing
  /** Both ends full: an edge gives way at each. */
  readonly displacing: Timing
  /** Both ends full of what never gives way. */
  readonly deferred: Timing
  readonly hundred: number
  readonly disconnect: Timing
}

const CALLS = 100

type Pair = readonly [source: string, target: string]

export async function measureConnecting(memory: Memory, world: World): Promise<ConnectPart> {
  const { lonely, crowd, fixed } = world
  const at = (ids: readonly string[], i: number) => ids[i % ids.length] as string
  const pairs = (ends: (i: number) => Pair) => Array.from({ length: CALLS }, (_, i) => ends(i))
  const joins =
    (action: string) =>
    async ([source, target]: Pair) => {
      const result = await memory.connect({ source, target, relation: 'supports', note: 'seen together' })
      if (result.action !== action) throw new Error(`wanted ${action}, was ${result.action}`)
    }
  const half = Math.floor(crowd.length / 2)
  const alone = pairs((i) => [at(lonely, i), at(lonely, i + 1)])
  const apart = pairs((i) => [at(crowd, 37 * i), at(crowd, 37 * i + 13 + half)])
  const many = pairs((i) => [at(crowd, 41 * i + 7), at(crowd, 41 * i + 20 + half)])
  await joins('created')([at(lonely, CALLS + 1), at(lonely, CALLS + 2)])
  return {
    fresh: await timeEach(alone, joins('created')),
    reinforced: await timeEach(alone, joins('reinforced')),
    displacing: await timeEach(apart, joins('created')),
    deferred: await timeEach(
      pairs((i) => [at(fixed, i), at(lonely, Math.floor(i / fixed.length) + i)]),
      joins('deferred'),
    ),
    hundred: await timed(() =>
      memory.connects({
        edges: many.map(([source, target]) => ({ source, target, relation: 'elaborates' })),
      }),
    ),
    disconnect: await timeEach(apart, async ([source, target]) => {
      const { action } = await memory.disconnect({ source, target })
      if (action !== 'removed') throw new Error(`wanted removed, was ${action}`)
    }),
  }
}
