import type { Framed, Frames } from '../../frames/index.ts'

/** Frames of a conversation as the state of its graph keeps them. */
export interface FrameState {
  /** The frames by the key of the message they stand behind; the self frame has a name of its own. */
  readonly frames: Readonly<Record<string, Framed>>
  /** The mark of the summary that replaced earlier messages; absent while none did. */
  readonly summary?: string
}

/** Frames that are read from the state of a graph, and what they became. */
export interface FramesInState extends Frames {
  /** The new state; undefined if nothing changed. */
  changed(others: Omit<FrameState, 'frames'>): FrameState | undefined
  /** Lets go of the frames of messages that are gone. */
  keepOnly(isThere: (key: string) => boolean): void
}

/** The frames of one conversation, as the state of its graph has them. The state itself is left as it is. */
export function framesInState(state: FrameState | undefined): FramesInState {
  const frames = new Map(Object.entries(state?.frames ?? {}))
  let isChanged = state === undefined
  const set = (key: string, framed: Framed) => {
    frames.set(key, framed.fate === undefined ? framed : settled(framed))
    isChanged = true
  }
  return {
    get: async (_conversation, message) => frames.get(message),
    set: async (_conversation, message, framed) => set(message, framed),
    end: async () => frames.clear(),
    keepOnly: (isThere) => {
      for (const key of frames.keys()) if (!isThere(key)) isChanged = frames.delete(key) || isChanged
    },
    changed: (others) => {
      const isSame = others.summary === state?.summary
      return isChanged || !isSame ? { frames: Object.fromEntries(frames), ...others } : undefined
    },
  }
}

/** A frame about which all is decided, without what only the decision needed: each checkpoint has it. */
function settled({ text, blocks, fate }: Framed): Framed {
  const kept = blocks.map(({ id }) => ({ id, content: '' }))
  return fate === 'dropped'
    ? { text: '', blocks: [], asked: '', fate }
    : { text, blocks: kept, asked: '', isLoop: true, fate: 'kept' }
}
