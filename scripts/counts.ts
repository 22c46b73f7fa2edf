/**
 * Prints the measures of the source, and fails on what must not be: circles, arrows upward, large folders, words,
 * exports that only tests call, exported things without a doc comment.
 *
 *   node scripts/counts.ts [--no-run] [--files recall] [--allowed]
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ALLOWED } from './counts/allowed.ts'
import { readCallers, testedOnly } from './counts/callers.ts'
import { importsOf } from './counts/graph.ts'
import { runRows, sourceRows, testedRow } from './counts/measures.ts'
import {
  arrowProblems,
  circleProblems,
  folderProblems,
  nameProblems,
  neededExceptions,
  testedProblems,
  undocumentedProblems,
} from './counts/problems.ts'
import { measureRuns } from './counts/runs.ts'
import { readSources } from './counts/sources.ts'
import { renderTable } from './counts/table.ts'

const { values: options } = parseArgs({
  options: {
    'no-run': { type: 'boolean', default: false },
    files: { type: 'string' },
    allowed: { type: 'boolean', default: false },
  },
})

const src = join(import.meta.dirname, '../src')
const sources = readSources(src)
const imports = importsOf(sources)
const tested = testedOnly(sources, readCallers(join(src, '..')))
const runs = options['no-run'] ? [] : await measureRuns(src)
console.log(renderTable([...sourceRows(sources, imports), testedRow(tested), ...runRows(runs)]))

const run = runs.find(({ name }) => name === options.files)
if (options.files !== undefined && run === undefined) throw new Error(`no run of ${options.files}`)
for (const [file, functions] of run?.files ?? []) console.log(`src/${file} (${functions})`)
if (options.allowed) console.log(JSON.stringify(neededExceptions(sources, ALLOWED), undefined, 2))

const problems = [
  ...circleProblems(imports),
  ...arrowProblems(imports),
  ...folderProblems(sources, ALLOWED),
  ...nameProblems(sources, ALLOWED),
  ...testedProblems(tested),
  ...undocumentedProblems(sources),
]
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
