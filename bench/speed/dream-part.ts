import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import { type Memory, openMemory, type RememberInput } from '../../src/index.ts'
import { cheapEmbedder } from '../lib/embedders.ts'
import { readData } from '../lib/files.ts'
import { dreamAll, rememberAll } from '../lib/memory.ts'
import { placed } from './filled.ts'

/** The cost of a dream in a memory of one size. */
export interface DreamPart {
  /** Blocks that were there before; 0 is a new file with nothing but the seeds. */
  readonly blocks: number
  /** Blocks a second, hashing embedder, index loaded. */
  readonly perSecond: number
  /** Processor time of this process for each new block, in milliseconds. */
  readonly cpuMilliseconds: number
}

/** Remembers and dreams `count` sentences into the memory at `path`, made when it is missing; changes it. */
export async function measureDream(path: string, blocks: number, count: number): Promise<DreamPart> {
  const sentences = Array.from({ length: count }, (_, i) => placed(blocks + i))
  return { blocks, ...(await dreamt(path, cheapEmbedder(), sentences)) }
}

/** Returns the notes a second that the shipped embedder and the rest of a dream take in. */
export async function measureEmbedder(path: string): Promise<number> {
  const embedder = createMiniLmEmbedder()
  await embedder.embed(['loads the model'])
  const notes = readData<readonly string[]>('notes.json').slice(0, 300)
  const { perSecond } = await dreamt(
    path,
    embedder,
    notes.map((content) => ({ content })),
  )
  await embedder.close()
  return perSecond
}

async function dreamt(path: string, embedder: Embedder, blocks: readonly RememberInput[]) {
  await using memory: Memory = await openMemory(path, { embedder, config: {} })
  await memory.setup({ seed: true })
  await rememberAll(memory, blocks)
  await memory.recall({ query: 'loads the index', reinforce: false })
  const before = process.cpuUsage()
  const { promoted, seconds } = await dreamAll(memory)
  const { user, system } = process.cpuUsage(before)
  return { perSecond: promoted / seconds, cpuMilliseconds: (user + system) / 1000 / promoted }
}
