import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Bench, listOf } from '../lib/bench.ts'
import { milliseconds, table } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { type EmbedderPart, measureEmbedder } from './embedder-part.ts'
import { type EnginePart, measureEngine } from './engine-part.ts'
import { measureProcesses, type ProcessPart } from './process-part.ts'
import type { Timing } from './timed.ts'

const PARTS = ['engine', 'embedder', 'process'] as const
type Part = (typeof PARTS)[number]

interface Measured {
  readonly engine: readonly EnginePart[]
  readonly embedder?: EmbedderPart
  readonly processes: readonly ProcessPart[]
  readonly note?: string
}

export const speed: Bench = {
  name: 'speed',
  summary: 'what every operation, the shipped embedder and whole processes cost',
  flags: {
    sizes: { type: 'string', default: '1000,10000', description: 'Blocks in memory, ascending' },
    only: { type: 'string', description: `Comma-separated parts: ${PARTS.join(', ')}; all by default` },
    bin: { type: 'string', description: 'The built command; dist/bin.js by default' },
  },
  run: async (flags, log) => {
    const only = listOf(flags, 'only')
    const measured = await withTemporaryFolder((folder) =>
      measure({
        folder,
        log,
        sizes: sizesOf(listOf(flags, 'sizes')),
        wants: (part) => only.length === 0 || only.includes(part),
        bin: typeof flags.bin === 'string' ? flags.bin : BUILT,
      }),
    )
    return { report: reportOf(measured), data: measured }
  },
}

const BUILT = fileURLToPath(new URL('../../dist/bin.js', import.meta.url))

interface Wanted {
  readonly folder: string
  readonly sizes: readonly number[]
  readonly wants: (part: Part) => boolean
  readonly bin: string
  readonly log: (line: string) => void
}

async function measure({ folder, sizes, wants, bin, log }: Wanted): Promise<Measured> {
  const embedder = wants('embedder') ? await measureEmbedder(join(folder, 'embedder.db')) : undefined
  const built = wants('process') && existsSync(bin)
  const engine: EnginePart[] = []
  const processes: ProcessPart[] = []
  // The processes need the memories that the engine part leaves.
  for (const blocks of wants('engine') || built ? sizes : []) {
    const path = join(folder, `${blocks}.db`)
    engine.push(await measureEngine(path, blocks, log))
    if (!built) continue
    log(`${blocks} blocks: whole processes`)
    const home = join(folder, `home-${blocks}`)
    mkdirSync(home)
    processes.push(await measureProcesses({ bin, path, home, blocks }))
  }
  return {
    engine: wants('engine') ? engine : [],
    ...(embedder ? { embedder } : {}),
    processes,
    ...(wants('process') && !built
      ? { note: `${bin} is missing, so whole processes were not measured (npm run build)` }
      : {}),
  }
}

function sizesOf(given: readonly string[]): number[] {
  const sizes = given.map(Number)
  if (sizes.length === 0 || sizes.some((size) => !Number.isInteger(size) || size < 100))
    throw new Error('--sizes wants whole numbers of 100 or more')
  return sizes.sort((a, b) => a - b)
}

function reportOf({ engine, embedder, processes, note }: Measured): string {
  const parts: string[] = []
  if (engine.length > 0)
    parts.push(columns('the engine, question vectors given (ms p50 / p95)', engine, ENGINE_ROWS))
  if (embedder) parts.push(embedderTable(embedder))
  if (processes.length > 0)
    parts.push(columns('whole processes, the shipped embedder (ms p50 / p95)', processes, PROCESS_ROWS))
  if (note !== undefined) parts.push(note)
  return parts.join('\n\n')
}

type Rows<T> = readonly (readonly [name: string, cell: (part: T) => string])[]

const both = ({ p50, p95 }: Timing) => `${milliseconds(p50)} / ${milliseconds(p95)}`

const ENGINE_ROWS: Rows<EnginePart> = [
  ['remember', ({ remember }) => both(remember)],
  ['recall attention', ({ recall }) => both(recall.attention)],
  ['recall attention, reinforce false', ({ recall }) => both(recall.attentionLook)],
  ['recall task', ({ recall }) => both(recall.task)],
  ['recall simulate', ({ recall }) => both(recall.simulate)],
  ['recall self', ({ recall }) => both(recall.self)],
  ['outcome, 3 blocks', ({ outcome }) => both(outcome)],
  ['curate', ({ curate }) => milliseconds(curate)],
  ['open + first recall', ({ openAndRecall }) => milliseconds(openAndRecall)],
  ['dream, blocks/s', ({ dream }) => dream.toFixed(0)],
  ['statements a recall', ({ statementsPerRecall }) => statementsPerRecall.toFixed(1)],
  ['peak memory of this process, MB', ({ peakMegabytes }) => peakMegabytes.toFixed(0)],
]

const PROCESS_ROWS: Rows<ProcessPart> = [
  ['elfmem status', ({ status }) => both(status)],
  ['elfmem recall', ({ recall }) => both(recall)],
  ['MCP handshake', ({ handshake }) => both(handshake)],
  ['MCP recall, warm server', ({ serverRecall }) => both(serverRecall)],
  ['server peak memory, MB', ({ serverMegabytes }) => serverMegabytes?.toFixed(0) ?? 'not told here'],
]

function columns<T extends { readonly blocks: number }>(
  head: string,
  parts: readonly T[],
  rows: Rows<T>,
): string {
  return table(
    [head, ...parts.map(({ blocks }) => `${blocks} blocks`)],
    rows.map(([name, cell]) => [name, ...parts.map(cell)]),
  )
}

function embedderTable({ load, embedQuestion, recallWhole, dream, embedOnly }: EmbedderPart): string {
  return table(
    ['the shipped embedder', ''],
    [
      ['start, load, first text, ms', milliseconds(load)],
      ['a question embedded, ms p50 / p95', both(embedQuestion)],
      ['recall whole at 300 blocks, ms p50 / p95', both(recallWhole)],
      ['dream, blocks/s', dream.toFixed(0)],
      ['embedding alone, texts/s', embedOnly.toFixed(0)],
    ],
  )
}
