import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/memory.ts'

const children = join(import.meta.dirname, 'children')
const BIN = join(import.meta.dirname, '../../src/bin.ts')

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program without a network; it ends with 97 as soon as it asks for one. */
function guarded(folder: string, parameters: readonly string[], input = ''): Promise<Ended> {
  const guard = pathToFileURL(join(children, 'no-network.mjs')).href
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    NODE_OPTIONS: `--import=${guard} --no-warnings`,
  }
  return new Promise((resolve) => {
    const options = { env: environment, cwd: folder }
    const child = execFile(process.execPath, parameters, options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr })
    })
    child.stdin?.end(input)
  })
}

test('remember, learnDocument, dream, recall, outcome and curate ask for no network before fetch is called at the end', async () => {
  const folder = temporaryFolder()
  const program = [join(children, 'whole-way.ts'), join(folder, 'memory.db'), 'ask']
  const { code, stdout, stderr } = await guarded(folder, program)
  expect([code, stderr]).toEqual([97, 'asked for the network: fetch\n'])
  expect(stdout).toContain('Staging listens on port 4210.')
})

test('serve answers over its standard streams without opening a socket', async () => {
  const folder = temporaryFolder()
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
  }
  const { code, stdout } = await guarded(folder, [BIN, 'serve', '--quiet'], `${JSON.stringify(hello)}\n`)
  expect(code).toBe(0)
  expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ id: 1, result: { serverInfo: {} } })
})
