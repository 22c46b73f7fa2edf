import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { type LanguageModel, openMemory } from '../../../src/index.ts'

/**
 * Remembers and then only stays open. `leave`: nothing keeps it. `hang`: soon dreams at rest, says so, and its language model
 * never answers.
 */
const [path, way] = process.argv.slice(2) as [string, 'leave' | 'hang']
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
  ...(way === 'hang'
    ? { languageModel: hanging, config: { memory: { autoDream: 'full', autoDreamQuietSeconds: 0.1 } } }
    : {}),
})
for (let at = 0; at < 12; at++) await memory.remember({ content: `Shelf ${at} holds maps.` })
if (way === 'hang') process.stdin.resume()
