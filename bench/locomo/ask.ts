import { defined } from '../../src/block/text.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import { dot } from '../../src/index/columns.ts'
import { type Memory, openMemory } from '../../src/index.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { withConstants } from '../lib/constants.ts'
import type { SharedEmbedder } from '../lib/embedders.ts'
import { hideWords } from '../lib/hide-words.ts'
import { dreamAll, openStill } from '../lib/memory.ts'
import { mean } from '../lib/statistics.ts'
import type { Ablation } from './ablations.ts'
import type { Question, Turn } from './loader.ts'
import { type Found, judge } from './metrics.ts'

/** A memory file, and which pieces of evidence each block stands for. */
export interface Kept {
  readonly path: string
  readonly turnsOf: ReadonlyMap<string, readonly string[]>
}

/** Remembers every turn through the library and dreams until nothing waits. */
export async function rememberTurns(path: string, turns: readonly Turn[], embedder: Embedder): Promise<Kept> {
  await using memory = await openStill(path, embedder)
  const turnsOf = new Map<string, string[]>()
  for (const { standsFor, content, speaker: source, session, at } of turns) {
    const { blockId } = await memory.remember({ content, session, ...defined({ source, at }) })
    turnsOf.set(blockId, [...(turnsOf.get(blockId) ?? []), ...standsFor])
  }
  const { deduplicated } = await dreamAll(memory)
  if (deduplicated > 0) await creditDuplicates(memory, turnsOf)
  return { path, turnsOf }
}

/** If a dream recognised a repetition, the block that stays gets the turns of the other. */
async function creditDuplicates(memory: Memory, turnsOf: Map<string, string[]>): Promise<void> {
  for (const [id, turns] of turnsOf) {
    const { block } = await memory.show({ blockId: id })
    if (block.supersededBy !== undefined) turnsOf.get(block.supersededBy)?.push(...turns)
  }
}

interface Asking {
  readonly embedder: SharedEmbedder
  readonly ablation?: Ablation | undefined
}

/** Asks every question for its first `topK` blocks, changes nothing in the memory, and judges each answer. */
export function askAll(
  kept: Kept,
  questions: readonly Question[],
  { topK, ...asking }: Asking & { readonly topK: number },
): Promise<Found[]> {
  return withMemory(kept, asking, async (memory) => {
    const found: Found[] = []
    for (const { text: query, evidence } of questions) {
      const { blockIds } = await memory.recall({ query, topK, reinforce: false, tokenBudget: 1_000_000 })
      const ranked = blockIds.map((id) => kept.turnsOf.get(id) ?? [])
      found.push(judge(ranked, evidence))
    }
    return found
  })
}

function withMemory<T>(
  { path }: Kept,
  { embedder, ablation = { summary: '' } }: Asking,
  work: (memory: Memory) => Promise<T>,
): Promise<T> {
  return withConstants({ ranking: ablation.ranking ?? {} }, async () => {
    const store = await openSqliteStore(path)
    try {
      await using memory = await openMemory(path, {
        store: ablation.words === 'none' ? hideWords(store) : store,
        embedder: ablation.vectors === 'none' ? { ...embedder, model: 'none' } : embedder,
        clock: { now: () => Date.UTC(2026, 0, 1) },
        config: { recall: ablation.recall ?? {} },
      })
      return await work(memory)
    } finally {
      await store.close()
    }
  })
}

/** The answer to one question when neither a number of blocks nor a budget is asked for. */
export interface Served {
  /** Share of the evidence of the question, 0..1. */
  readonly evidence: number
  readonly blocks: number
  /** Words of the text that a model reads. */
  readonly words: number
  /** 1 if the answer is called a match. */
  readonly isMatch: number
}

/** Asks every question with default arguments, and changes nothing in the memory. */
export function askAsServed(
  kept: Kept,
  questions: readonly Question[],
  asking: Asking,
): Promise<readonly Served[]> {
  return withMemory(kept, asking, async (memory) => {
    const served: Served[] = []
    for (const { text: query, evidence } of questions) {
      const { blockIds, match, text } = await memory.recall({ query, reinforce: false })
      const said = new Set(blockIds.flatMap((id) => kept.turnsOf.get(id) ?? []))
      served.push({
        evidence: [...evidence].filter((turn) => said.has(turn)).length / evidence.size,
        ...{ blocks: blockIds.length, words: text.split(/\s+/).length, isMatch: Number(match === 'match') },
      })
    }
    return served
  })
}

/** Returns the mean of each number. */
export function meanServed(served: readonly Served[]): Served {
  const of = (key: keyof Served) => mean(served.map((each) => each[key]))
  return { evidence: of('evidence'), blocks: of('blocks'), words: of('words'), isMatch: of('isMatch') }
}

/** Ranks texts by the cosine of their vectors alone, and judges each answer. */
export async function askCosine(
  texts: readonly { readonly text: string; readonly standsFor: readonly string[] }[],
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
