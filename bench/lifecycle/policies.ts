import type { SettingsInput } from '../../src/index.ts'
import type { Constants } from '../lib/constants.ts'
import { SIGNALS, type Signal } from './traces.ts'

/** One way to remember that is played against a world: the library with changed settings. */
export interface Policy {
  /** The name begins with − if a mechanism is taken away. */
  readonly name: string
  /** Settings that differ from the defaults. */
  readonly config?: SettingsInput
  /** Constants of formulas that differ. */
  readonly constants?: Constants
  /** The signals of a trace that hooks see; all by default. */
  readonly signals?: readonly Signal[]
  /** The only way to find; words and vectors together by default. `newest` asks no question. */
  readonly finds?: 'words' | 'vectors' | 'newest'
  /** True: strategies are kept as ordinary notes. */
  readonly plainStrategies?: true
}

const OURS: Policy = { name: 'elfmem' }

/** The same match, but neither belief nor edges nor age move a rank. */
const WITHOUT_LEARNING: Policy = {
  name: 'no learning',
  config: { recall: { expansionSeeds: 0, newerFirst: 100 } },
  constants: { attention: { belief: 0, recency: 0 } },
}

/** Policies that need no learning at all. */
const BASELINES: readonly Policy[] = [
  { ...WITHOUT_LEARNING, name: 'vector only', finds: 'vectors' },
  { ...WITHOUT_LEARNING, name: 'keyword only', finds: 'words' },
  { ...WITHOUT_LEARNING, name: 'newest first', finds: 'newest' },
]

/** Single mechanisms taken away, by the name that `--ablate` takes. */
export const ABLATIONS: Readonly<Record<string, Policy>> = {
  belief: { name: '− belief', constants: { attention: { belief: 0 } } },
  outcomeEdges: { name: '− outcome edges', constants: { graph: { outcomePairs: 0 } } },
  hebbian: { name: '− co-retrieval edges', constants: { graph: { togetherBlocks: 0 } } },
  expansion: { name: '− expansion', config: { recall: { expansionSeeds: 0 } } },
  recency: { name: '− recency', constants: { attention: { recency: 0 } } },
  edgeDecay: { name: '− edge decay', config: { graph: { edgeDecay: false } } },
  twins: { name: '− newer of near-duplicates', config: { recall: { newerFirst: 100 } } },
  degreeCap: { name: '− degree cap', config: { memory: { edgeDegreeCap: 1_000 } } },
  edgeScore: {
    name: '− edge score beyond cosine',
    constants: { edgeScore: { cosineWeight: 1, tagWeight: 0, categoryWeight: 0, timeWeight: 0 } },
  },
  stretch: { name: '− stretch', constants: { recall: { normalisationFloor: 0 } } },
  archive: { name: '− archiving', config: { memory: { archiveRecency: 0 } } },
  agreement: { name: '− agreement of match and edge', constants: { recall: { agreement: 0 } } },
  hebbianApartOnly: {
    name: '− co-retrieval edges of the alike',
    constants: { graph: { togetherWeight: 0 } },
  },
  hebbianEven: {
    name: '− firmer edges of the unlike',
    constants: { graph: { togetherApartWeight: 0.55 } },
  },
}

/** Returns the policies that are played in a world; the others are compared with the first. */
export function policiesFor(world: string, ablated: readonly string[]): readonly Policy[] {
  if (world === 'traced')
    return [
      { name: 'no signals', signals: [] },
      ...SIGNALS.map((signal) => ({ name: `only ${signal}`, signals: [signal] })),
      { name: 'all signals' },
    ]
  if (world !== 'default') return [OURS, { name: 'as plain notes', plainStrategies: true }]
  const all = ablated.length === Object.keys(ABLATIONS).length
  const without = ablated.flatMap((name) => ABLATIONS[name] ?? [])
  return [OURS, WITHOUT_LEARNING, ...(all ? BASELINES : []), ...without]
}
