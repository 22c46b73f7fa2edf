import { readFileSync } from 'node:fs'
import { type Memory, openMemory } from '../../src/index.ts'
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

/** Passages of a document that is learned whole. */
const DOCUMENT = 10

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
  options: { readonly seed: number; readonly embedder: SharedEmbedder; readonly isLearned: boolean },
): Promise<Kept> {
  const { seed, embedder, isLearned } = options
  const shuffled = createRandom(seed).shuffled(passages)
  await using memory = await openMemory(path, { embedder, clock: fixedClock, config: {} })
  const passagesOf = new Map<string, string[]>()
  const credit = (block: string, id: string) => {
    const known = passagesOf.get(block)
    if (known) known.push(id)
    else passagesOf.set(block, [id])
  }
  if (isLearned) await learnAll(memory, shuffled, credit)
  else
    for (const { id, text } of shuffled)
      credit((await memory.remember({ content: text, session: id })).blockId, id)
  const { deduplicated } = await dreamAll(memory)
  if (deduplicated > 0) await creditDuplicates(memory, passagesOf)
  return { path, turnsOf: passagesOf }
}

/** Learns ten passages to a document; a block stands for the passages it holds, or is a piece of. */
async function learnAll(
  memory: Memory,
  passages: readonly Passage[],
  credit: (block: string, id: string) => void,
): Promise<void> {
  for (let at = 0; at < passages.length; at += DOCUMENT) {
    const some = passages.slice(at, at + DOCUMENT)
    const text = some.map((each) => each.text).join('\n\n')
    const { blockIds } = await memory.learnDocument({ text, source: `document ${at}` })
    for (const block of blockIds) {
      const { content } = (await memory.show({ blockId: block })).block
      const held = some.filter((each) => content.includes(each.text) || each.text.includes(content))
      for (const { id } of held) credit(block, id)
    }
  }
}
