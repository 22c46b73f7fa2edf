import type { Part } from '../lib/part.ts'
import { milliseconds, type Table } from '../lib/table.ts'
import type { DreamPart } from './dream-part.ts'
import type { EmbedderPart } from './embedder-part.ts'
import { type EnginePart, FRAMES } from './engine-part.ts'
import type { ProcessPart } from './process-part.ts'
import { promiseTable } from './promises.ts'
import type { SpeedData } from './speed.ts'
import { p50p95, p50p95max } from './timed.ts'

type Rows<T> = readonly (readonly [name: string, cell: (part: T) => string])[]

/** The tables of a result. */
export function partsOf(data: SpeedData): readonly Part[] {
  const { engine, dream, embedder, processes, note } = data
  const parts: Part[] = []
  if (engine.length > 0)
    parts.push({
      name: 'engine',
      title: 'The engine, question vectors given',
      body: columns('ms p50 / p95 / longest', engine, ENGINE_ROWS),
    })
  if (dream.length > 0)
    parts.push({ name: 'dream', title: 'A dream, vectors hashed, index loaded', body: dreamTable(dream) })
  if (embedder) parts.push({ name: 'embedder', body: embedderTable(embedder) })
  if (processes.length > 0)
    parts.push({
      name: 'processes',
      title: 'Whole processes, the shipped embedder',
      body: columns('ms p50 / p95', processes, PROCESS_ROWS),
    })
  const promises = promiseTable(data)
  if (promises.rows.length > 0) parts.push({ name: 'promises', body: promises })
  if (note !== undefined) parts.push({ name: 'note', body: note })
  return parts
}

const ENGINE_ROWS: Rows<EnginePart> = [
  ['remember', ({ remember }) => p50p95max(remember)],
  ['rememberMany, blocks/s', ({ rememberMany }) => rememberMany.toFixed(0)],
  ...FRAMES.map(
    (frame) => [`recall ${frame}`, ({ recall }: EnginePart) => p50p95max(recall[frame])] as const,
  ),
  ...FRAMES.map(
    (frame) =>
      [`recall ${frame}, reinforce false`, ({ look }: EnginePart) => p50p95max(look[frame])] as const,
  ),
  ['recall attention, processor time', ({ recallCpu }) => milliseconds(recallCpu)],
  ['outcome of three blocks', ({ outcome }) => p50p95max(outcome)],
  ['connect', ({ connect }) => p50p95max(connect)],
  [
    'curate, then again',
    ({ curate, curateAgain }) => `${milliseconds(curate)}, ${milliseconds(curateAgain)}`,
  ],
  ['open', ({ open }) => p50p95max(open)],
  ['first recall, loads the index', ({ firstRecall }) => p50p95max(firstRecall)],
  ['statements a recall', ({ statementsPerRecall }) => statementsPerRecall.toFixed(1)],
  ['file, MB', ({ fileMegabytes }) => fileMegabytes.toFixed(1)],
]

const megabytes = (value: number | undefined) => value?.toFixed(0) ?? 'not told here'

const PROCESS_ROWS: Rows<ProcessPart> = [
  ['elfmem status', ({ status }) => p50p95(status)],
  ['elfmem recall', ({ recall }) => p50p95(recall)],
  ['MCP handshake', ({ handshake }) => p50p95(handshake)],
  ['MCP ping, warm server', ({ serverPing }) => p50p95(serverPing)],
  ['MCP recall, warm server', ({ serverRecall }) => p50p95(serverRecall)],
  ['server peak memory, MB', ({ serverMegabytes }) => megabytes(serverMegabytes)],
]

function columns<T extends { readonly blocks: number }>(
  head: string,
  parts: readonly T[],
  rows: Rows<T>,
): Table {
  return {
    head: [head, ...parts.map(({ blocks }) => `${blocks.toLocaleString('en')} blocks`)],
    rows: rows.map(([name, cell]) => [name, ...parts.map(cell)]),
  }
}

function dreamTable(parts: readonly DreamPart[]): Table {
  return {
    head: ['blocks before', 'dreamt', 'blocks/s', 'ms a block', 'processor ms a block'],
    rows: parts.map(({ blocks, dreamt, perSecond, cpuMilliseconds }) => [
      blocks.toLocaleString('en'),
      dreamt.toLocaleString('en'),
      perSecond.toFixed(0),
      (1000 / perSecond).toFixed(2),
      cpuMilliseconds.toFixed(2),
    ]),
    textColumns: 0,
  }
}

function embedderTable({ load, embedQuestion, recallWhole, dream, embedOnly }: EmbedderPart): Table {
  return {
    head: ['the shipped embedder', ''],
    rows: [
      ['start, load, first text, ms', milliseconds(load)],
      ['a question embedded, ms p50 / p95', p50p95(embedQuestion)],
      ['recall whole at 300 blocks, ms p50 / p95', p50p95(recallWhole)],
      ['dream, blocks/s', dream.toFixed(0)],
      ['embedding alone, texts/s', embedOnly.toFixed(0)],
    ],
  }
}
