import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openMemory } from '../../src/index.ts'
import type { Log } from '../lib/bench.ts'
import { cheapEmbedder } from '../lib/embedders.ts'
import { fill } from '../lib/memory.ts'
import { sentence } from './sentences.ts'

/** Memories full of sentences, each made once: a larger one is the next smaller one, continued. */
export interface FilledMemories {
  /** Copies the memory of that many blocks to `path`, and makes it first when nobody has. */
  readonly copyTo: (path: string, blocks: number) => Promise<void>
}

const CHUNK = 10_000

/** Makes filled memories in a folder. */
export function filledMemories(home: string, log: Log): FilledMemories {
  mkdirSync(home, { recursive: true })
  const fileOf = (blocks: number) => join(home, `${blocks}.db`)
  return {
    copyTo: async (path, blocks) => {
      if (!existsSync(fileOf(blocks))) {
        const sizes = readdirSync(home).map((name) => Number(/^(\d+)\.db$/.exec(name)?.[1] ?? 0))
        const from = Math.max(0, ...sizes.filter((size) => size < blocks))
        log(`filling a memory with ${blocks} blocks, from ${from}`)
        if (from > 0) copyFileSync(fileOf(from), fileOf(blocks))
        await grow(fileOf(blocks), from, blocks)
      }
      copyFileSync(fileOf(blocks), path)
    },
  }
}

/** Returns the i-th block: twenty sentences a session, as an agent's work would leave them. */
export function placed(i: number) {
  return { content: sentence(i), session: `session-${Math.floor(i / 20)}` }
}

async function grow(path: string, from: number, until: number): Promise<void> {
  await using memory = await openMemory(path, { embedder: cheapEmbedder(), config: {} })
  await memory.setup({ seed: true })
  for (let next = from; next < until; next += CHUNK) {
    const count = Math.min(CHUNK, until - next)
    await fill(
      memory,
      Array.from({ length: count }, (_, i) => placed(next + i)),
    )
  }
}
