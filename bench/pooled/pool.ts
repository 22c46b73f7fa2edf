import { type Memory, openMemory } from '../../src/index.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import type { SharedEmbedder } from '../lib/shared-embedder.ts'
import type { Conversation } from '../locomo/loader.ts'
import { creditDuplicates } from '../locomo/ours.ts'

/** Conversations in one memory file, and which turns each block stands for, named as `turnName` does. */
export interface Pool {
  readonly path: string
  readonly turnsOf: ReadonlyMap<string, readonly string[]>
  /** Blocks after dreaming. */
  readonly blocks: number
}

/** A turn among those of all conversations. */
export function turnName({ id }: Conversation, turn: string): string {
  return `${id}/${turn}`
}

/**
 * Remembers conversations in one file and dreams until nothing waits: each in a scope of its own with sessions named as
 * in every other, or all together with the names of sessions made unique, as whoever has no scopes would name them.
 */
export async function fillPool(
  path: string,
  conversations: readonly Conversation[],
  { embedder, scoped }: { readonly embedder: SharedEmbedder; readonly scoped: boolean },
): Promise<Pool> {
  await using memory = await openMemory(path, { embedder, clock: fixedClock, config: {} })
  const turnsOf = new Map<string, string[]>()
  for (const conversation of conversations) await remember(memory, conversation, { turnsOf, scoped })
  const { promoted, deduplicated } = await dreamAll(memory)
  if (deduplicated > 0) await creditDuplicates(memory, turnsOf)
  return { path, turnsOf, blocks: promoted }
}

async function remember(
  memory: Memory,
  conversation: Conversation,
  { turnsOf, scoped }: { readonly turnsOf: Map<string, string[]>; readonly scoped: boolean },
): Promise<void> {
  for (const { id, content, speaker, session, at } of conversation.turns) {
    const { blockId } = await memory.remember({
      content,
      source: speaker,
      session: scoped ? session.replace(`${conversation.id}/`, '') : session,
      ...(scoped ? { scope: conversation.id } : {}),
      ...(at === undefined ? {} : { at }),
    })
    const known = turnsOf.get(blockId)
    if (known) known.push(turnName(conversation, id))
    else turnsOf.set(blockId, [turnName(conversation, id)])
  }
}

/** Opens a pool to ask it. */
export function openPool({ path }: Pool, embedder: SharedEmbedder): Promise<Memory> {
  return openMemory(path, { embedder, clock: fixedClock, config: {} })
}
