import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Mutant } from './mutant.ts'
import { MUTANTS } from './mutants.ts'

/**
 * Breaks one guarantee after the other in a copy of the sources and runs the test that proves it: each must fail.
 * Ends with 1 when one passes. `npm run test:mutants -- <part of a file name>` looks at some.
 */
const root = resolve(import.meta.dirname, '../..')
const [wanted = ''] = process.argv.slice(2)
const say = (line: string) => void process.stdout.write(`${line}\n`)

function copyOfRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'elfmem-mutants-'))
  for (const part of [
    'src',
    'test',
    'kernel',
    'model',
    'package.json',
    'tsconfig.json',
    'vitest.config.ts',
    'vitest.slow.config.ts',
  ])
    cpSync(join(root, part), join(copy, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** Whether the test passes on the copy as it is now. One that never ends does not. */
function passes(copy: string, { test, cases }: Pick<Mutant, 'test' | 'cases'>): boolean {
  const config = test.includes('.slow.') ? ['--config', 'vitest.slow.config.ts'] : []
  const { status } = spawnSync(join(root, 'node_modules/.bin/vitest'), ['run', ...config, test], {
    cwd: copy,
    env: { ...process.env, ...(cases === undefined ? {} : { FAULT_CASES: cases }) },
    stdio: 'ignore',
    timeout: 300_000,
  })
  return status === 0
}

/** A test that fails without the mutant would prove nothing. */
function isNoticed(copy: string, mutant: Mutant, proven: Set<string>): boolean {
  const { file, from, to, test, cases } = mutant
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  if (!source.includes(from)) throw new Error(`${file} no longer has what this mutant changes: ${from}`)
  const proof = `${test} ${cases}`
  if (!proven.has(proof) && !passes(copy, mutant)) throw new Error(`${proof} fails without any mutant`)
  proven.add(proof)
  writeFileSync(
    path,
    source.replace(from, () => to),
  )
  const noticed = !passes(copy, mutant)
  writeFileSync(path, source)
  return noticed
}

const copy = copyOfRepository()
const proven = new Set<string>()
let survived = 0
for (const mutant of MUTANTS) {
  if (!`${mutant.file} ${mutant.test}`.includes(wanted)) continue
  const noticed = isNoticed(copy, mutant, proven)
  if (!noticed) survived += 1
  say(`${noticed ? 'noticed ' : 'SURVIVED'}  ${mutant.breaks} (${mutant.file}, ${mutant.test})`)
}
rmSync(copy, { recursive: true, force: true })
say(`${survived} survived`)
process.exitCode = survived === 0 ? 0 : 1
