import { estimateTokens, fenced } from '../block/text.ts'
import { shortId } from '../recall/render.ts'
import type { HookMemories, HookMemory, HookOptions } from './memory.ts'
import type { Shown } from './shown.ts'

/** A part of what is added to a conversation. */
export interface Injected {
  readonly text: string
  readonly blocks: readonly { readonly id: string; readonly content: string }[]
  /** Ids of blocks of classes that are not shown here, which a recall shows. */
  readonly held: readonly string[]
}

/** The question of a recall for a hook, and its options. */
export interface Asking {
  readonly memories: HookMemories
  readonly shown: Shown
  readonly classes: HookOptions['classes'] | undefined
  /** True if an answer that is no match is worth its place. */
  readonly perhaps: boolean
  readonly signal: AbortSignal
}

type RecallInput = NonNullable<Parameters<HookMemory['recall']>[0]>

/** A budget that is too small for one sentence is none. */
const TOKENS_MIN = 32
const NOTHING: Injected = { text: '', blocks: [], held: [] }

async function recalled(memory: HookMemory, input: RecallInput, asking: Asking): Promise<Injected> {
  const { memories, shown, classes, signal } = asking
  const request = {
    ...input,
    without: [...shown.ids],
    reinforce: memories.mayWrite,
    ...(classes === undefined ? {} : { classes: [...classes] }),
  }
  const { text, blocks, match, dropped } = await memory.recall(request, { signal })
  if (match === 'nothing' || (match === 'perhaps' && !asking.perhaps)) return NOTHING
  return {
    text,
    blocks: blocks.map(({ id, content }) => ({ id, content })),
    held: dropped.flatMap(({ id, reason }) => (reason === 'class' ? [id] : [])),
  }
}

/** Returns who the agent is: of its own memory, else of the first that is shared and says so. */
export async function selfFrame(asking: Asking): Promise<Injected> {
  const { own, shared } = asking.memories
  for (const memory of [own, ...shared.map((each) => each.memory)]) {
    const { text, blocks } = await recalled(memory, { frame: 'self' }, asking)
    if (text !== '') return { text, blocks, held: [] }
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

/**
 * Returns the parts as one text for a prompt, with the number of blocks that only a recall shows, and lines about what was kept;
 * empty for nothing.
 */
export function asContext(
  parts: readonly Injected[],
  counted: readonly string[],
  lines: readonly string[],
): string {
  const ids = parts.flatMap(({ blocks }) => blocks.map(({ id }) => id))
  const held = new Set(parts.flatMap((each) => each.held).filter((id) => !counted.includes(shortId(id)))).size
  const more =
    held === 0 ? '' : `${held} more from tools, documents or others bear on this: elfmem_recall shows them.`
  return fenced([...parts.map(({ text }) => text), more, ...lines].filter(Boolean).join('\n\n'), ids)
}
