import { openMemory } from '../../src/index.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { rememberAll } from '../lib/remember-many.ts'
import { cheapEmbedder } from './cheap-embedder.ts'
import { placed } from './filled.ts'
import { questionAbout } from './sentences.ts'

/** What a dream takes in a memory of one size. */
export interface DreamPart {
  /** Blocks that were there before; 0 is a new file with nothing but the seeds. */
  readonly blocks: number
  readonly dreamt: number
  /** Blocks a second, hashing embedder, index loaded. */
  readonly perSecond: number
  /** Processor time of this process for each new block, in milliseconds. */
  readonly cpuMilliseconds: number
}

/** Remembers and dreams `count` sentences into the memory at `path`, made when it is missing; changes it. */
export async function measureDream(
  path: string,
  { blocks, count }: { readonly blocks: number; readonly count: number },
): Promise<DreamPart> {
  await using memory = await openMemory(path, { embedder: cheapEmbedder(), config: {} })
  await memory.setup({ seed: true })
  await rememberAll(
    memory,
    Array.from({ length: count }, (_, i) => placed(blocks + i)),
  )
  await memory.recall({ query: questionAbout(1), reinforce: false })
  const before = process.cpuUsage()
  const { promoted, seconds } = await dreamAll(memory)
  const { user, system } = process.cpuUsage(before)
  return {
    blocks,
    dreamt: promoted,
    perSecond: promoted / seconds,
    cpuMilliseconds: (user + system) / 1000 / promoted,
  }
}
