import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { type LanguageModel, openMemory } from '../../../src/index.ts'

/** Remembers, dreams at rest, says so, and hangs in the dream, because its language model never answers. */
const [path] = process.argv.slice(2) as [string]
const hanging: LanguageModel = {
  model: 'hanging',
  remote: false,
  ask: () => {
    console.log('dreaming')
    return new Promise(() => undefined)
  },
}
const memory = await openMemory(path, {
  as: 'owner',
  embedder: createHashingEmbedder(),
  languageModel: hanging,
  config: { memory: { autoDream: 'full', autoDreamQuietSeconds: 0.1 } },
})
for (let at = 0; at < 12; at++) await memory.remember({ content: `Shelf ${at} holds maps.` })
process.stdin.resume()
