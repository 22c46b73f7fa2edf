import type { SettingsInput } from '../../src/engine/settings.ts'
import { dot } from '../../src/index/columns.ts'
import { openMemory } from '../../src/index.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import type { SharedEmbedder } from '../lib/shared-embedder.ts'
import { mean } from '../lib/statistics.ts'
import { type Found, judge } from '../locomo/metrics.ts'
import type { KeptPassages, PassageFile, PassageQuestion } from './store.ts'

export interface PassageFound extends Found {
  /** Passages the question needs. */
  readonly evidence: number
}

/** Means of the answers to a caller who sets nothing. */
export interface Served {
  readonly blocks: number
  /** Share of the evidence anywhere in the answer. */
  readonly recall: number
  /** Share of the answers that are called a match. */
  readonly isMatch: number
}

interface AskOptions {
  readonly embedder: SharedEmbedder
  readonly recall: SettingsInput['recall']
}

function judged(ranked: readonly (readonly string[])[], { evidence }: PassageQuestion): PassageFound {
  return { ...judge(ranked, evidence), evidence: evidence.size }
}

/** Asks every question for a fixed number of blocks, changing nothing. */
export async function askMemory(
  { path, passagesOf }: KeptPassages,
  questions: readonly PassageQuestion[],
  { embedder, recall, topK }: AskOptions & { readonly topK: number },
): Promise<PassageFound[]> {
  await using memory = await openMemory(path, { embedder, clock: fixedClock, config: { recall } })
  const found: PassageFound[] = []
  for (const question of questions) {
    const { blocks } = await memory.recall({
      query: question.text,
      topK,
      reinforce: false,
      tokenBudget: 1_000_000,
    })
    const ranked = blocks.map(({ id }) => passagesOf.get(id) ?? [])
    found.push(judged(ranked, question))
  }
  return found
}

/** Asks every question as a caller who sets nothing. */
export async function askServed(
  { path, passagesOf }: KeptPassages,
  questions: readonly PassageQuestion[],
  { embedder, recall }: AskOptions,
): Promise<Served> {
  await using memory = await openMemory(path, { embedder, clock: fixedClock, config: { recall } })
  const answers: Served[] = []
  for (const { text, evidence } of questions) {
    const { blocks, match } = await memory.recall({ query: text, reinforce: false, tokenBudget: 1_000_000 })
    const shown = new Set(blocks.flatMap(({ id }) => passagesOf.get(id) ?? []))
    const recalled = [...evidence].filter((id) => shown.has(id)).length / evidence.size
    answers.push({ blocks: blocks.length, recall: recalled, isMatch: match === 'match' ? 1 : 0 })
  }
  return {
    blocks: mean(answers.map(({ blocks }) => blocks)),
    recall: mean(answers.map(({ recall }) => recall)),
    isMatch: mean(answers.map(({ isMatch }) => isMatch)),
  }
}

/** Ranks the passages by the cosine of their vectors alone. */
export async function askCosine(
  { passages, questions }: PassageFile,
  { embedder, topK }: { readonly embedder: SharedEmbedder; readonly topK: number },
): Promise<PassageFound[]> {
  const vectors = await embedder.vectorsOf(passages.map(({ text }) => text))
  const asked = await embedder.vectorsOf(questions.map(({ text }) => text))
  return questions.map((question, i) => {
    const cosines = vectors.map((vector, at) => ({ at, cosine: dot(vector, asked[i] as Float32Array) }))
    cosines.sort((one, other) => other.cosine - one.cosine)
    const ranked = cosines.slice(0, topK).map(({ at }) => [passages[at]?.id ?? ''])
    return judged(ranked, question)
  })
}
