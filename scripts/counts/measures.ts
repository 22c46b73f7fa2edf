import type { TestedOnly } from './callers.ts'
import { exportedThings } from './comments.ts'
import { folderSizes, MAX_FILES } from './folders.ts'
import { longestFunction } from './functions.ts'
import { circlesOf, type Import, upwardArrows } from './graph.ts'
import { portMethods } from './port.ts'
import type { Run } from './runs.ts'
import type { Source } from './sources.ts'
import type { Row } from './table.ts'
import { houseNames } from './words.ts'

const linesOf = (sources: readonly Source[]) => sources.reduce((sum, { lines }) => sum + lines, 0)

function sizeRows(sources: readonly Source[]): readonly Row[] {
  const [longest] = [...sources].sort((a, b) => b.lines - a.lines)
  const longFunction = longestFunction(sources)
  const [largest, ...others] = [...folderSizes(sources)]
  const large = [largest, ...others].filter((entry) => (entry?.[1] ?? 0) > MAX_FILES)
  return [
    {
      name: 'source lines, tests apart',
      value: linesOf(sources),
      note: `in ${sources.length} files`,
    },
    { name: 'longest file', value: longest?.lines ?? 0, note: longest?.file ?? '' },
    {
      name: 'longest function',
      value: longFunction?.lines ?? 0,
      note: `${longFunction?.name} in ${longFunction?.file}`,
    },
    { name: 'most files in a folder', value: largest?.[1] ?? 0, note: largest?.[0] ?? '' },
    {
      name: `folders with more than ${MAX_FILES} files`,
      value: large.length,
      note: `of ${others.length + 1}`,
    },
  ]
}

function portRow(sources: readonly Source[]): Row {
  const count = (name: string) => portMethods(name, sources)
  const [rows, queries, writer] = [count('Rows'), count('Queries'), count('StoreWriter')]
  const note = `rows of any table ${rows}, queries ${queries}; besides Database ${count('Database')}, StoreFiles ${count('StoreFiles')}; the flow's ${writer} stand above it`
  return { name: 'methods of the store port', value: rows + queries, note }
}

function commentRows(sources: readonly Source[]): readonly Row[] {
  const things = exportedThings(sources)
  return [
    {
      name: 'exported things and methods without JSDoc',
      value: things.filter(({ documented }) => !documented).length,
      note: `of ${things.length}`,
    },
  ]
}

function wordRow(sources: readonly Source[]): Row {
  const names = houseNames(sources)
  const words = [...Map.groupBy(names, ({ word }) => word)].map(([word, { length }]) => ({ word, length }))
  const note = words.sort((a, b) => b.length - a.length).map(({ word, length }) => `${word} ${length}`)
  return { name: 'declared names with a word of the house', value: names.length, note: note.join(', ') }
}

function graphRows(imports: readonly Import[]): readonly Row[] {
  return [
    {
      name: 'circles of imports, types too',
      value: circlesOf(imports).length,
      note: `${circlesOf(imports.filter(({ typeOnly }) => !typeOnly)).length} of values; ${imports.length} imports`,
    },
    { name: 'arrows upward, at any level', value: upwardArrows(imports).length },
  ]
}

/** Every measure that is read from the text of the files. */
export function sourceRows(sources: readonly Source[], imports: readonly Import[]): readonly Row[] {
  return [
    ...sizeRows(sources),
    portRow(sources),
    ...commentRows(sources),
    wordRow(sources),
    ...graphRows(imports),
  ]
}

/** The measure of what is exported for tests alone. */
export function testedRow(tested: readonly TestedOnly[]): Row {
  return {
    name: 'exports that only tests call',
    value: tested.length,
    note: tested.map(({ name }) => name).join(', '),
  }
}

/** Every measure of what an operation runs through. */
export function runRows(runs: readonly Run[]): readonly Row[] {
  return runs.map(({ name, files, functions }) => ({
    name: `files that one ${name} runs through`,
    value: files.size,
    note: `${functions} functions`,
  }))
}
