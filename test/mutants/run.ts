import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Mutant } from './mutant.ts'
import { MUTANTS } from './mutants.ts'

/**
 * Breaks one guarantee after the other in copies of the sources and runs the test that proves it: each must fail.
 * Ends with 1 when one passes. `npm run test:mutants -- <part of a file name>` looks at some.
 */
const root = resolve(import.meta.dirname, '../..')
const [wanted = ''] = process.argv.slice(2)
/** Mutants looked at side by side, each in a copy of its own. */
const COPIES = 2
const LONGEST_MS = 300_000
/** So long a fuzz suite looks for the break. */
const FUZZ_SECONDS = '15'
const PARTS = [
  ...['src', 'test', 'bench', 'kernel', 'model', 'package.json', 'tsconfig.json'],
  ...['vitest.config.ts', 'vitest.slow.config.ts'],
]
const say = (line: string) => void process.stdout.write(`${line}\n`)

function copyOfRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'elfmem-mutants-'))
  for (const part of PARTS) cpSync(join(root, part), join(copy, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** Whether the test passes on the copy as it is now. One that never ends does not. */
async function passes(copy: string, { test, cases, only }: Mutant): Promise<boolean> {
  const config = test.includes('.slow.') ? ['--config', 'vitest.slow.config.ts'] : []
  const titled = only === undefined ? [] : ['-t', only]
  const running = spawn(
    join(root, 'node_modules/.bin/vitest'),
    ['run', '--bail', '1', ...config, ...titled, test],
    {
      cwd: copy,
      env: { ...process.env, FUZZ_SECONDS, ...(cases === undefined ? {} : { FAULT_CASES: cases }) },
      stdio: 'ignore',
      timeout: LONGEST_MS,
    },
  )
  const [status] = await once(running, 'exit')
  return status === 0
}

/** Tests that were seen to pass without a mutant: one that fails without would prove nothing. */
const proven = new Map<string, Promise<boolean>>()

async function isNoticed(copy: string, mutant: Mutant): Promise<boolean> {
  const { file, from, to, test, cases = '', only = '' } = mutant
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  if (!source.includes(from)) throw new Error(`${file} no longer has what this mutant changes: ${from}`)
  const proof = `${test} ${cases} ${only}`
  if (!proven.has(proof)) proven.set(proof, passes(copy, mutant))
  if (!(await proven.get(proof))) throw new Error(`${proof} fails without any mutant`)
  writeFileSync(
    path,
    source.replace(from, () => to),
  )
  const noticed = !(await passes(copy, mutant))
  writeFileSync(path, source)
  return noticed
}

const waiting = MUTANTS.filter(({ file, test }) => `${file} ${test}`.includes(wanted))
let survived = 0

async function work(copy: string): Promise<void> {
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const noticed = await isNoticed(copy, mutant)
    if (!noticed) survived += 1
    say(`${noticed ? 'noticed ' : 'SURVIVED'}  ${mutant.breaks} (${mutant.file}, ${mutant.test})`)
  }
}

const [total, copies] = [waiting.length, Array.from({ length: COPIES }, copyOfRepository)]
try {
  await Promise.all(copies.map(work))
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true })
}
say(`${total} breaks, ${survived} survived`)
process.exitCode = survived === 0 ? 0 : 1
