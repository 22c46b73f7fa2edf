import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
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
const LONGEST_MS = { one: 300_000, all: 1_800_000 }
/** So long a fuzz suite looks for the break; that it finds nothing without one is what `test:slow` looks for at length. */
const FUZZ_SECONDS = { broken: '15', whole: '2' }
const PARTS = [
  ...['src', 'test', 'bench', 'scripts', 'kernel', 'model', 'plugin', 'package.json', 'tsconfig.json'],
  ...['vitest.config.ts', 'vitest.slow.config.ts'],
]
const say = (line: string) => void process.stdout.write(`${line}\n`)

function copyOfRepository(): string {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'elfmem-mutants-')))
  for (const part of PARTS) cpSync(join(root, part), join(copy, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

const isSlow = ({ test }: Mutant): boolean => test.includes('.slow.')
/** Proofs that measure time: with anything beside them they may fail without a mutant. */
const isTimed = ({ test }: Mutant): boolean => TIMED.includes(test)

/** Runs Vitest on the copy as it is now; its exit status, which is `null` if it never ends. */
async function statusOf(
  copy: string,
  options: readonly string[],
  { env = {}, timeout }: { readonly env?: NodeJS.ProcessEnv; readonly timeout: number },
): Promise<unknown> {
  const running = spawn(join(root, 'node_modules/.bin/vitest'), ['run', ...options], {
    cwd: copy,
    env: { ...process.env, NODE_COMPILE_CACHE: join(copy, '.cache'), ...env },
    stdio: 'ignore',
    timeout,
  })
  const [status] = await once(running, 'exit')
  return status
}

/** Whether the test passes on the copy as it is now. */
async function passes(copy: string, mutant: Mutant, state: 'broken' | 'whole'): Promise<boolean> {
  const { test, cases, only } = mutant
  const config = isSlow(mutant) ? ['--config', 'vitest.slow.config.ts'] : []
  const titled = only === undefined ? [] : ['-t', only]
  const walked = cases === undefined ? {} : { FAULT_CASES: cases }
  const env = { FUZZ_SECONDS: FUZZ_SECONDS[state], ...walked }
  const options = ['--bail', '1', ...config, ...titled, test]
  return (await statusOf(copy, options, { env, timeout: LONGEST_MS.one })) === 0
}

/** Those of the quick tests that pass without a mutant, in one run but each file in a process of its own, as later. */
async function passing(copy: string, mutants: readonly Mutant[]): Promise<ReadonlySet<string>> {
  const tests = new Set(mutants.map(({ test }) => test))
  if (tests.size === 0) return tests
  const report = join(copy, 'report.json')
  const options = ['--isolate', '--reporter=json', `--outputFile=${report}`, ...tests]
  await statusOf(copy, options, { timeout: LONGEST_MS.all })
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: readonly { readonly name: string; readonly status: string }[]
  }
  return new Set(
    testResults.filter(({ status }) => status === 'passed').map(({ name }) => relative(copy, name)),
  )
}

/** Tests that were seen to pass without a mutant: one that fails without would prove nothing. */
const proven = new Map<string, Promise<boolean>>()

async function fateOf(copy: string, mutant: Mutant): Promise<'noticed ' | 'SURVIVED' | 'UNPROVEN'> {
  const { file, from, to, test, cases = '', only = '' } = mutant
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  if (!source.includes(from)) throw new Error(`${file} no longer has what this mutant changes: ${from}`)
  const proof = `${test} ${cases} ${only}`
  if (isSlow(mutant) && !proven.has(proof)) proven.set(proof, passes(copy, mutant, 'whole'))
  if (!(await (proven.get(proof) ?? quick.has(test)))) return 'UNPROVEN'
  writeFileSync(
    path,
    source.replace(from, () => to),
  )
  const noticed = !(await passes(copy, mutant, 'broken'))
  writeFileSync(path, source)
  return noticed ? 'noticed ' : 'SURVIVED'
}

const wantedMutants = MUTANTS.filter(({ file, test }) => `${file} ${test}`.includes(wanted))
let survived = 0

async function work(copy: string, waiting: Mutant[]): Promise<void> {
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const begun = performance.now()
    const fate = await fateOf(copy, mutant)
    if (fate !== 'noticed ') survived += 1
    const seconds = ((performance.now() - begun) / 1_000).toFixed(0)
    say(`${fate}  ${mutant.breaks} (${mutant.file}, ${mutant.test}, ${seconds} s)`)
  }
}

const copies = Array.from({ length: COPIES }, copyOfRepository)
let quick: ReadonlySet<string> = new Set()
try {
  quick = await passing(
    copies[0] as string,
    wantedMutants.filter((mutant) => !isSlow(mutant)),
  )
  // Those that take long go first, so that no core waits for them at the end.
  const together = wantedMutants
    .filter((mutant) => !isTimed(mutant))
    .toSorted((one, other) => Number(isSlow(other)) - Number(isSlow(one)))
  await Promise.all(copies.map((copy) => work(copy, together)))
  await work(copies[0] as string, wantedMutants.filter(isTimed))
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true })
}
say(`${wantedMutants.length} breaks, ${survived} survived`)
process.exitCode = survived === 0 ? 0 : 1
