/**
 * Prints how many files and named functions of `src` one call of each operation of a day runs through, as JSON. It is a
 * process of its own, so that nothing else is counted. V8 counts the calls in a small memory that has done all of it before.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { type Profiler, Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Memory, openMemory } from '../../src/index.ts'

const SRC = new URL('../../src/', import.meta.url).href

const FACTS = [
  'Staging listens on port 4210.',
  'The deploy script needs a VPN.',
  'Anna prefers tea in the morning.',
  'The cache is warmed at midnight.',
  'Invoices are sent on the first of the month.',
  'Tests run on two machines.',
]

/** Calls everything before it is counted, so that what only a first call loads is not. */
async function warm(memory: Memory): Promise<void> {
  for (const content of FACTS) await memory.remember({ content })
  await memory.dream()
  const { blockIds } = await memory.recall({ query: 'which port does staging listen on' })
  await memory.outcome({ helped: blockIds.slice(0, 1) })
  await memory.remember({ content: 'Backups are kept for a month.' })
  await memory.dream()
  await memory.recall({ query: 'deploy' })
}

/** Asks until no block lacks a vector, so that the dream that is counted finds what a rest in between leaves it. */
async function embedWaiting(memory: Memory): Promise<void> {
  const query = 'how many cores does staging have'
  while ((await memory.recall({ query, reinforce: false })).waitingWithoutVector !== undefined);
}

/** Number of functions that were called; the first one is the module itself when it has no name. */
function calledIn({ functions }: Profiler.ScriptCoverage): number {
  const isFunction = (name: string, i: number) => name !== '' || i > 0
  const called = functions.filter(
    ({ functionName, ranges }, i) => isFunction(functionName, i) && (ranges[0]?.count ?? 0) > 0,
  )
  return called.length
}

async function countOf(session: Session, work: () => Promise<unknown>) {
  await session.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const counts = result.filter(({ url }) => url.startsWith(SRC)).map(calledIn)
  const files = counts.filter((count) => count > 0)
  return { files: files.length, functions: files.reduce((sum, count) => sum + count, 0) }
}

const folder = mkdtempSync(join(tmpdir(), 'elfmem-runs-'))
const session = new Session()
try {
  await using memory = await openMemory(join(folder, 'memory.db'))
  await warm(memory)
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  let blockIds: readonly string[] = []
  const remember = await countOf(session, () =>
    memory.remember({ content: 'The staging host has eight cores.' }),
  )
  await embedWaiting(memory)
  const dream = await countOf(session, () => memory.dream())
  const recall = await countOf(session, async () => {
    blockIds = (await memory.recall({ query: 'how many cores does staging have' })).blockIds
  })
  const outcome = await countOf(session, () => memory.outcome({ helped: blockIds.slice(0, 2) }))
  process.stdout.write(JSON.stringify({ remember, dream, recall, outcome }))
} finally {
  session.disconnect()
  rmSync(folder, { recursive: true, force: true })
}
