import { redactSecrets } from '../../domain/secrets.ts'
import type { Embedder } from '../../ports/embedder.ts'

/** The embedder, which sees no secret when it is somewhere else. One on this machine is given back as it is. */
export function keepSecrets(embedder: Embedder): Embedder {
  if (embedder.remote !== true) return embedder
  return {
    remote: true,
    get model() {
      return embedder.model
    },
    get dimensions() {
      return embedder.dimensions
    },
    embed: (texts, options) =>
      embedder.embed(
        texts.map((text) => {
          const { text: safe, found } = redactSecrets(text)
          for (const { kind, count } of found) options?.redacted?.(kind, count)
          return safe
        }),
        options,
      ),
    warm: () => embedder.warm?.(),
    close: () => embedder.close(),
  }
}
