import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Bench, type FlagValues, listOf, namesIn, wholeNumber } from '../lib/bench.ts'
import { textOf } from '../lib/part.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { type DreamPart, measureDream } from './dream-part.ts'
import { type EmbedderPart, measureEmbedder } from './embedder-part.ts'
import { type EnginePart, measureEngine } from './engine-part.ts'
import { type FilledMemories, filledMemories } from './filled.ts'
import { partsOf } from './present.ts'
import { measureProcesses, type ProcessPart } from './process-part.ts'

const PARTS = ['engine', 'dream', 'embedder', 'process'] as const
type PartName = (typeof PARTS)[number]

/** Everything the bench measured. */
export interface SpeedData {
  readonly engine: readonly EnginePart[]
  readonly dream: readonly DreamPart[]
  readonly embedder?: EmbedderPart
  readonly processes: readonly ProcessPart[]
  readonly note?: string
}

const DIST = fileURLToPath(new URL('../../dist', import.meta.url))

export const speed: Bench = {
  name: 'speed',
  summary: 'what every operation, the shipped embedder and whole processes cost',
  flags: {
    sizes: { type: 'string', default: '1000,10000,100000', description: 'Blocks in memory' },
    'dream-sizes': {
      type: 'string',
      default: '0,1000,10000,50000,100000',
      description: 'Blocks in memory before a dream',
    },
    dreamt: { type: 'string', default: '1000', description: 'Blocks dreamt at each of these sizes' },
    runs: { type: 'string', default: '7', description: 'Processes started of each kind' },
    only: { type: 'string', description: `Comma-separated parts: ${PARTS.join(', ')}; all by default` },
  },
  run: async (flags, log) => {
    const data = await withTemporaryFolder((folder) =>
      measure(wantedOf(flags, { folder, filled: filledMemories(join(folder, 'filled'), log), log })),
    )
    return { report: textOf(partsOf(data)), data }
  },
  present: partsOf,
}

interface Wanted {
  readonly folder: string
  readonly filled: FilledMemories
  readonly sizes: readonly number[]
  readonly dreamSizes: readonly number[]
  readonly dreamt: number
  readonly runs: number
  readonly wants: (part: PartName) => boolean
  readonly log: (line: string) => void
}

function wantedOf(flags: FlagValues, place: Pick<Wanted, 'folder' | 'filled' | 'log'>): Wanted {
  const only = namesIn(flags, 'only', PARTS)
  return {
    ...place,
    sizes: sizesOf(flags, 'sizes', 100),
    dreamSizes: sizesOf(flags, 'dream-sizes', 0),
    dreamt: wholeNumber(flags, 'dreamt'),
    runs: wholeNumber(flags, 'runs'),
    wants: (part) => only.length === 0 || only.includes(part),
  }
}

function sizesOf(flags: FlagValues, name: string, least: number): number[] {
  const sizes = listOf(flags, name).map(Number)
  if (sizes.length === 0 || sizes.some((size) => !Number.isInteger(size) || size < least))
    throw new Error(`--${name} wants whole numbers of ${least} or more`)
  return sizes.sort((a, b) => a - b)
}

async function measure(wanted: Wanted): Promise<SpeedData> {
  const { folder, wants, log } = wanted
  const bin = join(DIST, 'bin.js')
  const built = existsSync(bin)
  const embedder = wants('embedder') ? await measureEmbedder(join(folder, 'embedder.db')) : undefined
  const dream = wants('dream') ? await dreams(wanted) : []
  const engine: EnginePart[] = []
  const processes: ProcessPart[] = []
  for (const blocks of wanted.sizes) {
    const path = join(folder, `${blocks}.db`)
    await wanted.filled.copyTo(path, blocks)
    if (wants('process') && built) {
      log(`${blocks} blocks: the command and the server`)
      const home = join(folder, `home-${blocks}`)
      mkdirSync(home)
      processes.push(await measureProcesses({ bin, path, home, blocks, runs: wanted.runs }))
    }
    if (wants('engine')) {
      log(`${blocks} blocks: every operation`)
      engine.push(await measureEngine(path, blocks, wanted.runs))
    }
  }
  const missing = !built && wants('process')
  return {
    engine,
    dream,
    ...(embedder ? { embedder } : {}),
    processes,
    ...(missing
      ? { note: 'The built command is missing (npm run build), so processes were not measured.' }
      : {}),
  }
}

async function dreams({ folder, filled, dreamSizes, dreamt, log }: Wanted): Promise<DreamPart[]> {
  const parts: DreamPart[] = []
  for (const blocks of dreamSizes) {
    log(`${blocks} blocks: dreaming ${dreamt} more`)
    const path = join(folder, `dream-${blocks}.db`)
    if (blocks > 0) await filled.copyTo(path, blocks)
    parts.push(await measureDream(path, { blocks, count: dreamt }))
  }
  return parts
}
