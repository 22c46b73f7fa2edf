import type { Memory } from '../../engine/memory.ts'
import type { UserMessage } from '../../frames/index.ts'
import { type Said, turnTexts } from '../shared/turns.ts'

/** The space of the turns of conversations. */
const SPACE = 'turns'

/** The choice of what is kept of a conversation. */
export interface TurnOptions {
  readonly conversation: string
  /** `none` unless given; `both` also keeps the last words of the model to each message. */
  readonly remember?: 'none' | 'user' | 'both'
  /** True: messages are the owner's own words, in a memory that was opened as the owner; else those of a document. */
  readonly trustUser?: boolean
  readonly scope?: string
}

/** The turns of a conversation as they are kept. */
export interface Turns {
  /** Keeps a message of the user, once. */
  asked(message: UserMessage): Promise<void>
  /** Keeps the answer to a message, in the place of an earlier one. */
  answered(message: UserMessage, text: string): Promise<void>
}

/**
 * Keeps what is said in a conversation as named items, so that a turn that is sent again is no second one, each with a block of
 * category `turn` to be recalled by.
 */
export function turnsOf(memory: Pick<Memory, 'items'>, options: TurnOptions): Turns {
  const { conversation, remember = 'none', trustUser = false, scope } = options
  const items = memory.items(SPACE, { undoable: false, ...(scope === undefined ? {} : { scope }) })
  const kept = new Set<string>()
  const put = async (key: string, said: Said) => {
    const place = { namespace: [conversation], key: `${key} ${said.role}` }
    const texts = turnTexts(said, { session: conversation, trustUser })
    // An earlier answer goes, too, if the one that takes its place says nothing.
    if (texts.length === 0) await items.delete(place)
    else await items.put({ ...place, value: { role: said.role }, texts })
  }
  return {
    asked: async ({ key, text }) => {
      if (remember === 'none' || kept.has(key)) return
      await put(key, { role: 'user', text })
      kept.add(key)
    },
    answered: async ({ key }, text) => {
      if (remember === 'both') await put(key, { role: 'assistant', text })
    },
  }
}
