import type { EmbedOptions } from '../../ports/embedder.ts'
import type { CallContext } from './engine.ts'

/** How embedding is asked for within a call: it ends with the call, and what it uses is counted for it. */
export function embedOptionsOf({ signal, meter }: CallContext): EmbedOptions {
  return {
    ...(signal ? { signal } : {}),
    ...(meter
      ? {
          usage: ({ tokens, calls }) => meter.add({ embeddingTokens: tokens, embeddingCalls: calls }),
          redacted: (kind, count) => meter.noteRedacted(kind, count),
        }
      : {}),
  }
}
