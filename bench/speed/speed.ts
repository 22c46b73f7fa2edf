import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Bench, type FlagValues, listOf, wholeNumber } from '../lib/bench.ts'
import { textOf } from '../lib/part.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { type DreamPart, measureDream } from './dream-part.ts'
import { type EmbedderPart, measureEmbedder } from './embedder-part.ts'
import { type Effort, type EnginePart, measureEngine } from './engine-part.ts'
import { type FilledMemories, filledMemories } from './filled.ts'
import { type FreshPart, measureFresh } from './fresh-part.ts'
import { partsOf } from './present.ts'
import { measureProcesses, type ProcessPart } from './process-part.ts'

const PARTS = ['engine', 'dream', 'fresh', 'embedder', 'process'] as const
type PartName = (typeof PARTS)[number]

/** Everything the bench measured. */
export interface SpeedData {
  readonly engine: readonly EnginePart[]
  readonly dream: readonly DreamPart[]
  readonly fresh: readonly FreshPart[]
  readonly embedder?: EmbedderPart
  readonly processes: readonly ProcessPart[]
  readonly note?: string
}

const BUILT = fileURLToPath(new URL('../../dist/bin.js', import.meta.url))

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
    questions: { type: 'string', default: '200', description: 'Recalls timed of each kind' },
    writes: { type: 'string', default: '500', description: 'Calls of remember timed' },
    runs: { type: 'string', default: '7', description: 'Processes started of each kind' },
    only: { type: 'string', description: `Comma-separated parts: ${PARTS.join(', ')}; all by default` },
    bin: { type: 'string', place: 'FILE', description: 'The built command; dist/bin.js by default' },
  },
  run: async (flags, log) => {
    const data = await withTemporaryFolder((folder) =>
      measure(wantedOf(flags, { folder, filled: filledMemories(join(folder, 'filled'), log), log })),
    )
    return { report: textOf(partsOf(data)), data }
  },
  present: partsOf,
}

interface Place {
  readonly folder: string
  readonly filled: FilledMemories
  readonly log: (line: string) => void
}

interface Wanted extends Place {
  readonly sizes: readonly number[]
  readonly dreamSizes: readonly number[]
  readonly dreamt: number
  readonly runs: number
  readonly effort: Effort
  readonly wants: (part: PartName) => boolean
  readonly bin: string
}

function wantedOf(flags: FlagValues, place: Place): Wanted {
  const only = listOf(flags, 'only')
  const unknown = only.filter((name) => !(PARTS as readonly string[]).includes(name))
  if (unknown.length > 0) throw new Error(`--only knows ${PARTS.join(', ')}; not ${unknown.join(', ')}`)
  const runs = wholeNumber(flags, 'runs')
  return {
    ...place,
    sizes: sizesOf(flags, 'sizes', 100),
    dreamSizes: sizesOf(flags, 'dream-sizes', 0),
    dreamt: wholeNumber(flags, 'dreamt'),
    runs,
    effort: {
      questions: wholeNumber(flags, 'questions'),
      writes: wholeNumber(flags, 'writes'),
      openings: runs,
    },
    wants: (part) => only.length === 0 || only.includes(part),
    bin: typeof flags.bin === 'string' ? flags.bin : BUILT,
  }
}

function sizesOf(flags: FlagValues, name: string, least: number): number[] {
  const sizes = listOf(flags, name).map(Number)
  if (sizes.length === 0 || sizes.some((size) => !Number.isInteger(size) || size < least))
    throw new Error(`--${name} wants whole numbers of ${least} or more`)
  return sizes.sort((a, b) => a - b)
}

async function measure(wanted: Wanted): Promise<SpeedData> {
  const { folder, wants, bin, log } = wanted
  const built = existsSync(bin)
  const embedder = wants('embedder') ? await measureEmbedder(join(folder, 'embedder.db')) : undefined
  const dream = wants('dream') ? await dreams(wanted) : []
  const engine: EnginePart[] = []
  const fresh: FreshPart[] = []
  const processes: ProcessPart[] = []
  for (const blocks of wanted.sizes) {
    const path = join(folder, `${blocks}.db`)
    await wanted.filled.copyTo(path, blocks)
    if (wants('fresh') && built) {
      log(`${blocks} blocks: new processes`)
      const library = join(dirname(bin), 'index.js')
      fresh.push(await measureFresh({ library, path, folder, blocks, runs: wanted.runs }))
    }
    if (wants('process') && built) {
      log(`${blocks} blocks: the command and the server`)
      const home = join(folder, `home-${blocks}`)
      mkdirSync(home)
      processes.push(await measureProcesses({ bin, path, home, blocks, runs: wanted.runs }))
    }
    if (wants('engine')) {
      log(`${blocks} blocks: every operation`)
      engine.push(await measureEngine(path, blocks, wanted.effort))
    }
  }
  const missing = !built && (wants('process') || wants('fresh'))
  return {
    engine,
    dream,
    fresh,
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
