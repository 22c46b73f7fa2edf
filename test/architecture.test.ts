import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ALLOWED } from '../scripts/counts/allowed.ts'
import { MAX_FILES } from '../scripts/counts/folders.ts'
import { importsOf, specifiersOf } from '../scripts/counts/graph.ts'
import { arrowProblems, circleProblems, folderProblems } from '../scripts/counts/problems.ts'
import { readSources } from '../scripts/counts/sources.ts'

/** Every layer with what it may import besides itself; the longest name that fits a file is its layer. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'errors.ts': [],
  domain: ['errors.ts'],
  config: ['errors.ts', 'domain'],
  ports: ['domain'],
  search: ['errors.ts', 'domain', 'ports'],
  flow: ['errors.ts', 'domain', 'config', 'ports', 'search'],
  operations: ['errors.ts', 'domain', 'config', 'ports', 'flow'],
  views: ['errors.ts', 'domain', 'config', 'ports', 'flow', 'operations', 'adapters/project'],
  store: ['errors.ts', 'domain', 'ports'],
  sqlite: ['errors.ts', 'domain', 'ports', 'store'],
  'adapters/*': ['errors.ts', 'domain', 'ports'],
  'adapters/project': ['errors.ts', 'domain', 'ports', 'config'],
  opening: [
    'errors.ts',
    'domain',
    'config',
    'ports',
    'search',
    'flow',
    'operations',
    'store',
    'sqlite',
    'adapters/*',
    'adapters/project',
  ],
  'memory.ts': ['config', 'flow', 'operations', 'opening', 'adapters/project'],
  frames: ['errors.ts', 'domain', 'memory.ts'],
  hooks: ['errors.ts', 'domain', 'config', 'memory.ts', 'adapters/project'],
  surfaces: [
    'errors.ts',
    'config',
    'ports',
    'flow',
    'operations',
    'views',
    'opening',
    'memory.ts',
    'hooks',
    'adapters/project',
  ],
  integrations: [
    'errors.ts',
    'domain',
    'config',
    'flow',
    'operations',
    'opening',
    'memory.ts',
    'frames',
    'surfaces',
    'adapters/*',
    'adapters/project',
  ],
  'index.ts': ['errors.ts', 'config', 'ports', 'flow', 'operations', 'memory.ts', 'adapters/project'],
  'bin.ts': ['surfaces'],
}

/** What a pure layer must not touch, besides modules of Node. */
const IMPURE = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bconsole\./

const MAX_LINES = 300
const sources = readSources(join(import.meta.dirname, '../src'))
const imports = importsOf(sources)
const files = sources.map(({ file }) => file)
const textOf = new Map(sources.map(({ file, text }) => [file, text]))
const pathsOf = new Map(sources.map((source) => [source.file, specifiersOf(source).map(({ path }) => path)]))

function layerOf(file: string): string | undefined {
  const [first = '', second] = file.split('/')
  if (first !== 'adapters') return first in MAY_IMPORT ? first : undefined
  return second === 'project' ? 'adapters/project' : 'adapters/*'
}

test('every file stands in a layer', () => {
  expect(files.filter((file) => layerOf(file) === undefined)).toEqual([])
})

test('imports point inward only', () => {
  const outward = imports.filter(({ from, to }) => {
    const [layer, target] = [layerOf(from) ?? '', layerOf(to) ?? '']
    return layer !== target && !MAY_IMPORT[layer]?.includes(target)
  })
  expect(outward).toEqual([])
})

test(`a folder has at most ${MAX_FILES} files`, () => {
  expect(folderProblems(sources, ALLOWED)).toEqual([])
})

test('no file, and no folder beside its neighbours, is in a circle of imports', () => {
  expect(imports.length).toBeGreaterThan(1000)
  expect(circleProblems(imports)).toEqual([])
  expect(arrowProblems(imports)).toEqual([])
})

test('an adapter knows no other adapter', () => {
  const folder = (file: string) => file.split('/').slice(0, 2).join('/')
  const meeting = imports.filter(
    ({ from, to }) =>
      layerOf(from)?.startsWith('adapters') && to.startsWith('adapters') && folder(from) !== folder(to),
  )
  expect(meeting).toEqual([])
})

test('the rules are pure and know no library', () => {
  const domain = files.filter((file) => layerOf(file) === 'domain')
  expect(domain.length).toBeGreaterThan(10)
  expect(domain.filter((file) => pathsOf.get(file)?.some((path) => !path.startsWith('.')))).toEqual([])
  expect(domain.filter((file) => IMPURE.test(textOf.get(file) ?? ''))).toEqual([])
})

test('the flow asks its ports for the time, for chance and for the world', () => {
  const inner = files.filter((file) => ['flow', 'search', 'ports'].includes(layerOf(file) ?? ''))
  const reaching = inner.filter((file) =>
    pathsOf.get(file)?.some((path) => /^(node:|zod|yaml|marked)/.test(path)),
  )
  expect(reaching).toEqual([])
  expect(inner.filter((file) => IMPURE.test(textOf.get(file) ?? ''))).toEqual([])
})

test('only the entry points print or exit', () => {
  const loud = files.filter((file) => /\bconsole\.|\bprocess\.exit/.test(textOf.get(file) ?? ''))
  expect(
    loud.filter((file) => !['bin.ts', 'surfaces/cli/process.ts', 'surfaces/hooks/command.ts'].includes(file)),
  ).toEqual([])
})

test('the root of the library needs neither the MCP SDK nor a terminal', () => {
  const reached = new Set(['index.ts'])
  for (const file of reached) for (const { from, to } of imports) if (from === file) reached.add(to)
  expect([...reached].filter((file) => file.startsWith('surfaces'))).toEqual([])
  expect(
    [...reached]
      .flatMap((file) => pathsOf.get(file) ?? [])
      .filter((path) => path.startsWith('@modelcontextprotocol')),
  ).toEqual([])
})

test(`a file has at most ${MAX_LINES} lines`, () => {
  expect(sources.filter(({ lines }) => lines > MAX_LINES).map(({ file }) => file)).toEqual([])
})
