import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { OpenSystem } from './system.ts'

interface Mem0 {
  add(text: string, options: object): Promise<unknown>
  search(query: string, options: object): Promise<{ readonly results: readonly Mem0Result[] }>
}

interface Mem0Result {
  readonly metadata?: { readonly at?: number }
}

interface Mem0Module {
  readonly Memory: new (config: object) => Mem0
}

/** mem0's open-source library: its SQLite vector store, nothing extracted by a model (`infer: false`). */
export const openMem0: OpenSystem = async ({ folder, packages, dimensions, embed }) => {
  process.env.MEM0_TELEMETRY = 'false'
  // It keeps a file there.
  process.env.HOME = folder
  const require = createRequire(join(packages, 'package.json'))
  const { Memory } = require('mem0ai/oss') as Mem0Module
  const { version } = require(join(packages, 'node_modules/mem0ai/package.json')) as { version: string }
  const model = {
    embedQuery: async (text: string) => [...((await embed([text]))[0] as Float32Array)],
    embedDocuments: async (texts: readonly string[]) => (await embed(texts)).map((vector) => [...vector]),
  }
  const memory = new Memory({
    embedder: { provider: 'langchain', config: { model, embeddingDims: dimensions } },
    vectorStore: {
      provider: 'memory',
      config: { collectionName: 'bench', dimension: dimensions, dbPath: join(folder, 'vectors.db') },
    },
    // Never called, but it must be there.
    llm: { provider: 'openai', config: { apiKey: 'none', model: 'none' } },
    historyStore: { provider: 'sqlite', config: { historyDbPath: join(folder, 'history.db') } },
  })
  return {
    version,
    add: async (text, at) =>
      void (await memory.add(text, { userId: 'bench', infer: false, metadata: { at } })),
    search: async (query, { topK }) => {
      const { results } = await memory.search(query, { filters: { user_id: 'bench' }, topK })
      return results.flatMap(({ metadata }) => metadata?.at ?? [])
    },
    close: async () => {},
  }
}
