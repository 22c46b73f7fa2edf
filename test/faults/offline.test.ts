import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/memory.ts'

const children = join(import.meta.dirname, 'children')

function live(...parameters: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const guard = pathToFileURL(join(children, 'no-network.mjs')).href
  const folder = temporaryFolder()
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    NODE_OPTIONS: `--import=${guard} --no-warnings`,
  }
  return new Promise((resolve) => {
    const parameter = [join(children, 'whole-way.ts'), join(folder, 'memory.db'), ...parameters]
    execFile(process.execPath, parameter, { env: environment, cwd: folder }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr })
    })
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
