import { readFileSync } from 'node:fs'
import { openMemory } from '../../src/index.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import { createRandom } from '../lib/random.ts'
import type { SharedEmbedder } from '../lib/shared-embedder.ts'
import type { Conversation } from '../locomo/loader.ts'
import { creditDuplicates, type Kept } from '../locomo/ours.ts'

interface Passage {
  readonly id: string
  readonly text: string
}

/** Passages and questions; the evidence of a question are the ids of the passages that answer it together. */
export interface PassageFile {
  readonly passages: readonly Passage[]
  readonly questions: Conversation['questions']
}

/** All passages and questions of a file, pooled. */
export function loadPassages(path: string): PassageFile {
  const { conversations } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly conversations: readonly {
      readonly notes: readonly Passage[]
      readonly questions: readonly { readonly text: string; readonly evidence: readonly string[] }[]
    }[]
  }
  return {
    passages: conversations.flatMap(({ notes }) => notes),
    questions: conversations
      .flatMap(({ questions }) => questions)
      .map(({ text, evidence }) => ({ text, category: 0, evidence: new Set(evidence) })),
  }
}

/** Takes the passages in, in an order that the seed gives, and dreams until nothing waits. */
export async function rememberPassages(
  path: string,
  passages: readonly Passage[],
  { seed, embedder }: { readonly seed: number; readonly embedder: SharedEmbedder },
): Promise<Kept> {
  const shuffled = createRandom(seed).shuffled(passages)
  await using memory = await openMemory(path, { embedder, clock: fixedClock, config: {} })
  const passagesOf = new Map<string, string[]>()
  for (const { id, text } of shuffled) {
    const { blockId } = await memory.remember({ content: text, session: id })
    passagesOf.set(blockId, [...(passagesOf.get(blockId) ?? []), id])
  }
  const { deduplicated } = await dreamAll(memory)
  if (deduplicated > 0) await creditDuplicates(memory, passagesOf)
  return { path, turnsOf: passagesOf }
}
