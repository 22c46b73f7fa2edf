import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { expect, test } from 'vitest'

/** Every layer with what it may import besides itself; the longest name that fits a file is its layer. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'errors.ts': [],
  domain: ['errors.ts'],
  config: ['errors.ts', 'domain'],
  ports: ['domain'],
  search: ['errors.ts', 'domain', 'ports'],
  flow: ['errors.ts', 'domain', 'config', 'ports', 'search'],
  operations: ['errors.ts', 'domain', 'config', 'ports', 'flow'],
  sqlite: ['errors.ts', 'domain', 'ports'],
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
    'sqlite',
    'adapters/*',
    'adapters/project',
  ],
  'memory.ts': ['config', 'flow', 'operations', 'opening', 'adapters/project'],
  surfaces: [
    'errors.ts',
    'config',
    'ports',
    'flow',
    'operations',
    'opening',
    'memory.ts',
    'adapters/project',
  ],
  testing: ['errors.ts', 'domain', 'ports'],
  'index.ts': ['errors.ts', 'config', 'ports', 'flow', 'operations', 'memory.ts', 'adapters/project'],
  'bin.ts': ['surfaces'],
}

/** What a pure layer must not touch, besides modules of Node. */
const IMPURE = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bconsole\./

const MAX_LINES = 300
const source = join(import.meta.dirname, '../src')
const files = (readdirSync(source, { recursive: true }) as string[])
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => file.split(sep).join('/'))

function layerOf(file: string): string | undefined {
  const [first = '', second] = file.split('/')
  if (first !== 'adapters') return first in MAY_IMPORT ? first : undefined
  return second === 'project' ? 'adapters/project' : 'adapters/*'
}

const textOf = (file: string) => readFileSync(join(source, file), 'utf8')

/** The specifiers of static and dynamic imports and of re-exports. */
function specifiersOf(file: string): string[] {
  return [...textOf(file).matchAll(/(?:\bfrom |\bimport\(|^import )'([^']+)'/gm)].map(([, path = '']) => path)
}

const imports = files.flatMap((from) =>
  specifiersOf(from)
    .filter((path) => path.startsWith('.'))
    .map((path) => ({
      from,
      to: relative(source, join(source, dirname(from), path))
        .split(sep)
        .join('/'),
    })),
)

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

/** Folders with more files than a reader keeps in mind, and why they may have them. */
const LARGE = new Set(['adapters/memory']) // Goes with the in-memory store.
const MAX_FILES = 14

test(`a folder has at most ${MAX_FILES} files`, () => {
  const count = new Map<string, number>()
  for (const file of files) count.set(dirname(file), (count.get(dirname(file)) ?? 0) + 1)
  expect([...count].filter(([folder, n]) => n > MAX_FILES && !LARGE.has(folder))).toEqual([])
})

/** The files or folders, as `roomOf` makes them, that are in a circle of imports or between two; types count. */
function circles(roomOf: (file: string) => string | undefined): string[] {
  let left = imports
    .map(({ from, to }) => ({ room: roomOf(from), target: roomOf(to) }))
    .filter(({ room, target }) => room !== undefined && target !== undefined && room !== target)
  for (;;) {
    const rooms = new Set(left.map(({ room }) => room))
    const targets = new Set(left.map(({ target }) => target))
    const rest = left.filter(({ room, target }) => targets.has(room) && rooms.has(target))
    if (rest.length === left.length) return [...rooms].map(String).sort()
    left = rest
  }
}

test('no file, and no folder beside its neighbours, is in a circle of imports', () => {
  expect(circles((file) => file)).toEqual([])
  const folders = new Set(files.map((file) => dirname(file)).flatMap((folder) => [folder, dirname(folder)]))
  for (const folder of folders) {
    const start = folder === '.' ? '' : `${folder}/`
    const roomOf = (file: string) =>
      file.startsWith(start) ? file.slice(start.length).split('/')[0] : undefined
    expect([folder, circles(roomOf)]).toEqual([folder, []])
  }
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
  expect(domain.filter((file) => specifiersOf(file).some((path) => !path.startsWith('.')))).toEqual([])
  expect(domain.filter((file) => IMPURE.test(textOf(file)))).toEqual([])
})

test('the flow asks its ports for the time, for chance and for the world', () => {
  const inner = files.filter((file) => ['flow', 'search', 'ports'].includes(layerOf(file) ?? ''))
  const reaching = inner.filter((file) =>
    specifiersOf(file).some((path) => /^(node:|zod|yaml|marked)/.test(path)),
  )
  expect(reaching).toEqual([])
  expect(inner.filter((file) => IMPURE.test(textOf(file)))).toEqual([])
})

test('only the entry points print or exit', () => {
  const loud = files.filter((file) => /\bconsole\.|\bprocess\.exit/.test(textOf(file)))
  expect(loud.filter((file) => !['bin.ts', 'surfaces/cli/process.ts'].includes(file))).toEqual([])
})

test('the root of the library needs neither the MCP SDK nor a terminal', () => {
  const reached = new Set(['index.ts'])
  for (const file of reached) for (const { from, to } of imports) if (from === file) reached.add(to)
  expect([...reached].filter((file) => file.startsWith('surfaces'))).toEqual([])
  expect(
    [...reached].flatMap(specifiersOf).filter((path) => path.startsWith('@modelcontextprotocol')),
  ).toEqual([])
})

test(`a file has at most ${MAX_LINES} lines`, () => {
  const long = files
    .map((file) => [file, textOf(file).split('\n').length - 1] as const)
    .filter(([, n]) => n > MAX_LINES)
  expect(long).toEqual([])
})
