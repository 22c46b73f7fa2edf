import { join } from 'node:path'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/index.ts'
import { type Bench, wholeNumber } from '../lib/bench.ts'
import { type Part, textOf } from '../lib/part.ts'
import { milliseconds } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { sentence } from '../speed/sentences.ts'
import { thinkingModel } from './thinking-model.ts'

/** What a dream with a model that thinks for a while took. */
interface JudgingData {
  readonly blocks: number
  readonly latency: number
  readonly concurrency: number
  readonly calls: number
  readonly pairs: number
  /** Milliseconds of the whole dream, and of the same dream without a model. */
  readonly wall: number
  readonly withoutModel: number
  /** Of writes of another process' connection meanwhile, in ms. */
  readonly writes: number
  readonly slowestWrite: number
}

export const judging: Bench = {
  name: 'judging',
  summary: 'a dream whose model takes its time: calls, how long it takes, and who else can write',
  flags: {
    blocks: { type: 'string', default: '60', description: 'New blocks' },
    latency: { type: 'string', default: '200', description: 'Milliseconds the model takes for an answer' },
  },
  run: async (flags, log) => {
    const blocks = wholeNumber(flags, 'blocks')
    const latency = wholeNumber(flags, 'latency')
    log(`${blocks} blocks, a model that answers in ${latency} ms`)
    const data = await withTemporaryFolder(async (folder) => {
      const withoutModel = await dreamOnce(join(folder, 'rules.db'), { blocks })
      return {
        ...(await dreamOnce(join(folder, 'model.db'), { blocks, latency })),
        withoutModel: withoutModel.wall,
      }
    })
    return { report: textOf(partsOf(data)), data }
  },
  present: partsOf,
}

interface Plan {
  readonly blocks: number
  /** Absent: no model. */
  readonly latency?: number
}

async function dreamOnce(
  path: string,
  { blocks, latency }: Plan,
): Promise<Omit<JudgingData, 'withoutModel'>> {
  const model = latency === undefined ? undefined : thinkingModel(latency)
  const embedder = createHashingEmbedder()
  await using memory = await openMemory(path, {
    embedder,
    ...(model ? { languageModel: model } : {}),
  })
  await memory.rememberMany({
    blocks: Array.from({ length: blocks }, (_, i) => ({ content: sentence(i) })),
  })
  await using other = await openMemory(path, { embedder: createHashingEmbedder() })
  const started = performance.now()
  const dreaming = memory.dream({ maxCount: blocks })
  const written = model ? await writeUntil(other, dreaming) : []
  const dream = await dreaming
  const wall = performance.now() - started
  return {
    blocks,
    latency: latency ?? 0,
    concurrency: 4,
    calls: model?.calls ?? 0,
    pairs: Object.values(dream.labels).reduce((sum, each) => sum + each, 0),
    wall,
    writes: written.length,
    slowestWrite: Math.max(0, ...written),
  }
}

/** Remembers one thing after the other until the dream is over; how long each took. */
async function writeUntil(memory: Memory, dreaming: Promise<unknown>): Promise<number[]> {
  let over = false
  void dreaming.finally(() => {
    over = true
  })
  const took: number[] = []
  while (!over) {
    const started = performance.now()
    await memory.remember({ content: `Noted meanwhile, number ${took.length}` })
    took.push(performance.now() - started)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return took
}

/** The tables of a result. */
function partsOf(data: JudgingData): readonly Part[] {
  const { blocks, pairs, calls, latency, concurrency, wall } = data
  const allowed = blocks / 5 + 1 + pairs / 20
  const limit = (1.5 * calls * latency) / concurrency
  const row = (what: string, wanted: string, measured: string, isKept: boolean) => [
    what,
    wanted,
    measured,
    isKept ? 'kept' : 'MISSED',
  ]
  return [
    {
      name: 'promises',
      body: {
        head: ['promised', 'limit', 'measured', ''],
        rows: [
          row(
            `calls for ${blocks} blocks and ${pairs} pairs`,
            `≤ ${allowed.toFixed(1)}`,
            String(calls),
            calls <= allowed,
          ),
          row(
            'the whole dream',
            `≤ ${limit.toFixed(0)} ms (1.5 × serial time / ${concurrency})`,
            `${milliseconds(wall)} ms`,
            wall <= limit,
          ),
        ],
        textColumns: 2,
      },
    },
    {
      name: 'beside',
      body: {
        head: ['beside it', 'measured'],
        rows: [
          ['the same dream by rules alone', `${milliseconds(data.withoutModel)} ms`],
          ['writes of another connection meanwhile', String(data.writes)],
          ['the slowest of them', `${milliseconds(data.slowestWrite)} ms`],
        ],
        textColumns: 1,
      },
    },
  ]
}
