import type { Embedder } from '../../engine/ports.ts'
import { redactSecrets } from '../../secrets/secrets.ts'
import { wrapped } from './embedder-wrappers.ts'

/** Returns a remote embedder that sees no secret. */
export function keepSecrets(embedder: Embedder): Embedder {
  return wrapped(embedder, {
    embed: (texts, options) =>
      embedder.embed(
        texts.map((text) => {
          const { text: safe, found } = redactSecrets(text)
          for (const { kind, count } of found) options?.redacted?.(kind, count)
          return safe
        }),
        options,
      ),
  })
}
