import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openMemory } from '../../src/index.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { rememberAll } from '../lib/remember-many.ts'
import { cheapEmbedder } from './cheap-embedder.ts'
import { sentence } from './sentences.ts'

/** Memories full of sentences, each made once: a larger one is the next smaller one, continued. */
export interface FilledMemories {
  /** Copies the memory of that many blocks to `path`, and makes it first when nobody has. */
  readonly copyTo: (path: string, blocks: number) => Promise<void>
}

const CHUNK = 10_000
/** Makes filled memories in a folder. */
export function filledMemories(home: string, log: (line: string) => void): FilledMemories {
  mkdirSync(home, { recursive: true })
  const fileOf = (blocks: number) => join(home, `${blocks}.db`)
  return {
    copyTo: async (path, blocks) => {
      if (!existsSync(fileOf(blocks))) await fill(home, blocks, log)
      copyFileSync(fileOf(blocks), path)
    },
  }
}

/** Twenty sentences a session, as an agent's work would leave them. */
export function placed(i: number) {
  return { content: sentence(i), session: `session-${Math.floor(i / 20)}` }
}

async function fill(home: string, blocks: number, log: (line: string) => void): Promise<void> {
  const smaller = readdirSync(home)
    .flatMap((name) => /^(\d+)\.db$/.exec(name)?.[1] ?? [])
    .map(Number)
    .filter((size) => size < blocks)
  const from = Math.max(0, ...smaller)
  const working = join(home, `${blocks}.db`)
  if (from > 0) copyFileSync(join(home, `${from}.db`), working)
  log(`filling a memory with ${blocks} blocks, from ${from}`)
  await using memory = await openMemory(working, { embedder: cheapEmbedder(), config: {} })
  await memory.setup({ seed: true })
  for (let next = from; next < blocks; ) {
    const until = Math.min(next + CHUNK, blocks)
    await rememberAll(
      memory,
      Array.from({ length: until - next }, (_, i) => placed(next + i)),
    )
    await dreamAll(memory)
    next = until
  }
}
