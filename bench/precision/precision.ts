import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import type { Memory } from '../../src/index.ts'
import { type Bench, folderFlag, pathIn } from '../lib/bench.ts'
import { sharedMiniLm } from '../lib/embedders.ts'
import { withTemporaryFolder } from '../lib/files.ts'
import { dreamAll, openStill } from '../lib/memory.ts'
import { mean } from '../lib/statistics.ts'
import type { Part } from '../lib/table.ts'

/** A case as the harness reports it. */
interface Case {
  readonly relevantBeliefs: readonly string[]
  readonly retrievalPrecision: number | null
  readonly retrievalRecall: number | null
  readonly passed: boolean
}

interface Row {
  readonly name: string
  readonly cases: number
  readonly precision: number
  readonly recall: number
  readonly passed: number
  readonly blocks: number
}

interface Request {
  readonly text?: string
  readonly query?: string
  readonly user_id?: string
  readonly scope?: string
  readonly metadata?: { readonly beliefId: string; readonly scope: string }
}

export const precision: Bench = {
  name: 'precision',
  summary: 'PrecisionMemBench by its own harness: is nothing served that was not asked for?',
  flags: { data: folderFlag('A clone of tenurehq/precisionMemBench after npm install; it stays as it is') },
  run: async (flags, log) => {
    const clone = resolve(pathIn(flags))
    log('running the harness')
    const cases = await withTemporaryFolder((copy) => runHarness(clone, copy))
    const half = (rest: number) => cases.filter((_, i) => i % 2 === rest)
    return [rowOf('all', cases), rowOf('even', half(0)), rowOf('odd', half(1))]
  },
  present: partsOf,
}

/** Runs a copy of the harness that asks this process over HTTP, and returns the cases of its report. */
async function runHarness(folder: string, copy: string): Promise<readonly Case[]> {
  const answer = createAnswers()
  const server = createServer(async (request, response) => {
    response.end(JSON.stringify(await answer(request.url ?? '', await bodyOf(request))))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  for (const part of ['src', 'fixtures', 'package.json'])
    cpSync(join(folder, part), join(copy, part), { recursive: true })
  symlinkSync(join(folder, 'node_modules'), join(copy, 'node_modules'))
  const provider = { envVar: 'ELFMEM_URL', defaultUrl: `http://127.0.0.1:${port}`, seedDelayMs: 0 }
  writeFileSync(join(copy, 'providers.config.json'), JSON.stringify({ elfmem: provider }))
  const ava = join(folder, 'node_modules/.bin/ava')
  const child = spawn(process.execPath, [ava, 'src/retrieval.external.eval.test.ts'], {
    cwd: copy,
    stdio: 'ignore',
    env: { ...process.env, MEMORY_PROVIDER: 'elfmem', RESEED: 'true' },
  })
  // It ends with 1 if a case does not pass, so only its report says whether it ran.
  await once(child, 'exit')
  server.close()
  const report = readFileSync(join(copy, 'test-results/retrieval-report-elfmem.json'), 'utf8')
  return (JSON.parse(report) as { readonly cases: readonly Case[] }).cases
}

async function bodyOf(request: IncomingMessage): Promise<Request> {
  const text = (await request.toArray()).join('')
  return text === '' ? {} : (JSON.parse(text) as Request)
}

/** Keeps a memory for each user and scope, and answers the three calls of the harness. */
function createAnswers() {
  const embedder = sharedMiniLm()
  const memories = new Map<string, Memory>()
  const beliefs = new Map<string, string>()
  const memoryOf = async (user: string, scope: string) => {
    const name = `${user} ${scope}`
    const memory = memories.get(name) ?? (await openStill(':memory:', embedder))
    memories.set(name, memory)
    return memory
  }
  return async (url: string, { text = '', query = '', user_id = '', scope = '', metadata }: Request) => {
    if (url === '/add' && metadata) {
      const memory = await memoryOf(user_id, metadata.scope)
      const { blockId } = await memory.remember({ content: text, session: user_id })
      beliefs.set(blockId, metadata.beliefId)
    }
    if (url !== '/search') return { ok: true }
    const memory = await memoryOf(user_id, scope)
    await dreamAll(memory)
    const { blocks } = await memory.recall({ query, reinforce: false })
    return { results: blocks.map(({ id, content }) => ({ id: beliefs.get(id), memory: content })) }
  }
}

function rowOf(name: string, cases: readonly Case[]): Row {
  const numbers = (values: readonly (number | null)[]) => mean(values.filter((value) => value !== null))
  return {
    name,
    cases: cases.length,
    precision: numbers(cases.map(({ retrievalPrecision }) => retrievalPrecision)),
    recall: numbers(cases.map(({ retrievalRecall }) => retrievalRecall)),
    passed: cases.filter(({ passed }) => passed).length,
    blocks: mean(cases.map(({ relevantBeliefs }) => relevantBeliefs.length)),
  }
}

function partsOf(rows: readonly Row[]): readonly Part[] {
  const cells = rows.map((row) => [
    ...[row.name, String(row.cases), row.precision.toFixed(3), row.recall.toFixed(3)],
    ...[String(row.passed), row.blocks.toFixed(2)],
  ])
  const head = ['cases', 'n', 'precision', 'recall', 'passed', 'beliefs served']
  return [{ name: 'cases', body: { head, rows: cells } }]
}
