import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const source = join(root, 'src')
const files = (readdirSync(source, { recursive: true }) as string[])
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => file.split(sep).join('/'))
  // The contract suite writes to the stores it tests.
  .filter((file) => !file.startsWith('testing/'))

/** Opens the transaction of every operation. */
const MUTATE = 'flow/engine/mutate.ts'

/** Files besides it that open a write transaction of the store themselves, and what they write. */
const WRITES: Readonly<Record<string, string>> = {
  'flow/blocks/reindex.ts': 'index terms, when another analysis made them',
  'flow/recall/effects.ts': 'the use of what a recall showed, behind its answer',
  'flow/engine/keep-index.ts': 'the mark of the packed index',
  'flow/engine/trim-log.ts': 'the ends of the log, the sessions and the undo data',
  'flow/blocks/embed-waiting.ts': 'vectors of waiting blocks',
  'flow/reembed/embed-missing.ts': 'a batch of shadow vectors',
  'flow/maintenance/files-of.ts': 'where a backup or export went that is not beside the memory',
  'flow/rest/lease.ts': 'which process dreams at rest',
  'opening/open-memory.ts': 'the begin and end of a session',
}

/** Parts of the store itself. */
const INSIDE: Readonly<Record<string, string>> = {
  'sqlite/maintenance/health.ts': 'repairs rows for doctor',
  'sqlite/transfer/take-records.ts': 'copies an import into the tables',
  'store/past/past.ts': 'fills a database of its own with what was true at a moment',
  'store/store.ts': 'opens a transaction of the database for the rules about rows',
}

/** Receivers of `.write(` that are no store: streams, files and the bill of a mutation. */
const NO_STORE = new Set([
  ...[
    'stdin',
    'said',
    'stdout',
    'stderr',
    'output',
    'told',
    'out',
    'given',
    'texts',
    'bills',
    '#answers',
    '#response',
    'socket',
    '#files',
  ],
  'systemTextFiles',
])

/** What `.write` is called on, or taken from, in a file; comments left out. */
function receiversIn(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const called = [...code.matchAll(/(#?\w+|[)\]])\s*\??\.\s*write\b(?!\w)/g)].map(([, name = '']) => name)
  const taken = [...code.matchAll(/\{[^{}]*\bwrite\b[^{}]*\}\s*=\s*[^;\n]*?(#?\w+)\s*$/gm)]
  return [...called, ...taken.map(([, name = '']) => name)]
}

const writesTo = (text: string) => receiversIn(text).some((name) => !NO_STORE.has(name))
const textOf = (file: string) => readFileSync(join(source, file), 'utf8')

test('every operation writes through mutate; the few files that write themselves are named', () => {
  const writers = files.filter((file) => writesTo(textOf(file)))
  expect(writers.sort()).toEqual([MUTATE, ...Object.keys(WRITES), ...Object.keys(INSIDE)].sort())
})

test('a write is seen however the store is called', () => {
  const lines = [
    'await store.write(work)',
    'await engine.store.write((tx) => tx.saveMeta(key, value))',
    'await this.#engine.store\n  .write(work)',
    "await store.within('a').write(work)",
    'const save = whole.write',
    'const { read, write } = engine.store',
  ]
  expect(lines.filter((line) => !writesTo(line))).toEqual([])
  expect(writesTo('io.stdout.write(line)\n// store.write\nthis.#answers.write(line)')).toBe(false)
})

test('ARCHITECTURE.md names the files that write without mutate', () => {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const named = (file: string) => page.includes(`\`${file.replace(/\.ts$/, '')}\``)
  expect(Object.keys(WRITES).filter((file) => !named(file))).toEqual([])
})
