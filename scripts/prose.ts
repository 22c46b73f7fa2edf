/**
 * Fails on pages and doc comments that are hard to read: long sentences, words only this project would understand,
 * and comments that do not begin with what a thing is or returns.
 *
 *   node scripts/prose.ts [--counts]
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readSources } from './counts/sources.ts'
import { commentProblems, type Page, pageProblems } from './prose/problems.ts'

const root = join(import.meta.dirname, '..')
const pageNames = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const { values: options } = parseArgs({ options: { counts: { type: 'boolean', default: false } } })

const readPage = (file: string): Page => ({ file, text: readFileSync(join(root, file), 'utf8') })
const problems = [
  ...pageNames.map(readPage).flatMap(pageProblems),
  ...readSources(join(root, 'src')).flatMap(commentProblems),
]
if (options.counts)
  for (const [name, found] of Map.groupBy(problems, ({ rule, file }) => `${rule} ${file}`))
    console.log(`${name} ${found.length}`)
else for (const { file, line, message } of problems) console.error(`${file}:${line} ${message}`)
if (problems.length > 0) process.exitCode = 1
