import type { SimilarityThresholds } from './graph-settings.ts'
import type { Settings } from './settings.ts'

/**
 * Lines of the shipped embedders where they differ from the common settings. How their cosines lie is measured by
 * `npm run bench -- edges` (docs/benchmarks.md).
 */
const SHIPPED: Readonly<Record<string, Partial<SimilarityThresholds>>> = {
  // From .65 every pair of the 600 measured texts belongs together; .80 would miss half of all restatements.
  // Below .20 lie 19 of 20 pairs of unrelated notes and a quarter of the pairs of one topic.
  'all-MiniLM-L6-v2-int8': { veryAlikeCosine: 0.65, apartCosine: 0.2 },
  // Shared stop words make hashed texts alike: no line of theirs tells relation from chance.
  'hashing-384': { veryAlikeCosine: 0.8, apartCosine: 0.1 },
}

/** Returns an embedder's cosine thresholds: its own settings first, then measured ones, then common ones. */
export function similarityThresholdsOf(
  { memory, graph }: Pick<Settings, 'memory' | 'graph'>,
  model: string,
): SimilarityThresholds {
  const { edgeCosineFloor, edgeScoreThreshold } = memory
  const { veryAlikeCosine, apartCosine } = graph
  const common = { edgeCosineFloor, edgeScoreThreshold, veryAlikeCosine, apartCosine }
  const shipped = Object.hasOwn(SHIPPED, model) ? SHIPPED[model] : {}
  const own = Object.hasOwn(graph.similarityThresholds, model) ? graph.similarityThresholds[model] : {}
  const given = Object.entries({ ...shipped, ...own }).filter(([, line]) => line !== undefined)
  return { ...common, ...Object.fromEntries(given) }
}
