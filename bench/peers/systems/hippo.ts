import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { OpenSystem } from './system.ts'

interface Entry {
  readonly id: string
}

interface HippoModule {
  initStore(root: string): void
  createMemory(text: string, options: object): Entry
  computeSchemaFit(text: string, tags: readonly string[], existing: readonly Entry[]): number
  loadAllEntries(root: string): Entry[]
  loadSearchEntries(root: string, query: string): Entry[]
  writeEntry(root: string, entry: Entry): void
  hybridSearch(
    query: string,
    entries: readonly Entry[],
    options: object,
  ): Promise<{ readonly entry: Entry }[]>
  markRetrieved(entries: readonly Entry[]): Entry[]
}

/** As much text as is wanted, where its commands stop at 4,000 tokens. */
const BUDGET = 1_000_000

/**
 * hippo-memory as its commands `remember` and `recall` drive it, without a process for each. It has no embedder of its
 * own unless transformers.js is installed beside it.
 */
export const openHippo: OpenSystem = async ({ folder, packages }) => {
  const home = join(packages, 'node_modules/hippo-memory')
  const hippo = (await import(pathToFileURL(join(home, 'dist/index.js')).href)) as HippoModule
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }
  const root = join(folder, '.hippo')
  hippo.initStore(root)
  const places = new Map<string, number>()
  const write = (text: string, at: number, existing: readonly Entry[] | undefined) => {
    const fit = existing ? { schema_fit: hippo.computeSchemaFit(text, [], existing) } : {}
    const entry = hippo.createMemory(text, { source: 'cli', confidence: 'verified', ...fit })
    hippo.writeEntry(root, entry)
    places.set(entry.id, at)
  }
  return {
    version,
    add: async (text, at) => write(text, at, hippo.loadAllEntries(root)),
    // Comparing each with all before it is left out: filling would take hours.
    addMany: async (texts, from) => {
      for (const [i, text] of texts.entries()) write(text, from + i, undefined)
    },
    search: async (query, { topK, effects }) => {
      const entries = hippo.loadSearchEntries(root, query)
      const results = await hippo.hybridSearch(query, entries, { budget: BUDGET, hippoRoot: root })
      const shown = results.slice(0, topK).map(({ entry }) => entry)
      if (effects) for (const entry of hippo.markRetrieved(shown)) hippo.writeEntry(root, entry)
      return shown.flatMap(({ id }) => places.get(id) ?? [])
    },
    close: async () => {},
  }
}
