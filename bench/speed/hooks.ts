import { execFile } from 'node:child_process'
import { loadavg } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { projectIdentity } from '../../src/adapters/project/identity.ts'
import { openMemory } from '../../src/index.ts'
import { withTemporaryFolder } from '../lib/files.ts'
import { fill } from '../lib/memory.ts'
import { textTable } from '../lib/table.ts'
import { placed } from './filled.ts'
import { questionAbout } from './sentences.ts'
import { timeEach } from './timed.ts'

/**
 * Times how long a coding agent waits for its hooks: the tool of a connected server, and the command that asks it, beside Node alone.
 * `npm run build && node bench/speed/hooks.ts [--blocks 1000] [--runs 100]`. Prints wall times in milliseconds, and the load.
 */
const { values } = parseArgs({
  options: { blocks: { type: 'string', default: '1000' }, runs: { type: 'string', default: '100' } },
})
const [BLOCKS, RUNS] = [Number(values.blocks), Number(values.runs)]
const [BIN, HOOK] = [resolve('dist/bin.js'), resolve('dist/hook.cjs')]
const run = promisify(execFile)

const prompt = (at: number, session_id: string) => ({
  hook_event_name: 'UserPromptSubmit',
  session_id,
  prompt: questionAbout(at),
})
const tool = (at: number) => ({
  hook_event_name: 'PostToolUse',
  session_id: 'one',
  tool_name: 'Bash',
  tool_input: { command: `npm test ${at}` },
})

await withTemporaryFolder(async (folder) => {
  const env = { PATH: process.env.PATH ?? '', HOME: folder, ELFMEM_DB: `${folder}/memory.db` }
  const { scope } = projectIdentity({ cwd: folder, home: '' })
  const memory = await openMemory(env.ELFMEM_DB, { scope, config: { memory: { autoDream: 'off' } } })
  await fill(
    memory,
    Array.from({ length: BLOCKS }, (_, i) => placed(i)),
  )
  await memory.close()
  const client = new Client({ name: 'elfmem-bench', version: '0' })
  const args = [BIN, 'serve', '--hooks', '--quiet']
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: folder }))
  const hook = (given: object) => client.callTool({ name: 'elfmem_hook', arguments: { ...given } })
  const command = (file: readonly string[], given: object) => {
    const started = run(process.execPath, [...file], { env, cwd: folder })
    started.child.stdin?.end(JSON.stringify(given))
    return started
  }
  const rows = [
    await timed('prompt, the first of a server', (at) => hook(prompt(at, 'first')), 1),
    await timed('prompt, one session', (at) => hook(prompt(at, 'one'))),
    await timed('prompt, each of a new session', (at) => hook(prompt(at, `new ${at}`))),
    await timed('tool', (at) => hook(tool(at))),
    await timed('node alone', () => run(process.execPath, ['-e', '0'], { env })),
    await timed('elfmem-hook', (at) => command([HOOK, 'claude-code'], prompt(at, 'by command'))),
  ]
  await client.close()
  console.log(`${BLOCKS} blocks, ${RUNS} runs, load ${loadavg()[0]?.toFixed(1)}`)
  console.log(textTable({ head: ['', 'p50, ms', 'p95, ms'], rows }))
})

async function timed(name: string, work: (at: number) => Promise<unknown>, runs = RUNS): Promise<string[]> {
  const { p50, p95 } = await timeEach(Array(runs).keys(), work)
  return [name, p50.toFixed(1), p95.toFixed(1)]
}
