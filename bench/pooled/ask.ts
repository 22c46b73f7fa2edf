import type { Memory } from '../../src/index.ts'
import type { SharedEmbedder } from '../lib/shared-embedder.ts'
import type { Conversation } from '../locomo/loader.ts'
import { type Found, judge } from '../locomo/metrics.ts'
import { type Pool, turnName } from './pool.ts'

/** One question's answer. */
export interface Asked extends Found {
  /** For each place the turns the block there stands for. */
  readonly ranked: readonly (readonly string[])[]
  /** Of the first ten blocks, how many are of another conversation. */
  readonly strange: number
  /** Milliseconds without those the embedder spent. */
  readonly ms: number
}

/** A memory to put questions to. */
export interface Side {
  readonly memory: Memory
  readonly pool: Pool
  /** Asks within the scope of the conversation. */
  readonly scoped: boolean
}

const LOOKED_AT = 10

/** Puts one question to one side, changing nothing in the memory. */
export async function ask(
  { memory, pool, scoped }: Side,
  conversation: Conversation,
  question: Conversation['questions'][number],
  { embedder, topK }: { readonly embedder: SharedEmbedder; readonly topK: number },
): Promise<Asked> {
  const spent = embedder.spent
  const started = performance.now()
  const { blocks } = await memory.recall({
    query: question.text,
    topK,
    reinforce: false,
    tokenBudget: 1_000_000,
    ...(scoped ? { scope: conversation.id } : {}),
  })
  const ms = performance.now() - started - (embedder.spent - spent)
  const ranked = blocks.map(({ id }) => pool.turnsOf.get(id) ?? [])
  const evidence = new Set([...question.evidence].map((turn) => turnName(conversation, turn)))
  const isStrange = (turns: readonly string[]) =>
    !turns.some((turn) => turn.startsWith(`${conversation.id}/`))
  return {
    ...judge(ranked, evidence),
    ranked,
    strange: ranked.slice(0, LOOKED_AT).filter(isStrange).length,
    ms,
  }
}
