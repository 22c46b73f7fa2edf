import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openMemory } from '../../../src/index.ts'
import { dreamAll } from '../../lib/dream-all.ts'
import { rememberAll } from '../../lib/remember-many.ts'
import type { OpenSystem } from './system.ts'

/** This library at its defaults; recall with all its effects. */
export const openElfmem: OpenSystem = async ({ folder, dimensions, embed }) => {
  const embedder = { model: 'given', dimensions, embed, close: async () => {} }
  const memory = await openMemory(join(folder, 'memory.db'), { embedder, config: {} })
  const places = new Map<string, number>()
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return {
    version,
    add: async (content, at) => {
      const { blockId } = await memory.remember({ content })
      places.set(blockId, at)
    },
    addMany: async (texts, from) => {
      const ids = await rememberAll(
        memory,
        texts.map((content) => ({ content })),
      )
      ids.forEach((id, i) => {
        places.set(id, from + i)
      })
    },
    settle: async () => void (await dreamAll(memory)),
    search: async (query, { topK, effects }) => {
      const { blockIds } = await memory.recall({ query, topK, reinforce: effects })
      return blockIds.flatMap((id) => places.get(id) ?? [])
    },
    close: () => memory.close(),
  }
}
