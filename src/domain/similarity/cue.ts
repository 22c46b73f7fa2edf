import { jaccard } from '../graph/edge-score.ts'
import { splitWhitespace } from '../text/whitespace.ts'

/** How alike two cues are: Jaccard of their lower-case words, 0..1; undefined when either is missing (Python elfmem). */
export function cueSimilarity(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined || a === '' || b === '') return undefined
  return jaccard(splitWhitespace(a.toLowerCase()), splitWhitespace(b.toLowerCase()))
}
