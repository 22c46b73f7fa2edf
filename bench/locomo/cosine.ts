import { dot } from '../../src/index/columns.ts'
import type { SharedEmbedder } from '../lib/shared-embedder.ts'
import { type Found, judge } from './metrics.ts'

/** A text, and the pieces of evidence it stands for. */
interface Candidate {
  readonly text: string
  readonly standsFor: readonly string[]
}

interface Question {
  readonly text: string
  readonly evidence: ReadonlySet<string>
}

/** Ranks texts by the cosine of their vectors alone, and judges each answer. */
export async function askCosine(
  texts: readonly Candidate[],
  questions: readonly Question[],
  { embedder, topK }: { readonly embedder: SharedEmbedder; readonly topK: number },
): Promise<Found[]> {
  const vectors = await embedder.vectorsOf(texts.map(({ text }) => text))
  const asked = await embedder.vectorsOf(questions.map(({ text }) => text))
  return questions.map(({ evidence }, i) => {
    const cosines = vectors.map((vector, at) => ({ at, cosine: dot(vector, asked[i] as Float32Array) }))
    cosines.sort((one, other) => other.cosine - one.cosine)
    const ranked = cosines.slice(0, topK).map(({ at }) => texts[at]?.standsFor ?? [])
    return judge(ranked, evidence)
  })
}
