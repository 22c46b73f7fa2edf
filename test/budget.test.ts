import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import budget from '../budget.json' with { type: 'json' }

const root = join(import.meta.dirname, '..')

/** Lines of the files below a folder whose paths fit. */
function linesIn(folder: string, fits: (path: string) => boolean): number {
  const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return files
    .filter(fits)
    .map((path) => readFileSync(path, 'utf8').split('\n').length - 1)
    .reduce((sum, lines) => sum + lines, 0)
}

const isCode = (path: string) => /\.(?:ts|tsx)$/.test(path)
const isUnitTest = (path: string) => path.endsWith('.test.ts')
const isSource = (path: string) => /\.(?:ts|json)$/.test(path) && !/\.(?:test|generated)\.ts$/.test(path)

const lines = {
  source: linesIn('src', isSource),
  tests: linesIn('test', isCode) + linesIn('src', isUnitTest),
  scripts: linesIn('scripts', () => true),
  bench: linesIn('bench', isCode),
}

test.each(['source', 'tests', 'scripts', 'bench'] as const)(
  'the lines of %s stay within budget.json',
  (part) => {
    expect(lines[part]).toBeGreaterThan(0)
    expect(lines[part]).toBeLessThanOrEqual(budget.lines[part])
  },
)

test('one call runs through no more files and functions than budget.json allows', () => {
  const counter = join(root, 'test/helpers/count-runs.ts')
  const args = ['--disable-warning=ExperimentalWarning', counter]
  const runs: typeof budget.runs = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
  expect(Object.keys(runs)).toEqual(Object.keys(budget.runs))
  for (const [name, limit] of Object.entries(budget.runs)) {
    const counted = runs[name as keyof typeof runs]
    expect(counted.files, `files of ${name}`).toBeGreaterThan(10)
    expect(counted.files, `files of ${name}`).toBeLessThanOrEqual(limit.files)
    expect(counted.functions, `functions of ${name}`).toBeLessThanOrEqual(limit.functions)
  }
})
