/**
 * Plays calls that tests make on two checkouts and lists how the answers differ, by kind.
 *
 *   npm run same -- [--before CHECKOUT] [--after CHECKOUT] [--only WORD,WORD]
 *
 * Without `--before` it is the commit of `before.json`. `--only` plays the test files whose name holds a word. What the
 * tests of a commit call, and its answers, are kept below the folder for temporary files.
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import commits from './before.json' with { type: 'json' }
import { type Difference, differencesBetween } from './compare.ts'

/** A kind of difference: how often it was found, the file and number of the first call with it, and why it is wanted. */
type Found = Difference & { count: number; at: string; why: string | undefined }
type Comparison = { calls: number; found: readonly Found[] }
type Options = { before?: string | undefined; after?: string | undefined; only?: readonly string[] }
type WhyOf = (kind: string) => string | undefined

/** The tests whose calls are recorded. */
const RECORDED = ['test/story', 'test/traces', 'test/items', 'test/imports']
const here = import.meta.dirname
const root = resolve(here, '../..')
const kept = join(tmpdir(), 'elfmem-same')

/** Compares the answers of two checkouts to the calls that the tests of the first one make. */
export async function compareCheckouts({ before, after = root, only = [''] }: Options): Promise<Comparison> {
  const was = before ?? checkoutOf(commits.commit)
  const fresh = mkdtempSync(join(tmpdir(), 'elfmem-same-answers-'))
  try {
    const { calls, answers } = await recorded(was)
    const files = readdirSync(calls).filter((file) => only.some((word) => file.includes(word)))
    await play(
      was,
      calls,
      answers,
      files.filter((file) => !existsSync(join(answers, file))),
    )
    await play(after, calls, fresh, files)
    return listed(files, answers, fresh, reasonsOf(after))
  } finally {
    rmSync(fresh, { recursive: true, force: true })
    if (before === undefined) execFileSync('git', ['-C', root, 'worktree', 'remove', '--force', was])
  }
}

/** Makes a checkout of a commit with the packages of this one. */
function checkoutOf(commit: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'before-')), 'checkout')
  execFileSync('git', ['-C', root, 'worktree', 'add', '--quiet', '--detach', path, commit])
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'))
  execFileSync(process.execPath, ['scripts/generate.ts'], { cwd: path, stdio: 'ignore' })
  return path
}

/** Returns the folders of what the tests of a checkout call, recorded now if they were not, and of its answers. */
async function recorded(checkout: string): Promise<{ calls: string; answers: string }> {
  const git = (...args: string[]) => execFileSync('git', ['-C', checkout, ...args], { encoding: 'utf8' })
  if (git('status', '--porcelain', '--', 'src') !== '')
    throw new Error(`${checkout} has changes without a commit.`)
  const commit = git('rev-parse', 'HEAD').slice(0, 12)
  const hash = createHash('sha256')
  for (const name of ['event.ts', 'play.ts', 'record.ts']) hash.update(readFileSync(join(here, name)))
  const folder = join(kept, `${commit}-${hash.digest('hex').slice(0, 8)}`)
  const [calls, answers] = [join(folder, 'calls'), join(folder, 'answers')]
  mkdirSync(answers, { recursive: true })
  if (existsSync(calls)) return { calls, answers }
  const making = mkdtempSync(`${calls}-`)
  const vitest = [join(checkout, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'quick', ...RECORDED]
  const env = { FC_SEED: '1', SAME_RECORD: making, NODE_OPTIONS: `--import ${join(here, 'record.ts')}` }
  await run(vitest, checkout, { ...process.env, ...env })
  renameSync(making, calls)
  return { calls, answers }
}

/** Plays files of events on a checkout, in two processes and a home of their own. */
async function play(
  checkout: string,
  calls: string,
  answers: string,
  files: readonly string[],
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'elfmem-same-home-'))
  const env = { PATH: process.env.PATH, HOME: home, TZ: 'UTC', NODE_COMPILE_CACHE: join(kept, 'compiled') }
  const args = ['--disable-warning=ExperimentalWarning', join(here, 'play.ts'), checkout, calls, answers]
  const halves = [0, 1].map((half) => files.filter((_, at) => at % 2 === half))
  await Promise.all(halves.map((half) => run([...args, ...half], home, env)))
  rmSync(home, { recursive: true, force: true })
}

function run(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (part) => {
    said = `${said}${part}`.slice(-4000)
  })
  return new Promise((done, failed) => {
    child.on('close', (code) => (code === 0 ? done() : failed(new Error(`${args[0]} failed. ${said}`))))
  })
}

function listed(files: readonly string[], before: string, after: string, whyOf: WhyOf): Comparison {
  const kinds = new Map<string, Found>()
  let calls = 0
  for (const file of files) {
    const lines = (folder: string) => readFileSync(join(folder, file), 'utf8').split('\n')
    const others = lines(after)
    for (const [at, line] of lines(before).entries()) {
      calls++
      if (line === others[at]) continue
      const { n, op, answer } = JSON.parse(line)
      for (const each of differencesBetween(op, answer, JSON.parse(others[at] ?? '{}').answer)) {
        const first = { ...each, count: 0, at: `${file} call ${n}`, why: whyOf(each.kind) }
        const known = kinds.get(each.kind) ?? first
        kinds.set(each.kind, { ...known, count: known.count + 1 })
      }
    }
  }
  return { calls, found: [...kinds.values()].sort((a, b) => b.count - a.count) }
}

/** Returns why kinds of difference are wanted by the list of a checkout; `*` in one stands for any characters. */
function reasonsOf(checkout: string): WhyOf {
  const list = readFileSync(join(checkout, 'test/same/differences.json'), 'utf8')
  const reasons = JSON.parse(list) as { kind: string; why: string }[]
  const escaped = (text: string) => text.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&')
  const fits = (kind: string, pattern: string) =>
    new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`, 's').test(kind)
  return (kind) => reasons.find((each) => fits(kind, each.kind))?.why
}

/** Returns a kind of difference as lines for a reader. */
export function tell({ kind, count, at, before, after, why }: Found): string {
  const short = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 200)
  const reason =
    why === undefined ? `before: ${short(before)}\n        after:  ${short(after)}` : `wanted: ${why}`
  return `${String(count).padStart(6)}  ${kind}  (${at})\n        ${reason}\n`
}

if (process.argv[1] === import.meta.filename) {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ options: { before: text, after: text, only: text } })
  const [before, after] = [values.before, values.after].map((path) => path && resolve(path))
  const begun = performance.now()
  const { calls, found } = await compareCheckouts({ before, after, only: values.only?.split(',') ?? [''] })
  const open = found.filter(({ why }) => why === undefined).length
  const seconds = Math.round((performance.now() - begun) / 1000)
  process.stdout.write(found.map(tell).join(''))
  process.stdout.write(
    `${calls} calls, ${found.length} kinds of difference, ${open} not explained, ${seconds} s\n`,
  )
  process.exitCode = open === 0 ? 0 : 1
}
