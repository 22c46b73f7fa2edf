import { estimateTokens } from '../block/text.ts'
import type { HookMemories, HookMemory, HookOptions } from './memory.ts'

/** A part of what is added to a conversation. */
export interface Injected {
  readonly text: string
  readonly blocks: readonly { readonly id: string; readonly content: string }[]
  /** True for the self frame, which a session gets once. */
  readonly isSelf?: boolean
}

/** The question of a recall for a hook, and its options. */
export interface Asking {
  readonly memories: HookMemories
  /** The marks of blocks that the session was shown. */
  readonly shown: readonly string[]
  readonly classes: HookOptions['classes'] | undefined
  /** True if an answer that is no match is worth its place. */
  readonly perhaps: boolean
  readonly signal: AbortSignal
}

type RecallInput = NonNullable<Parameters<HookMemory['recall']>[0]>

/** A budget that is too small for one sentence is none. */
const TOKENS_MIN = 32
const NOTHING: Injected = { text: '', blocks: [] }

async function recalled(memory: HookMemory, input: RecallInput, asking: Asking): Promise<Injected> {
  const { memories, shown, classes, signal } = asking
  const request = {
    ...{ ...input, without: [...shown], reinforce: memories.mayWrite },
    ...(classes === undefined ? {} : { classes: [...classes] }),
  }
  const { text, blocks, match } = await memory.recall(request, { signal })
  if (match === 'nothing' || (match === 'perhaps' && !asking.perhaps)) return NOTHING
  return { text, blocks: blocks.map(({ id, content }) => ({ id, content })) }
}

/** Returns who the agent is: of its own memory, else of the first that is shared and says so. */
export async function selfFrame(asking: Asking): Promise<Injected> {
  const { own, shared } = asking.memories
  for (const memory of [own, ...shared.map((each) => each.memory)]) {
    const found = await recalled(memory, { frame: 'self' }, asking)
    if (found.text !== '') return found
  }
  return NOTHING
}

/** Returns what bears on a prompt: of the project first, then, where there is room, of what is shared with it. */
export async function bearingOn(query: string, tokens: number, asking: Asking): Promise<Injected[]> {
  const { own, shared } = asking.memories
  const parts: Injected[] = []
  let left = tokens
  for (const { scope, memory } of [{ scope: '', memory: own }, ...shared]) {
    if (left < TOKENS_MIN) break
    const part = await recalled(memory, { query, frame: 'attention', tokenBudget: left }, asking)
    left -= estimateTokens(part.text)
    const heading =
      scope === '' || part.text === '' ? '' : `Of the memory ${scope}, which every project shares:\n`
    parts.push({ ...part, text: `${heading}${part.text}` })
  }
  return parts
}
