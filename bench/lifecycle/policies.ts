import type { SettingsInput } from '../../src/index.ts'

/** One way to remember that is played against a world: the library with changed settings. Plain data. */
export interface Policy {
  /** Begins with − for something taken away and with + for something added. */
  readonly name: string
  /** What differs from the default settings. */
  readonly config: SettingsInput
  /** What alone finds, where it is not words and vectors together; `newest` does not even ask. */
  readonly finds?: 'words' | 'vectors' | 'newest'
}

export const OURS: Policy = { name: 'elfmem', config: {} }

/** The same match, but neither belief nor edges nor age move a rank. */
export const WITHOUT_LEARNING: Policy = {
  name: 'no learning',
  config: {
    frames: { attention: { belief: 0, recency: 0, centrality: 0 } },
    recall: { expansionSeeds: 0, newerFirst: 100 },
  },
}

/** What needs no learning at all. */
export const BASELINES: readonly Policy[] = [
  { ...WITHOUT_LEARNING, name: 'vector only', finds: 'vectors' },
  { ...WITHOUT_LEARNING, name: 'keyword only', finds: 'words' },
  { ...WITHOUT_LEARNING, name: 'newest first', finds: 'newest' },
]

/** Single mechanisms taken away or added, by the name that `--ablate` takes. */
export const ABLATIONS: Readonly<Record<string, Policy>> = {
  belief: { name: '− belief', config: { frames: { attention: { belief: 0 } } } },
  outcomeEdges: { name: '− outcome edges', config: { memory: { outcomePairsPerCall: 0 } } },
  hebbian: { name: '− co-retrieval edges', config: { memory: { coRetrievalBlocks: 0 } } },
  expansion: { name: '− expansion', config: { recall: { expansionSeeds: 0 } } },
  recency: { name: '− recency', config: { frames: { attention: { recency: 0 } } } },
  edgeDecay: { name: '− edge decay', config: { graph: { edgeDecay: false } } },
  twins: { name: '− newer of near-duplicates', config: { recall: { newerFirst: 100 } } },
  degreeCap: { name: '− degree cap', config: { memory: { edgeDegreeCap: 1_000 } } },
  edgeScore: {
    name: '− edge score beyond cosine',
    config: { graph: { edgeScoreWeights: { cosine: 1, tags: 0, category: 0, time: 0 } } },
  },
  stretch: { name: '− stretch', config: { recall: { normalisationFloor: 0 } } },
  archive: { name: '− archiving', config: { memory: { archiveRecency: 0 } } },
  centrality: { name: '+ centrality 0.1', config: { frames: { attention: { centrality: 0.1 } } } },
  agreement: { name: '− agreement of match and edge', config: { recall: { agreement: 0 } } },
  fiveSimilarityEdges: {
    name: '+ 5 similarity edges',
    config: { memory: { similarityEdgesPerBlock: 5 } },
  },
  fullRelationShares: {
    name: '+ outcome edges hand on all',
    config: { recall: { relations: { outcome: 1 } } },
  },
  hebbianApartOnly: {
    name: '− co-retrieval edges of the alike',
    config: { memory: { coRetrievalWeight: 0 } },
  },
  hebbianEven: {
    name: '− firmer edges of the unlike',
    config: { memory: { coRetrievalApartWeight: 0.55 } },
  },
  hebbianTwo: {
    name: '+ co-retrieval of 2 questions',
    config: { memory: { coRetrievalThreshold: 2 } },
  },
  hebbianApartTwo: {
    name: '+ of 2 questions, the unlike only',
    config: { memory: { coRetrievalWeight: 0, coRetrievalThreshold: 2 } },
  },
}

/** What a trace may say, by the names of the settings. */
const SIGNALS = ['check', 'citation', 'correction'] as const
const without = (signals: readonly string[]) =>
  Object.fromEntries(signals.map((signal) => [`${signal}Weight`, 0]))

/** Nothing is learned from traces. */
export const WITHOUT_SIGNALS: Policy = { name: 'no signals', config: { implicit: without(SIGNALS) } }

/** Each signal of traces alone, and all; for the world `traced`. */
const TRACES: readonly Policy[] = [
  WITHOUT_SIGNALS,
  ...SIGNALS.map((signal) => ({
    name: `only ${signal}`,
    config: { implicit: without(SIGNALS.filter((other) => other !== signal)) },
  })),
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

/** A policy from changed settings, such as `recall.pool=30` or `recall.pool=30&frames.attention.belief=0.6`. */
export function policyOf(changes: string): Policy {
  const config: Tree = {}
  for (const change of changes.split('&')) {
    const [path, value, ...rest] = change.split('=')
    if (!path || !value || rest.length > 0) throw new Error(`--try wants section.key=value, not ${change}`)
    plant(config, path.split('.'), read(value))
  }
  // The library checks every setting when it is opened, and names what it does not know.
  return { name: changes, config: config as SettingsInput }
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
