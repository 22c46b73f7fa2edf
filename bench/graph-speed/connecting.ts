import type { Memory } from '../../src/index.ts'
import { median } from '../lib/statistics.ts'
import { type Timing, timed, timeEach } from '../speed/timed.ts'
import type { Held } from './watched-store.ts'
import type { World } from './world.ts'

/** The whole call, and of its middle one the part that is not the disk's: until the commit. */
export interface Durable extends Timing {
  readonly beforeCommit: number
}

/** What an agent's word about two blocks costs, each call durable. Times in milliseconds. */
export interface ConnectPart {
  readonly fresh: Durable
  readonly reinforced: Durable
  /** Both ends full: an edge gives way at each. */
  readonly displacing: Durable
  /** Both ends full of what never gives way. */
  readonly deferred: Durable
  readonly hundred: number
  readonly disconnect: Durable
}

const CALLS = 100

type Pair = readonly [source: string, target: string]

export async function measureConnecting(
  memory: Memory,
  { world, held }: { readonly world: World; readonly held: Held[] },
): Promise<ConnectPart> {
  const { lonely, crowd, fixed } = world
  const at = (ids: readonly string[], i: number) => ids[i % ids.length] as string
  const pairs = (ends: (i: number) => Pair) => Array.from({ length: CALLS }, (_, i) => ends(i))
  const joins =
    (action: string) =>
    async ([source, target]: Pair) => {
      const result = await memory.connect({ source, target, relation: 'supports', note: 'seen together' })
      if (result.action !== action) throw new Error(`wanted ${action}, was ${result.action}`)
    }
  const each = async (items: readonly Pair[], work: (pair: Pair) => Promise<void>): Promise<Durable> => {
    held.length = 0
    const timing = await timeEach(items, work)
    return { ...timing, beforeCommit: median(held.map(({ beforeCommit }) => beforeCommit)) }
  }
  const half = Math.floor(crowd.length / 2)
  const alone = pairs((i) => [at(lonely, i), at(lonely, i + 1)])
  const apart = pairs((i) => [at(crowd, 37 * i), at(crowd, 37 * i + 13 + half)])
  const many = pairs((i) => [at(crowd, 41 * i + 7), at(crowd, 41 * i + 20 + half)])
  await joins('created')([at(lonely, CALLS + 1), at(lonely, CALLS + 2)])
  return {
    fresh: await each(alone, joins('created')),
    reinforced: await each(alone, joins('reinforced')),
    displacing: await each(apart, joins('created')),
    deferred: await each(
      pairs((i) => [at(fixed, i), at(lonely, Math.floor(i / fixed.length) + i)]),
      joins('deferred'),
    ),
    hundred: await timed(() =>
      memory.connects({
        edges: many.map(([source, target]) => ({ source, target, relation: 'elaborates' })),
      }),
    ),
    disconnect: await each(apart, async ([source, target]) => {
      const { action } = await memory.disconnect({ source, target })
      if (action !== 'removed') throw new Error(`wanted removed, was ${action}`)
    }),
  }
}
