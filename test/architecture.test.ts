import { expect, test } from 'vitest'
import { type Import, importsOf, readSources, type Source, specifiersOf } from './helpers/sources.ts'

/** Every layer with what it may import besides itself. Each adapter is a layer of its own, whose row is `adapters/*`. */
const MAY_IMPORT: Readonly<Record<string, string>> = {
  'errors.ts': '',
  domain: 'errors.ts',
  config: 'errors.ts domain',
  ports: 'errors.ts domain store',
  search: 'errors.ts domain ports store',
  secrets: 'domain',
  flow: 'errors.ts domain config ports search store secrets',
  operations: 'errors.ts domain config ports flow',
  views: 'errors.ts domain config ports flow operations adapters/project',
  store: 'errors.ts domain ports',
  sqlite: 'errors.ts domain ports store',
  'adapters/*': 'errors.ts domain ports secrets',
  'adapters/project': 'errors.ts domain ports config',
  opening: 'errors.ts domain config ports search flow operations store sqlite adapters/*',
  'memory.ts': 'config flow operations opening adapters/project',
  frames: 'errors.ts domain memory.ts',
  hooks: 'errors.ts domain config memory.ts adapters/project',
  surfaces: 'errors.ts config ports flow operations views opening memory.ts hooks adapters/project',
  integrations: 'errors.ts domain config flow operations opening memory.ts frames surfaces adapters/*',
  'index.ts': 'errors.ts config ports flow operations memory.ts adapters/project',
  'bin.ts': 'surfaces',
}

/** Matches uses of the clock, of chance and of the process, which a pure layer must not have. */
const IMPURE = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bconsole\./

/** Files that write to the store outside of `mutate`, the transaction of every operation: none of it can be undone. */
const OTHER_WRITERS = [
  'flow/blocks/embed-waiting.ts',
  'flow/blocks/reindex.ts',
  'flow/engine/upkeep.ts',
  'flow/maintenance/files-of.ts',
  'flow/recall/effects.ts',
  'flow/reembed/reembed.ts',
  'flow/rest/rest.ts',
  'opening/open-memory.ts',
]

const ENTRY_POINTS = ['bin.ts', 'surfaces/cli/process.ts', 'surfaces/hooks/command.ts']

const sources = readSources()
const imports = importsOf(sources)
const sourcesIn = (...layers: readonly string[]) =>
  sources.filter(({ file }) => layers.includes(layerOf(file)))
const namesOf = (some: readonly Source[]) => some.map(({ file }) => file)
const impure = (some: readonly Source[]) => namesOf(some.filter(({ text }) => IMPURE.test(text)))
const importing = (some: readonly Source[], path: RegExp) =>
  namesOf(some.filter((source) => specifiersOf(source).some((each) => path.test(each))))

function layerOf(file: string): string {
  const [first = '', second = ''] = file.split('/')
  return first === 'adapters' ? `${first}/${second}` : first
}

function rowOf(layer: string): readonly string[] | undefined {
  const row = MAY_IMPORT[layer] ?? (layer.startsWith('adapters/') ? MAY_IMPORT['adapters/*'] : undefined)
  return row?.split(' ')
}

function isAllowed({ from, to }: Import): boolean {
  const [layer, target] = [layerOf(from), layerOf(to)]
  const row = rowOf(layer) ?? []
  return (
    layer === target || row.includes(target) || (row.includes('adapters/*') && target.startsWith('adapters/'))
  )
}

/** The imports that are part of a circle, or lie between two circles. */
function circular(all: readonly Import[]): readonly Import[] {
  const [from, to] = [new Set(all.map((each) => each.from)), new Set(all.map((each) => each.to))]
  const inside = all.filter((each) => from.has(each.to) && to.has(each.from))
  return inside.length === all.length ? inside : circular(inside)
}

test('every file of src stands in a layer', () => {
  expect(sources.length).toBeGreaterThan(500)
  expect(namesOf(sources.filter(({ file }) => rowOf(layerOf(file)) === undefined))).toEqual([])
})

test('a layer imports only what its row allows', () => {
  expect(imports.length).toBeGreaterThan(1000)
  expect(imports.filter((each) => !isAllowed(each))).toEqual([])
})

test('no files import each other in a circle, types included', () => {
  const circle = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'a' },
  ]
  expect(circular([...circle, { from: 'b', to: 'c' }, { from: 'd', to: 'a' }])).toEqual(circle)
  expect(circular(imports)).toEqual([])
})

test('domain imports no package and touches neither clock, chance nor process', () => {
  const domain = sourcesIn('domain')
  expect(domain.length).toBeGreaterThan(10)
  expect(importing(domain, /^[^.]/)).toEqual([])
  expect(impure(domain)).toEqual([])
})

test('flow, search and ports ask their ports for the time, for chance and for the world', () => {
  const inner = sourcesIn('flow', 'search', 'ports')
  expect(importing(inner, /^(?:node:|zod|yaml)/)).toEqual([])
  expect(impure(inner)).toEqual([])
})

test('every operation writes through mutate', () => {
  const writing = sources.filter(
    ({ file, text }) => !/^(?:store|sqlite)\//.test(file) && /\bstore\s*\.write\(/.test(text),
  )
  expect(namesOf(writing)).toEqual(['flow/engine/mutate.ts', ...OTHER_WRITERS].sort())
})

test('only the entry points print or exit', () => {
  const loud = sources.filter(({ text }) => /\bconsole\.|\bprocess\.exit/.test(text))
  expect(namesOf(loud).filter((file) => !ENTRY_POINTS.includes(file))).toEqual([])
})
