/** Rules of Python elfmem that elfmem itself does not use; the golden cases pin them. */

import { isConstitutional, isIdentityTag } from '../../src/domain/block/tags.ts'
import { jaccard } from '../../src/domain/graph/edge-score.ts'
import type { Beta } from '../../src/domain/score/experience.ts'
import { cosine, normalise } from '../../src/domain/score/vector.ts'
import { splitWhitespace } from '../../src/domain/text/text.ts'

const PROJECT: ReadonlySet<string> = new Set(['decision', 'mind'])
const PASSING: ReadonlySet<string> = new Set(['observation', 'message', 'task', 'attention'])

/** How long what a block says is likely to hold: who the agent is, the work at hand, or the state of a moment. */
type VolatilityClass = 'identity' | 'project' | 'status'

/** The volatility class of a block, first match: constitution, other identity or lasting work, passing state (Python elfmem). */
export function volatilityClass(tags: readonly string[], category: string): VolatilityClass {
  if (isConstitutional(tags)) return 'identity'
  if (tags.some(isIdentityTag) || PROJECT.has(category)) return 'project'
  return PASSING.has(category) ? 'status' : 'project'
}

/** The active hours after which recency has fallen to `threshold` (0 < threshold ≤ 1): ln(1 / threshold) / λ. */
export function hoursUntilRecency(lambda: number, threshold: number): number {
  return Math.log(1 / threshold) / lambda
}

/** A peer's Beta taken into ours: each count plus trust (0..1) times theirs (Python elfmem, import). */
export function mergePeerEvidence(local: Beta, remote: Beta, trust: number): Beta {
  return { alpha: local.alpha + trust * remote.alpha, beta: local.beta + trust * remote.beta }
}

/** How alike two cues are: Jaccard of their lower-case words, 0..1; undefined when either is missing (Python elfmem). */
export function cueSimilarity(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined || a === '' || b === '') return undefined
  return jaccard(splitWhitespace(a.toLowerCase()), splitWhitespace(b.toLowerCase()))
}

/** The unit mean of vectors of one length: where their meaning lies together. Undefined without any. */
export function centroid(vectors: readonly Float32Array[]): Float32Array | undefined {
  const [first] = vectors
  if (first === undefined) return undefined
  const sum = new Float64Array(first.length)
  for (const vector of vectors) for (const [at, value] of vector.entries()) sum[at] = (sum[at] ?? 0) + value
  return normalise(Float32Array.from(sum, (value) => value / vectors.length))
}

/** How far a block has drifted from a centre: (1 − cosine) / 2, 0..1; 0.5 when a vector is zero (Python elfmem). */
export function drift(vector: Float32Array, centre: Float32Array): number {
  return (1 - cosine(vector, centre)) / 2
}

/** Which words tell that an answer used a block. */
interface AttributionOptions {
  /** Shorter words tell nothing. */
  readonly minLength: number
  /** Lower-case words that tell nothing. */
  readonly stopWords: ReadonlySet<string>
}

/** The share of a block's telling words that its answer uses, 0..1; 0 when it has none (Python elfmem). Absence proves nothing. */
export function attributionScore(block: string, answer: string, options: AttributionOptions): number {
  const terms = tellingTerms(block, options)
  if (terms.size === 0) return 0
  const used = tellingTerms(answer, options)
  return [...terms].filter((term) => used.has(term)).length / terms.size
}

function tellingTerms(text: string, { minLength, stopWords }: AttributionOptions): Set<string> {
  const words = text.toLowerCase().match(/[a-z0-9_]+/g) ?? []
  return new Set(words.filter((word) => word.length >= minLength && !stopWords.has(word)))
}
