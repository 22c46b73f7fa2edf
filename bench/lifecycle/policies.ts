import type { SettingsInput } from '../../src/index.ts'
import type { Constants } from '../lib/constants.ts'
import { SIGNALS, type Signal } from './traces.ts'

/** One way to remember that is played against a world: the library with changed settings. Plain data. */
export interface Policy {
  /** Begins with − for something taken away. */
  readonly name: string
  /** What differs from the default settings. */
  readonly config: SettingsInput
  /** What hooks see of a trace; all unless given. */
  readonly signals?: readonly Signal[]
  /** Constants of formulas that differ. */
  readonly constants?: Constants
  /** What alone finds, where it is not words and vectors together; `newest` does not even ask. */
  readonly finds?: 'words' | 'vectors' | 'newest'
  /** Strategies are kept as any other note. */
  readonly plainStrategies?: true
}

export const OURS: Policy = { name: 'elfmem', config: {} }

/** The same match, but neither belief nor edges nor age move a rank. */
export const WITHOUT_LEARNING: Policy = {
  name: 'no learning',
  config: { recall: { expansionSeeds: 0, newerFirst: 100 } },
  constants: { attention: { belief: 0, recency: 0 } },
}

/** The same, where a strategy is a note like any other. */
export const PLAIN_STRATEGIES: Policy = { name: 'as plain notes', config: {}, plainStrategies: true }

/** What needs no learning at all. */
export const BASELINES: readonly Policy[] = [
  { ...WITHOUT_LEARNING, name: 'vector only', finds: 'vectors' },
  { ...WITHOUT_LEARNING, name: 'keyword only', finds: 'words' },
  { ...WITHOUT_LEARNING, name: 'newest first', finds: 'newest' },
]

/** Single mechanisms taken away, by the name that `--ablate` takes. */
export const ABLATIONS: Readonly<Record<string, Policy>> = {
  belief: { name: '− belief', config: {}, constants: { attention: { belief: 0 } } },
  outcomeEdges: { name: '− outcome edges', config: {}, constants: { graph: { outcomePairs: 0 } } },
  hebbian: { name: '− co-retrieval edges', config: {}, constants: { graph: { togetherBlocks: 0 } } },
  expansion: { name: '− expansion', config: { recall: { expansionSeeds: 0 } } },
  recency: { name: '− recency', config: {}, constants: { attention: { recency: 0 } } },
  edgeDecay: { name: '− edge decay', config: { graph: { edgeDecay: false } } },
  twins: { name: '− newer of near-duplicates', config: { recall: { newerFirst: 100 } } },
  degreeCap: { name: '− degree cap', config: { memory: { edgeDegreeCap: 1_000 } } },
  edgeScore: {
    name: '− edge score beyond cosine',
    config: {},
    constants: { edgeScore: { cosineWeight: 1, tagWeight: 0, categoryWeight: 0, timeWeight: 0 } },
  },
  stretch: { name: '− stretch', config: {}, constants: { recall: { normalisationFloor: 0 } } },
  archive: { name: '− archiving', config: { memory: { archiveRecency: 0 } } },
  agreement: { name: '− agreement of match and edge', config: {}, constants: { recall: { agreement: 0 } } },
  hebbianApartOnly: {
    name: '− co-retrieval edges of the alike',
    config: {},
    constants: { graph: { togetherWeight: 0 } },
  },
  hebbianEven: {
    name: '− firmer edges of the unlike',
    config: {},
    constants: { graph: { togetherApartWeight: 0.55 } },
  },
}

/** Nothing is learned from traces. */
export const WITHOUT_SIGNALS: Policy = { name: 'no signals', config: {}, signals: [] }

/** Each signal of traces alone, and all; for the world `traced`. */
const TRACES: readonly Policy[] = [
  WITHOUT_SIGNALS,
  ...SIGNALS.map((signal) => ({ name: `only ${signal}`, config: {}, signals: [signal] })),
  { name: 'all signals', config: {} },
]

/** The ablations of the given names; `all` alone means every one, and `traces` those of the world `traced`. */
export function ablationsNamed(names: readonly string[]): Policy[] {
  if (names.length === 1 && names[0] === 'all') return Object.values(ABLATIONS)
  return names.flatMap((name) => {
    if (name === 'traces') return TRACES
    const policy = Object.hasOwn(ABLATIONS, name) ? ABLATIONS[name] : undefined
    if (!policy) throw new Error(`--ablate knows ${Object.keys(ABLATIONS).join(', ')}, traces; not ${name}`)
    return [policy]
  })
}

/** A policy from changed settings, such as `recall.newerFirst=1`, and constants, such as `constants.attention.belief=0.6`, joined by `&`. */
export function policyOf(changes: string): Policy {
  const config: Tree = {}
  for (const change of changes.split('&')) {
    const [path, value, ...rest] = change.split('=')
    if (!path || !value || rest.length > 0) throw new Error(`--try wants section.key=value, not ${change}`)
    plant(config, path.split('.'), read(value))
  }
  // The library checks every setting when it is opened, and names what it does not know.
  const { constants = {}, ...settings } = config
  return { name: changes, config: settings as SettingsInput, constants: constants as Constants }
}

interface Tree {
  [key: string]: unknown
}

function plant(tree: Tree, [key, ...deeper]: readonly string[], value: unknown): void {
  if (key === undefined) return
  if (deeper.length === 0) {
    tree[key] = value
    return
  }
  const branch = (tree[key] ?? {}) as Tree
  tree[key] = branch
  plant(branch, deeper, value)
}

/** Numbers, switches and lists as JSON has them; everything else is a word. */
function read(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
