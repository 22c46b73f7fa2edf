import { expect, test } from 'vitest'
import { type Import, importsOf, readSources, type Source, specifiersOf } from './helpers/sources.ts'

/** Every folder with what it may import besides itself. Each adapter has a row of its own, which is `adapters/*` where none is named. */
const MAY_IMPORT: Readonly<Record<string, string>> = {
  'errors.ts': '',
  block: 'errors.ts',
  secrets: 'block',
  graph: 'errors.ts block store index outcome intake engine',
  language: 'errors.ts block engine',
  store: 'errors.ts block graph outcome history dream engine',
  index: 'errors.ts block store language engine',
  outcome: 'errors.ts block store index graph language history intake engine',
  history: 'errors.ts block store index graph outcome intake care engine',
  intake: 'errors.ts block secrets store index graph outcome history recall engine',
  recall: 'errors.ts block store index language graph outcome intake dream engine',
  dream: 'errors.ts block secrets store index language graph outcome intake recall engine',
  care: 'errors.ts block secrets store index graph outcome history intake recall dream engine',
  engine:
    'errors.ts block store index language graph outcome history intake recall dream care operations sqlite postgres client adapters/*',
  operations: 'errors.ts block store index graph outcome history intake recall dream care engine',
  views: 'block care operations adapters/project',
  sql: 'errors.ts block store graph outcome engine',
  sqlite: 'errors.ts block store sql graph outcome history engine',
  postgres: 'errors.ts store sql engine',
  client: 'errors.ts block engine operations',
  'adapters/*': 'errors.ts operations block secrets index graph intake engine',
  'adapters/importers': 'errors.ts block graph engine adapters/markdown',
  frames: 'errors.ts block language recall outcome engine',
  hooks: 'errors.ts operations block language recall outcome engine frames adapters/project',
  surfaces: 'errors.ts intake engine operations views hooks client adapters/project',
  integrations: 'errors.ts block language intake engine operations frames surfaces adapters/*',
  'index.ts': 'errors.ts store graph history intake engine operations adapters/project',
  'bin.ts': 'surfaces',
}

/** Folders of what the memory does, which ask the engine for the time, for chance and for the world. */
const INNER = 'block store history index language recall intake dream graph outcome care'.split(' ')

/** Matches uses of the clock, of chance and of the process, which a pure layer must not have. */
const IMPURE = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bconsole\./

/** Files that write to the store outside of `mutate`, the transaction of every operation: none of it can be undone. */
const OTHER_WRITERS = [
  'engine/embedding.ts',
  'dream/curate.ts',
  'dream/dream.ts',
  'care/files-of.ts',
  'recall/recall.ts',
  'dream/reembed.ts',
  'dream/rest.ts',
  'operations/once.ts',
  'graph/weeks.ts',
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

test('every file of src stands in a folder of the table', () => {
  expect(sources.length).toBeGreaterThan(300)
  expect(namesOf(sources.filter(({ file }) => rowOf(layerOf(file)) === undefined))).toEqual([])
})

test('a folder imports only what its row allows', () => {
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

test('the inner folders touch neither clock, chance nor process, and import from outside only hashes and stemmers', () => {
  const inner = sourcesIn(...INNER)
  expect(inner.length).toBeGreaterThan(50)
  expect(importing(inner, /^[^.]/)).toEqual([
    'history/images.ts',
    'language/question.ts',
    'store/blocks.ts',
    'store/records.ts',
  ])
  expect(impure(inner)).toEqual([])
})

test('every operation writes through mutate', () => {
  const writing = sources.filter(
    ({ file, text }) => !/^(?:store|sqlite)\//.test(file) && /\bstore\s*\.write\(/.test(text),
  )
  expect(namesOf(writing)).toEqual(['engine/engine.ts', ...OTHER_WRITERS].sort())
})

test('only the entry points print or exit', () => {
  const loud = sources.filter(({ text }) => /\bconsole\.|\bprocess\.exit/.test(text))
  expect(namesOf(loud).filter((file) => !ENTRY_POINTS.includes(file))).toEqual([])
})
