import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { TIMED } from '../../vitest.slow.config.ts'
import type { Mutant } from './mutant.ts'
import { MUTANTS } from './mutants.ts'

/**
 * Breaks one guarantee after the other in copies of the sources and runs the test that proves it: each must fail.
 * Ends with 1 when one passes, or fails without the break (UNPROVEN). `npm run test:mutants -- <part of a file name>` looks at some.
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

async function fateOf(copy: string, mutant: Mutant): Promise<'noticed ' | 'SURVIVED' | 'UNPROVEN'> {
  const { file, from, to, test, cases = '', only = '' } = mutant
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  if (!source.includes(from)) throw new Error(`${file} no longer has what this mutant changes: ${from}`)
  const proof = `${test} ${cases} ${only}`
  if (!proven.has(proof)) proven.set(proof, passes(copy, mutant))
  if (!(await proven.get(proof))) return 'UNPROVEN'
  writeFileSync(
    path,
    source.replace(from, () => to),
  )
  const noticed = !(await passes(copy, mutant))
  writeFileSync(path, source)
  return noticed ? 'noticed ' : 'SURVIVED'
}

const wantedMutants = MUTANTS.filter(({ file, test }) => `${file} ${test}`.includes(wanted))
/** Proofs that measure time: with anything beside them they may fail without a mutant. */
const isTimed = ({ test }: Mutant): boolean => TIMED.includes(test)
let survived = 0

async function work(copy: string, waiting: Mutant[]): Promise<void> {
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const fate = await fateOf(copy, mutant)
    if (fate !== 'noticed ') survived += 1
    say(`${fate}  ${mutant.breaks} (${mutant.file}, ${mutant.test})`)
  }
}

const copies = Array.from({ length: COPIES }, copyOfRepository)
try {
  const together = wantedMutants.filter((mutant) => !isTimed(mutant))
  await Promise.all(copies.map((copy) => work(copy, together)))
  await work(copies[0] as string, wantedMutants.filter(isTimed))
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true })
}
say(`${wantedMutants.length} breaks, ${survived} survived`)
process.exitCode = survived === 0 ? 0 : 1
