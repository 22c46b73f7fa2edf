import { execFile, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs, promisify } from 'node:util'
import { openMemory } from '../../src/index.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { rememberAll } from '../lib/remember-many.ts'
import { median } from '../lib/statistics.ts'
import { table } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { placed } from './filled.ts'
import { questionAbout } from './sentences.ts'

/**
 * Whole processes of this built command against those of another one, in turn, over one memory with the built-in model.
 * `npm run build && node bench/speed/starting.ts OTHER/dist/bin.js [--blocks 10000] [--runs 15]`. Prints wall times in
 * milliseconds, those of Node alone beside them, and the median of the ratios of neighbouring starts.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { blocks: { type: 'string', default: '10000' }, runs: { type: 'string', default: '15' } },
})
const [other] = positionals
if (other === undefined) throw new Error('Name the built bin.js of another version.')
const [BLOCKS, RUNS] = [Number(values.blocks), Number(values.runs)]

const MESSAGES = [
  {
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'elfmem-bench', version: '0' },
    },
  },
  { id: 2, method: 'tools/list' },
].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

const run = promisify(execFile)

type Start = (bin: string, round: number) => Promise<unknown>

await withTemporaryFolder(async (folder) => {
  const path = `${folder}/memory.db`
  const env = { PATH: process.env.PATH ?? '', HOME: folder }
  await fill(path)
  const elfmem = (bin: string, ...args: string[]) =>
    run(process.execPath, [bin, ...args, '--db', path], { env, cwd: folder })
  const starts: readonly (readonly [string, Start])[] = [
    ['node alone', () => run(process.execPath, ['-e', '0'], { env })],
    ['elfmem status', (bin) => elfmem(bin, 'status')],
    ['elfmem recall', (bin, round) => elfmem(bin, 'recall', questionAbout(round))],
    ['first answer of MCP to tools/list', (bin) => toolsOf(bin, path, env)],
  ]
  const rows: string[][] = []
  for (const [name, start] of starts) rows.push([name, ...(await compared(start))])
  console.log(table(['', 'before, ms', 'now, ms', 'pairs'], rows))
})

async function fill(path: string): Promise<void> {
  await using memory = await openMemory(path, { config: { memory: { autoDream: 'off' } } })
  await rememberAll(
    memory,
    Array.from({ length: BLOCKS }, (_, i) => placed(i)),
  )
  await dreamAll(memory)
}

/** Both in turn; the first start of each, which compiles, is not counted. */
async function compared(start: Start): Promise<string[]> {
  const sides = [other as string, 'dist/bin.js'].map((bin) => ({ bin: resolve(bin), times: [] as number[] }))
  for (let round = -1; round < RUNS; round += 1)
    for (const { bin, times } of round % 2 === 0 ? sides : sides.toReversed()) {
      const begun = performance.now()
      await start(bin, round + 1)
      if (round >= 0) times.push(performance.now() - begun)
    }
  const [before = [], now = []] = sides.map(({ times }) => times)
  const ratios = now.map((time, i) => time / (before[i] as number))
  return [median(before).toFixed(0), median(now).toFixed(0), median(ratios).toFixed(2)]
}

/** Starts a server, shakes hands and asks for the tools, as each client does; resolves with the answer. */
async function toolsOf(bin: string, path: string, env: NodeJS.ProcessEnv): Promise<void> {
  const server = spawn(process.execPath, [bin, 'serve', '-q', '--db', path], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  for (const message of MESSAGES) server.stdin.write(message)
  let answers = 0
  for await (const _ of createInterface({ input: server.stdout })) {
    answers += 1
    if (answers === MESSAGES.length) break
  }
  server.kill('SIGKILL')
}
