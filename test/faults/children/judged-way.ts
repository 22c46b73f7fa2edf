import { openLanguageModel } from '../../../src/engine/open-engine.ts'
import { settingsSchema } from '../../../src/engine/settings.ts'
import { openMemory } from '../../../src/index.ts'

/** Remembers, dreams and recalls without a model; asks one of the given provider at the end when told to. */
const [path, provider] = process.argv.slice(2) as [string, string | undefined]
const memory = await openMemory(path, { as: 'owner', config: { embeddings: { provider: 'hashing' } } })
await memory.remember({ content: 'Staging listens on port 4210.' })
await memory.dream()
const found = await memory.recall({ query: 'On which port does staging listen?' })
console.log(found.blocks[0]?.content)
await memory.close()
if (provider !== undefined) {
  const llm = { model: 'small', provider, baseUrl: 'http://127.0.0.1:9/v1', maxRetries: 0, apiKeyEnv: 'KEY' }
  const model = openLanguageModel(settingsSchema.parse({ llm }).llm, { KEY: 'none' })
  const request = { system: '', prompt: '', schema: {}, schemaName: 'none', maxOutputTokens: 64 }
  await model?.ask(request).catch(() => undefined)
}
