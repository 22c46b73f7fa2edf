import type { Memory } from '../engine/memory.ts'
import { ElfmemError } from '../errors.ts'

/** A frame that was recalled for one message of a user, as it is kept. */
export interface Framed {
  /** The rendered text; empty if nothing bears on the message. */
  readonly text: string
  readonly blocks: readonly { readonly id: string; readonly content: string }[]
  /** The question of the message that it was recalled for. */
  readonly asked: string
  /** True once a second model call was made for the message. */
  readonly isLoop?: boolean
  /** The decision whether later calls have it; absent until the next message. */
  readonly fate?: 'kept' | 'dropped'
}

/** A place where the frames of conversations are kept, by conversation and message. */
export interface Frames {
  get(conversation: string, message: string): Promise<Framed | undefined>
  set(conversation: string, message: string, framed: Framed): Promise<void>
  /** Lets go of all frames of a conversation. */
  end(conversation: string): Promise<void>
}

/** Conversations that a process keeps the frames of; the one used longest ago goes first. */
const CONVERSATIONS = 1_000
/** Items deleted in one call. */
const PAGE = 1_000

/**
 * Frames that end with this process. A conversation that goes on in another one loses those of its messages so far: a cache
 * miss, and no more.
 *
 * @param most conversations at once
 */
export function framesInMemory(most = CONVERSATIONS): Frames {
  const all = new Map<string, Map<string, Framed>>()
  /** The frames of a conversation, which is then the one used last. */
  const used = (conversation: string): Map<string, Framed> | undefined => {
    const known = all.get(conversation)
    if (known !== undefined && all.delete(conversation)) all.set(conversation, known)
    return known
  }
  return {
    get: async (conversation, message) => used(conversation)?.get(message),
    set: async (conversation, message, framed) => {
      const known = used(conversation) ?? new Map<string, Framed>()
      all.set(conversation, known.set(message, framed))
      const [oldest = ''] = all.keys()
      if (all.size > most) all.delete(oldest)
    },
    end: async (conversation) => void all.delete(conversation),
  }
}

/** Frames as named items of the space `frames`, for a program that may end while a conversation goes on. */
export function framesInItems(
  memory: Pick<Memory, 'items'>,
  { scope }: { readonly scope?: string } = {},
): Frames {
  const items = memory.items('frames', { undoable: false, ...(scope === undefined ? {} : { scope }) })
  return {
    get: async (conversation, message) => {
      const item = await items.get({ namespace: [conversation], key: message })
      return item === undefined ? undefined : (item.value as Framed)
    },
    set: async (conversation, message, framed) => {
      const put = (value: Framed) => items.put({ namespace: [conversation], key: message, value })
      await put(framed).catch((error: unknown) => {
        // Whoever asks may write a secret; the frame is kept without the question then.
        if (!ElfmemError.is(error) || error.code !== 'SECRET_REFUSED') throw error
        return put({ ...framed, asked: '' })
      })
    },
    end: async (conversation) => {
      for (;;) {
        const { items: page } = await items.list({ namespace: [conversation], limit: PAGE })
        if (page.length === 0) return
        await items.batch(page.map(({ namespace, key }) => ({ do: 'delete' as const, namespace, key })))
      }
    },
  }
}
