import { mkdtempSync, rmSync } from 'node:fs'
import { type Profiler, Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Memory } from '../../src/memory.ts'

/** What one operation ran through: the files of `src`, each with the number of its functions that were called. */
export interface Run {
  readonly name: string
  readonly files: ReadonlyMap<string, number>
  readonly functions: number
}

type Recorder = (work: () => Promise<unknown>) => Promise<ReadonlyMap<string, number>>

const FACTS = [
  'Staging listens on port 4210.',
  'The deploy script needs a VPN.',
  'Anna prefers tea in the morning.',
  'The cache is warmed at midnight.',
  'Invoices are sent on the first of the month.',
  'Tests run on two machines.',
]

/** Calls everything twice, so that what only the first call loads is not counted. */
async function warm(memory: Memory): Promise<void> {
  for (const content of FACTS) await memory.remember({ content })
  await memory.dream()
  const { blockIds } = await memory.recall({ query: 'which port does staging listen on' })
  await memory.outcome({ helped: blockIds.slice(0, 1) })
  await memory.remember({ content: 'Backups are kept for a month.' })
  await memory.dream()
  await memory.recall({ query: 'deploy' })
}

/** How many were called; the first one is the module itself when it has no name. */
function calledIn(functions: readonly Profiler.FunctionCoverage[]): number {
  return functions.filter(
    ({ functionName, ranges }, i) => (functionName !== '' || i > 0) && (ranges[0]?.count ?? 0) > 0,
  ).length
}

/** Starts V8's precise coverage; a recording holds what was called while its work ran, in this thread. */
async function startRecorder(session: Session, src: string): Promise<Recorder> {
  const start = pathToFileURL(join(src, '/')).href
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  return async (work) => {
    await session.post('Profiler.takePreciseCoverage')
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const called = result
      .filter(({ url }) => url.startsWith(start))
      .map(({ url, functions }) => [url.slice(start.length), calledIn(functions)] as const)
    return new Map(called.filter(([, count]) => count > 0).sort())
  }
}

async function recordRuns(memory: Memory, record: Recorder): Promise<readonly Run[]> {
  let blockIds: readonly string[] = []
  const works: Readonly<Record<string, () => Promise<unknown>>> = {
    remember: () => memory.remember({ content: 'The staging host has eight cores.' }),
    dream: () => memory.dream(),
    recall: async () => {
      blockIds = (await memory.recall({ query: 'how many cores does staging have' })).blockIds
    },
    outcome: () => memory.outcome({ helped: blockIds.slice(0, 2) }),
  }
  const runs: Run[] = []
  for (const [name, work] of Object.entries(works)) {
    const files = await record(work)
    runs.push({ name, files, functions: [...files.values()].reduce((a, b) => a + b, 0) })
  }
  return runs
}

/** Runs the four operations of a day on a memory in a temporary folder; takes some seconds. */
export async function measureRuns(src: string): Promise<readonly Run[]> {
  const { openMemory } = await import('../../src/index.ts')
  const folder = mkdtempSync(join(tmpdir(), 'elfmem-counts-'))
  const session = new Session()
  try {
    await using memory = await openMemory(join(folder, 'memory.db'))
    await warm(memory)
    session.connect()
    return await recordRuns(memory, await startRecorder(session, src))
  } finally {
    session.disconnect()
    rmSync(folder, { recursive: true, force: true })
  }
}
