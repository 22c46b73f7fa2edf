import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const CACHE = join(ROOT, 'node_modules/.cache')

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
const examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code ?? '')
const program = examples.join('\n')

/** Files that a compiler sees with the settings of the project; what it has against each. */
function problemsOf(files: Readonly<Record<string, string>>): Record<string, string[]> {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(join(CACHE, 'readme-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const names = Object.keys(files)
  for (const name of names) writeFileSync(join(folder, name), files[name] ?? '')
  const config = { extends: join(ROOT, 'tsconfig.json'), include: [], files: names }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' })
  const lines = stdout.split('\n')
  return Object.fromEntries(names.map((name) => [name, lines.filter((line) => line.includes(name))]))
}

test('tsc accepts the programs of README.md, and refuses an item that is taken without asking for it', () => {
  expect(examples.length).toBeGreaterThan(2)
  const careless = program.replace('found.blockIds.slice(0, 1)', '[found.blockIds[0]]')
  expect(problemsOf({ 'program.ts': program, 'careless.ts': careless })).toEqual({
    'program.ts': [],
    'careless.ts': [expect.stringContaining("'string | undefined' is not assignable to type 'string'")],
  })
})
