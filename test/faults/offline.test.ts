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

const live = (...parameters: string[]) => {
  const folder = temporaryFolder()
  return guarded(folder, [join(children, 'whole-way.ts'), join(folder, 'memory.db'), ...parameters])
}

/** Runs a program to which the network is not there; whoever asks for it ends with 97. */
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

test('with nothing configured the whole way asks for no network, embedding included', async () => {
  const { code, stdout, stderr } = await live()
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('Staging listens on port 4210.')
})

test('the guard of the test above notices a call', async () => {
  const { code, stderr } = await live('ask')
  expect(code).toBe(97)
  expect(stderr).toContain('asked for the network')
})

test('a server speaks over its standard streams and listens nowhere', async () => {
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
