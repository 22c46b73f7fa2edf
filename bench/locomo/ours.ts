import type { Embedder } from '../../src/engine/ports.ts'
import { type Memory, openMemory } from '../../src/index.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { withConstants } from '../lib/constants.ts'
import { type Dreamt, dreamAll } from '../lib/dream-all.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import { hideWords } from '../lib/hide-words.ts'
import type { SharedEmbedder } from '../lib/shared-embedder.ts'
import type { Ablation } from './ablations.ts'
import type { Conversation } from './loader.ts'

/** A memory file, and which pieces of evidence each block stands for. */
export interface Kept {
  readonly path: string
  readonly turnsOf: ReadonlyMap<string, readonly string[]>
}

/** A conversation in a memory file. */
export interface Remembered extends Kept {
  readonly dreamt: Dreamt
  readonly rememberMs: readonly number[]
}

/** Questions, the memory of each list of them in the same order, and what embeds them. */
export interface KeptConversations {
  readonly conversations: readonly Pick<Conversation, 'questions'>[]
  readonly kept: readonly Kept[]
  readonly embedder: SharedEmbedder
}

/** Remembers every turn through the library and dreams until nothing waits. */
export async function rememberConversation(
  path: string,
  { turns }: Conversation,
  embedder: Embedder,
): Promise<Remembered> {
  await using memory = await openMemory(path, { embedder, clock: fixedClock, config: {} })
  const turnsOf = new Map<string, string[]>()
  const rememberMs: number[] = []
  for (const { standsFor, content, speaker, session, at } of turns) {
    const started = performance.now()
    const { blockId } = await memory.remember({
      content,
      source: speaker,
      session,
      ...(at === undefined ? {} : { at }),
    })
    rememberMs.push(performance.now() - started)
    const known = turnsOf.get(blockId)
    if (known) known.push(...standsFor)
    else turnsOf.set(blockId, [...standsFor])
  }
  const dreamt = await dreamAll(memory)
  if (dreamt.deduplicated > 0) await creditDuplicates(memory, turnsOf)
  return { path, turnsOf, dreamt, rememberMs }
}

/** What a dream recognised as said before counts for the block that stays. */
export async function creditDuplicates(memory: Memory, turnsOf: Map<string, string[]>): Promise<void> {
  for (const [id, turns] of turnsOf) {
    const { block } = await memory.show({ blockId: id })
    if (block.supersededBy !== undefined) turnsOf.get(block.supersededBy)?.push(...turns)
  }
}

/** One question's answer: the turns at each place, and what it took. */
export interface Answered {
  readonly ranked: readonly (readonly string[])[]
  readonly abstained: boolean
  /** Milliseconds without those the embedder spent. */
  readonly ms: number
  readonly embeddingMs: number
}

/** Asks every question of the conversation, changing nothing in the memory. */
export function askAll(
  kept: Kept,
  { questions }: Pick<Conversation, 'questions'>,
  options: Asking,
): Promise<Answered[]> {
  return withConstants({ ranking: options.ablation?.ranking ?? {} }, () => ask(kept, questions, options))
}

interface Asking {
  readonly embedder: SharedEmbedder
  readonly ablation?: Partial<Ablation>
  readonly topK: number
}

async function ask(
  { path, turnsOf }: Kept,
  questions: Conversation['questions'],
  { embedder, ablation = {}, topK }: Asking,
): Promise<Answered[]> {
  const store = await openSqliteStore(path)
  await using memory = await openMemory(path, {
    store: ablation.words === 'none' ? hideWords(store) : store,
    embedder: ablation.vectors === 'none' ? { ...embedder, model: 'none' } : embedder,
    clock: fixedClock,
    config: ablation.recall ? { recall: ablation.recall } : {},
  })
  const answers: Answered[] = []
  // The first call loads the index; it is no part of what a question costs.
  await memory.recall({ query: 'anything', topK, reinforce: false })
  for (const { text } of questions) {
    const spent = embedder.spent
    const started = performance.now()
    const { blocks, match } = await memory.recall({
      query: text,
      topK,
      reinforce: false,
      tokenBudget: 1_000_000,
    })
    const embeddingMs = embedder.spent - spent
    answers.push({
      ranked: blocks.map(({ id }) => turnsOf.get(id) ?? []),
      abstained: match === 'nothing',
      ms: performance.now() - started - embeddingMs,
      embeddingMs,
    })
  }
  await store.close()
  return answers
}
