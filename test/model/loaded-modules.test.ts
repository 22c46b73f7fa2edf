import { execFile } from 'node:child_process'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/memory.ts'

const children = join(import.meta.dirname, '../faults/children')

/** What another process loads while it remembers, dreams and recalls, and what it finds. */
function lived(
  ...provider: string[]
): Promise<{ readonly found: string; readonly modules: readonly string[] }> {
  const folder = temporaryFolder()
  const lister = pathToFileURL(join(children, 'list-modules.mjs')).href
  const env = { PATH: process.env.PATH ?? '', HOME: folder, NODE_OPTIONS: `--import=${lister} --no-warnings` }
  const parameters = [join(children, 'judged-way.ts'), join(folder, 'memory.db'), ...provider]
  return new Promise((resolve) => {
    execFile(process.execPath, parameters, { env, cwd: folder, maxBuffer: 10_000_000 }, (_, found, modules) =>
      resolve({ found: found.trim(), modules: modules.split('\n') }),
    )
  })
}

/** Returns what the command line loads, as paths in the sources. */
function loadedBy(...argv: string[]): Promise<readonly string[]> {
  const folder = temporaryFolder()
  const lister = pathToFileURL(join(children, 'list-modules.mjs')).href
  const env = { PATH: process.env.PATH ?? '', HOME: folder, NODE_OPTIONS: `--import=${lister} --no-warnings` }
  const parameters = [join(import.meta.dirname, '../../src/bin.ts'), ...argv]
  return new Promise((resolve) => {
    execFile(process.execPath, parameters, { env, cwd: folder, maxBuffer: 10_000_000 }, (_, _out, modules) =>
      resolve(modules.split('\n').flatMap((url) => url.split('/src/')[1] ?? [])),
    )
  })
}

/** What only a model somewhere else needs. */
const OF_MODELS =
  /adapters\/remote\/|flow\/judge\/(?:judge|open-judge|block-analysis|pair-labels)|\/node_modules\/(?:@ai-sdk|ai)\//

test('a memory without a model loads its embedder, and no other, no model adapter and no package of the AI SDK', async () => {
  const { found, modules } = await lived()
  expect(found).toBe('Staging listens on port 4210.')
  expect(modules.filter((url) => /src\/sqlite\//.test(url)).length).toBeGreaterThan(5)
  expect(modules.filter((url) => OF_MODELS.test(url))).toEqual([])
  const embedders = modules.filter((url) => /adapters\/embed\//.test(url)).map((url) => basename(url))
  expect(embedders.toSorted()).toEqual(['embedder-wrappers.ts', 'hashing.ts'])
})

test('a model is loaded by its first question, with the package of its own provider only', async () => {
  const chat = (await lived('http')).modules.filter((url) => OF_MODELS.test(url))
  expect(chat.filter((url) => url.includes('node_modules'))).toEqual([])
  expect(chat.join()).toContain('chat-model.ts')
  const anthropic = (await lived('anthropic')).modules.filter((url) => OF_MODELS.test(url)).join()
  expect(anthropic).toContain('@ai-sdk/anthropic')
  expect(anthropic).not.toContain('@ai-sdk/google')
  expect(anthropic).not.toContain('chat-model.ts')
})

test('a command that succeeds loads no operation but its own', async () => {
  const loaded = await loadedBy('status')
  expect(loaded).toContain('operations/inspect/status.ts')
  expect(loaded.filter((path) => path === 'operations/table.ts')).toEqual([])
  expect(loaded.filter((path) => path.startsWith('surfaces/cli/clients/'))).toEqual([])
  expect(loaded.filter((path) => /^operations\/(?:recall|connect|intake|maintenance)\//.test(path))).toEqual(
    [],
  )
})
