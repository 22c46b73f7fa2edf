import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { dot } from '../../src/index/columns.ts'
import { openMemory } from '../../src/index.ts'
import { dreamAll, rememberAll } from '../lib/memory.ts'
import { entitiesOf, type Place, serverMemory } from './contenders.ts'
import { McpProcess } from './process.ts'

/** The calls by which every memory is driven. Texts are named by their place in the corpus. */
export interface System {
  /** The version that it says it has. */
  readonly version: string
  /** The process that does the work; absent if it is this one. */
  readonly pid?: number
  readonly add: (text: string, at: number) => Promise<void>
  /** Takes many in, the quickest way its own interface offers; one by one when absent. */
  readonly addMany?: (texts: readonly string[], from: number) => Promise<void>
  /** Makes what was added findable, where that is a step of its own. */
  readonly settle?: () => Promise<void>
  /** Returns the places of the found texts, best first. */
  readonly search: (
    query: string,
    options: { readonly topK: number; readonly effects: boolean },
  ) => Promise<readonly number[]>
  readonly close?: () => Promise<void>
}

interface Opening extends Place {
  readonly dimensions: number
  /** Returns the vectors of texts of the corpus or of questions, computed beforehand. */
  readonly embed: (texts: readonly string[]) => Promise<Float32Array[]>
}

type OpenSystem = (opening: Opening) => Promise<System>

function versionIn(folder: string): string {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version
}

/** This library at its defaults; recall with all its effects. */
const openElfmem: OpenSystem = async ({ folder, dimensions, embed }) => {
  const embedder = { model: 'given', dimensions, embed, close: async () => {} }
  const memory = await openMemory(join(folder, 'memory.db'), { embedder, config: {} })
  const places = new Map<string, number>()
  return {
    version: versionIn(join(import.meta.dirname, '../..')),
    add: async (content, at) => {
      const { blockId } = await memory.remember({ content })
      places.set(blockId, at)
    },
    addMany: async (texts, from) => {
      const blocks = texts.map((content) => ({ content }))
      for (const [i, id] of (await rememberAll(memory, blocks)).entries()) places.set(id, from + i)
    },
    settle: async () => void (await dreamAll(memory)),
    search: async (query, { topK, effects }) => {
      const { blockIds } = await memory.recall({ query, topK, reinforce: effects })
      return blockIds.flatMap((id) => places.get(id) ?? [])
    },
    close: () => memory.close(),
  }
}

interface HippoEntry {
  readonly id: string
}

interface HippoModule {
  initStore(root: string): void
  createMemory(text: string, options: object): HippoEntry
  computeSchemaFit(text: string, tags: readonly string[], existing: readonly HippoEntry[]): number
  loadAllEntries(root: string): HippoEntry[]
  loadSearchEntries(root: string, query: string): HippoEntry[]
  writeEntry(root: string, entry: HippoEntry): void
  hybridSearch(
    query: string,
    entries: readonly HippoEntry[],
    options: object,
  ): Promise<{ readonly entry: HippoEntry }[]>
  markRetrieved(entries: readonly HippoEntry[]): HippoEntry[]
}

/** The token budget of a search, large enough for any answer; its commands stop at 4,000. */
const BUDGET = 1_000_000

/**
 * Drives hippo-memory as its commands `remember` and `recall` do, without a process for each. It has no embedder of its
 * own unless transformers.js is installed beside it.
 */
const openHippo: OpenSystem = async ({ folder, packages }) => {
  const home = join(packages, 'node_modules/hippo-memory')
  const hippo = (await import(pathToFileURL(join(home, 'dist/index.js')).href)) as HippoModule
  const root = join(folder, '.hippo')
  hippo.initStore(root)
  const places = new Map<string, number>()
  const write = (text: string, at: number, existing?: readonly HippoEntry[]) => {
    const fit = existing && { schema_fit: hippo.computeSchemaFit(text, [], existing) }
    const entry = hippo.createMemory(text, { source: 'cli', confidence: 'verified', ...fit })
    hippo.writeEntry(root, entry)
    places.set(entry.id, at)
  }
  return {
    version: versionIn(home),
    add: async (text, at) => write(text, at, hippo.loadAllEntries(root)),
    // Comparing each with all before it is left out: filling would take hours.
    addMany: async (texts, from) => {
      for (const [i, text] of texts.entries()) write(text, from + i)
    },
    search: async (query, { topK, effects }) => {
      const entries = hippo.loadSearchEntries(root, query)
      const results = await hippo.hybridSearch(query, entries, { budget: BUDGET, hippoRoot: root })
      const shown = results.slice(0, topK).map(({ entry }) => entry)
      if (effects) for (const entry of hippo.markRetrieved(shown)) hippo.writeEntry(root, entry)
      return shown.flatMap(({ id }) => places.get(id) ?? [])
    },
  }
}

interface Mem0 {
  add(text: string, options: object): Promise<unknown>
  search(
    query: string,
    options: object,
  ): Promise<{ readonly results: readonly { readonly metadata?: { readonly at?: number } }[] }>
}

/** mem0's open-source library: its SQLite vector store, nothing extracted by a model (`infer: false`). */
const openMem0: OpenSystem = async ({ folder, packages, dimensions, embed }) => {
  process.env.MEM0_TELEMETRY = 'false'
  // mem0 keeps a file in the home directory.
  process.env.HOME = folder
  const require = createRequire(join(packages, 'package.json'))
  const { Memory } = require('mem0ai/oss') as { readonly Memory: new (config: object) => Mem0 }
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
    // mem0 needs a model, and never calls it here.
    llm: { provider: 'openai', config: { apiKey: 'none', model: 'none' } },
    historyStore: { provider: 'sqlite', config: { historyDbPath: join(folder, 'history.db') } },
  })
  return {
    version: versionIn(join(packages, 'node_modules/mem0ai')),
    add: async (text, at) =>
      void (await memory.add(text, { userId: 'bench', infer: false, metadata: { at } })),
    search: async (query, { topK }) => {
      const { results } = await memory.search(query, { filters: { user_id: 'bench' }, topK })
      return results.flatMap(({ metadata }) => metadata?.at ?? [])
    },
  }
}

/** Every vector compared with the question's in plain JavaScript; kept in memory only, nothing is written. */
const openPlainCosine: OpenSystem = async ({ embed }) => {
  const kept: { readonly at: number; readonly vector: Float32Array }[] = []
  return {
    version: '',
    add: async (text, at) => {
      const [vector] = (await embed([text])) as [Float32Array]
      kept.push({ at, vector })
    },
    search: async (query, { topK }) => {
      const [question] = (await embed([query])) as [Float32Array]
      const scored = kept.map(({ at, vector }) => ({ at, score: dot(question, vector) }))
      scored.sort((a, b) => b.score - a.score)
      return scored.slice(0, topK).map(({ at }) => at)
    },
  }
}

const STOP_WORDS = new Set(
  (
    'a an and are as at be been but by can could did do does for from had has have he her his how i if in is it its ' +
    'me my no not of on or our she so that the their them they this to was we were what when where which who why ' +
    'will with would you your'
  ).split(' '),
)

/** A table of FTS5 with its own bm25: Porter stems, stop words left out, any word may match. */
const openPlainFts5: OpenSystem = async ({ folder }) => {
  const database = new DatabaseSync(join(folder, 'fts.db'))
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec("CREATE VIRTUAL TABLE notes USING fts5(text, tokenize = 'porter unicode61')")
  const insert = database.prepare('INSERT INTO notes(rowid, text) VALUES (?, ?)')
  const select = database.prepare('SELECT rowid FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT ?')
  return {
    version: `SQLite ${process.versions.sqlite}`,
    add: async (text, at) => void insert.run(at + 1, text),
    addMany: async (texts, from) => {
      database.exec('BEGIN')
      for (const [i, text] of texts.entries()) insert.run(from + i + 1, text)
      database.exec('COMMIT')
    },
    search: async (query, { topK }) => {
      const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
      const telling = words.filter((word) => !STOP_WORDS.has(word))
      if (telling.length === 0) return []
      const rows = select.all(telling.map((word) => `"${word}"`).join(' OR '), topK)
      return rows.map(({ rowid }) => Number(rowid) - 1)
    },
    close: async () => database.close(),
  }
}

/** The reference memory server over stdio: one entity a text; it finds texts that contain the whole question. */
const openServerMemory: OpenSystem = async (place) => {
  const server = new McpProcess(serverMemory(place))
  await server.greet()
  const create = async (texts: readonly string[], from: number) =>
    void (await server.call('create_entities', entitiesOf(texts, from)))
  return {
    version: versionIn(join(place.packages, 'node_modules/@modelcontextprotocol/server-memory')),
    ...(server.pid !== undefined && { pid: server.pid }),
    add: (text, at) => create([text], at),
    addMany: create,
    search: async (query, { topK }) => {
      const { entities } = JSON.parse(await server.call('search_nodes', { query })) as {
        readonly entities: readonly { readonly name: string }[]
      }
      return entities.slice(0, topK).map(({ name }) => Number(name.slice(1)))
    },
    close: () => server[Symbol.asyncDispose](),
  }
}

/** The functions that open each system, by the keys of the contenders. */
export const SYSTEMS: Readonly<Record<string, OpenSystem>> = {
  elfmem: openElfmem,
  mem0: openMem0,
  hippo: openHippo,
  'server-memory': openServerMemory,
  fts5: openPlainFts5,
  cosine: openPlainCosine,
}
