import { defined } from '../../block/text.ts'
import type { Embedder } from '../../engine/ports.ts'
import { redactSecrets } from '../../secrets/secrets.ts'

/** An embedder somewhere else that sees no secret. */
export function keepSecrets(embedder: Embedder): Embedder {
  return {
    remote: true,
    ...defined({ scripts: embedder.scripts }),
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
