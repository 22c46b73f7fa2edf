import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { peakMegabytes } from '../lib/files.ts'
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
  /** Peak resident memory of the server after its recalls; 0 where the system does not tell. */
  readonly serverMegabytes: number
}

interface ProcessRun {
  readonly bin: string
  /** The memory file; the commands write their recalls into it. */
  readonly path: string
  /** A folder that stands for the user's home. */
  readonly home: string
  readonly blocks: number
  /** Starts of each command. */
  readonly runs: number
}

const SERVER_CALLS = 50
const run = promisify(execFile)

/** Starts the command and the server several times each. */
export async function measureProcesses({ bin, path, home, blocks, runs }: ProcessRun): Promise<ProcessPart> {
  const place = { env: { PATH: process.env.PATH ?? '', HOME: home }, cwd: home }
  const elfmem = (...args: string[]) => run(process.execPath, [bin, ...args, '--db', path], place)
  // The first start compiles; every later one reads what was compiled.
  await elfmem('status')
  const starts = Array.from({ length: runs }, (_, i) => i)
  const status = await timeEach(starts, () => elfmem('status'))
  await elfmem('recall', questionAbout(0))
  const recall = await timeEach(starts, (i) => elfmem('recall', questionAbout(i + 1)))
  const connect = async () => {
    const client = new Client({ name: 'elfmem-bench', version: '0' })
    const args = [bin, 'serve', '--quiet', '--db', path]
    const transport = new StdioClientTransport({ command: process.execPath, args, ...place })
    await client.connect(transport)
    return { client, pid: transport.pid }
  }
  const handshake = await timeEach(starts, async () => (await connect()).client.close())
  const { client, pid } = await connect()
  const ask = (i: number) =>
    client.callTool({ name: 'elfmem_recall', arguments: { query: questionAbout((i * 31) % blocks) } })
  await ask(1)
  const calls = Array.from({ length: SERVER_CALLS }, (_, i) => i + 2)
  const serverRecall = await timeEach(calls, ask)
  const serverPing = await timeEach(calls, () => client.ping())
  const serverMegabytes = (pid ? peakMegabytes(pid) : undefined) ?? 0
  await client.close()
  return { blocks, status, recall, handshake, serverPing, serverRecall, serverMegabytes }
}
