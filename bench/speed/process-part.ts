import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { peakMegabytes } from '../lib/process-memory.ts'
import { questionAbout } from './sentences.ts'
import { type Timing, timeEach } from './timed.ts'

/** Whole processes of the built command over one memory file. Times in milliseconds. */
export interface ProcessPart {
  readonly blocks: number
  readonly status: Timing
  readonly recall: Timing
  readonly handshake: Timing
  /** The protocol alone: a message to a warm server and its answer. */
  readonly serverPing: Timing
  /** Over MCP, embedding included, answered by a warm server. */
  readonly serverRecall: Timing
  /** Peak resident memory of the server after its recalls; absent where the system does not tell. */
  readonly serverMegabytes?: number
}

export interface ProcessRun {
  readonly bin: string
  /** The memory file; the commands write their recalls into it. */
  readonly path: string
  /** A folder that stands for the user's home. */
  readonly home: string
  readonly blocks: number
  /** Starts of each command. */
  readonly runs: number
}

const SERVER_RECALLS = 50
const run = promisify(execFile)

/** Starts the command and the server several times each. */
export async function measureProcesses({ bin, path, home, blocks, runs }: ProcessRun): Promise<ProcessPart> {
  const env = { PATH: process.env.PATH ?? '', HOME: home }
  const elfmem = (...args: string[]) =>
    run(process.execPath, [bin, ...args, '--db', path], { env, cwd: home })
  // The first start compiles; every later one reads what was compiled.
  await elfmem('status')
  const starts = Array.from({ length: runs }, (_, i) => i)
  const status = await timeEach(starts, () => elfmem('status'))
  await elfmem('recall', questionAbout(0))
  const recall = await timeEach(starts, (i) => elfmem('recall', questionAbout(i + 1)))
  const handshake = await timeEach(starts, async () => {
    const { client } = await connect(bin, { path, home, env })
    await client.close()
  })
  return { blocks, status, recall, handshake, ...(await measureServer(bin, { path, home, env, blocks })) }
}

interface Place {
  readonly path: string
  readonly home: string
  readonly env: Record<string, string>
}

async function connect(bin: string, { path, home, env }: Place) {
  const client = new Client({ name: 'elfmem-bench', version: '0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'serve', '--quiet', '--db', path],
    env,
    cwd: home,
  })
  await client.connect(transport)
  return { client, pid: transport.pid }
}

async function measureServer(
  bin: string,
  { blocks, ...place }: Place & { readonly blocks: number },
): Promise<Pick<ProcessPart, 'serverPing' | 'serverRecall' | 'serverMegabytes'>> {
  const { client, pid } = await connect(bin, place)
  const ask = (i: number) =>
    client.callTool({ name: 'elfmem_recall', arguments: { query: questionAbout((i * 31) % blocks) } })
  try {
    await ask(1)
    const serverRecall = await timeEach(
      Array.from({ length: SERVER_RECALLS }, (_, i) => i + 2),
      ask,
    )
    const serverPing = await timeEach(
      Array.from({ length: SERVER_RECALLS }, (_, i) => i),
      () => client.ping(),
    )
    const megabytes = pid ? peakMegabytes(pid) : undefined
    return { serverPing, serverRecall, ...(megabytes === undefined ? {} : { serverMegabytes: megabytes }) }
  } finally {
    await client.close()
  }
}
