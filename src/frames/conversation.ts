import { createHash } from 'node:crypto'
import { fenced } from '../block/text.ts'
import type { Memory } from '../engine/memory.ts'
import { questionOf } from '../language/pack.ts'
import { shownMark } from '../recall/render.ts'
import { type Framed, type Frames, framesInMemory } from './frames.ts'

/** A message of the user, as a prompt has it. */
export interface UserMessage {
  /** Tells it from every other message of the conversation, in every call alike. */
  readonly key: string
  readonly text: string
}

/** The frames of one conversation. */
export interface ConversationFrames {
  /** Returns the fenced self frame for the system prompt: the same text until the conversation ends or is compacted. */
  self(): Promise<string>
  /**
   * Returns, for each user message of a prompt in turn, the fenced text that stands behind it, empty where none does. Call it
   * once for each model call: what bears on the last message is recalled in its first call, and stays byte for byte. Blocks that
   * the self frame shows do not come again.
   *
   * @param call `isFirst`: nothing was answered to the last message yet, so a second call is the first one, made again
   */
  behind(messages: readonly UserMessage[], call?: { readonly isFirst?: boolean }): Promise<string[]>
  /** Returns the frame of a message, for whoever learns from what was used; without a key the self frame, if it was taken. */
  framed(key?: string): Promise<Framed | undefined>
  /** Lets the self frame be recalled anew: the prompt begins anew anyhow. */
  compacted(): Promise<void>
  /** Lets go of all frames. */
  end(): Promise<void>
}

/** The options of the frames of a conversation. */
export interface FramingOptions {
  /** Tells the conversation from all others. */
  readonly conversation: string
  /** The store of the frames; in memory by default. */
  readonly frames?: Frames
  /** The frame of `recall` for messages; attention unless given. */
  readonly frame?: 'attention' | 'task' | 'simulate' | 'world'
  /** The budget of a frame for a message, in estimated tokens; 600 by default. */
  readonly tokenBudget?: number
  readonly scope?: string
}

/** Tokens of a frame: a few blocks, a small part of what a turn of an agent reads. */
const TOKEN_BUDGET = 600
/** Names the self frame among the messages, none of whose keys it is. */
export const SELF_FRAME = 'self frame'

/**
 * Puts what was recalled into a conversation so that each prompt begins with the one before, which providers read from a cache.
 * The self frame is taken once. What bears on a message is taken once, too, and stands behind it. It stays for good if two or
 * more calls were made for the message; else it goes at the next message, so that no later turn reads it again. A message whose
 * frame was lost gets none.
 */
export function conversationFrames(
  memory: Pick<Memory, 'recall'>,
  options: FramingOptions,
): ConversationFrames {
  const {
    conversation,
    frames = framesInMemory(),
    frame = 'attention',
    tokenBudget = TOKEN_BUDGET,
    scope,
  } = options
  const recalled = (asked: string, request: Recall) =>
    recalledFrame(memory, asked, { ...request, ...(scope === undefined ? {} : { scope }) })
  const running = new Map<string, Promise<Framed>>()

  /** Takes a frame once, also when two calls ask for it at the same time. */
  function taken(key: string, take: () => Promise<Framed>): Promise<Framed> {
    const known = running.get(key)
    if (known !== undefined) return known
    const taking = (async () => {
      const kept = await frames.get(conversation, key)
      if (kept !== undefined) return kept
      const fresh = await take()
      await frames.set(conversation, key, fresh)
      // As it is kept is as later calls read it: a secret may have been taken out.
      return (await frames.get(conversation, key)) ?? fresh
    })().finally(() => running.delete(key))
    running.set(key, taking)
    return taking
  }

  async function recalledFor(message: string): Promise<Framed> {
    const query = questionOf(message)
    // Neither a picture nor "go on" asks anything that words could be found for.
    if (query === '') return { text: '', blocks: [], asked: '' }
    const self = (await frames.get(conversation, SELF_FRAME))?.blocks ?? []
    const without = self.map((block) => shownMark(block, sha256))
    return recalled(query, { query, frame, tokenBudget, ...(without.length === 0 ? {} : { without }) })
  }

  async function last({ key, text }: UserMessage, isFirst: boolean): Promise<string> {
    const before = await frames.get(conversation, key)
    const kept = await taken(key, () => recalledFor(text))
    if (!isFirst && before !== undefined && before.isLoop !== true && before.fate === undefined)
      await frames.set(conversation, key, { ...before, isLoop: true })
    return kept.fate === 'dropped' ? '' : fencedFrame(kept)
  }

  async function earlier({ key }: UserMessage): Promise<string> {
    const kept = await frames.get(conversation, key)
    if (kept === undefined) return ''
    const fate = kept.fate ?? (kept.isLoop === true ? 'kept' : 'dropped')
    if (kept.fate === undefined) await frames.set(conversation, key, { ...kept, fate })
    return fate === 'kept' ? fencedFrame(kept) : ''
  }

  return {
    self: async () => fencedFrame(await taken(SELF_FRAME, () => recalled('', { frame: 'self' }))),
    behind: async (messages, { isFirst = false } = {}) => {
      const texts: string[] = []
      for (const message of messages.slice(0, -1)) texts.push(await earlier(message))
      const newest = messages.at(-1)
      return newest === undefined ? texts : [...texts, await last(newest, isFirst)]
    },
    framed: (key = SELF_FRAME) => frames.get(conversation, key),
    compacted: async () => {
      await frames.set(conversation, SELF_FRAME, await recalled('', { frame: 'self' }))
    },
    end: () => frames.end(conversation),
  }
}

type Recall = NonNullable<Parameters<Memory['recall']>[0]>

async function recalledFrame(
  memory: Pick<Memory, 'recall'>,
  asked: string,
  request: Recall,
): Promise<Framed> {
  const { text, blocks } = await memory.recall(request)
  return { text, blocks: blocks.map(({ id, content }) => ({ id, content })), asked }
}

/** The key of a message in a prompt without ids: its number among the user's, and its words. */
export function messageKey(number: number, text: string): string {
  return `${number}:${createHash('sha256').update(text).digest('base64url')}`
}

/** A frame as it stands in a prompt; empty if it shows nothing. */
export function fencedFrame({ text, blocks }: Framed): string {
  return fenced(
    text,
    blocks.map(({ id }) => id),
  )
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
