/**
 * Plays the recorded calls of the story tests on two checkouts and lists how the answers differ, by kind.
 *
 *   npx node test/same/same.ts --before CHECKOUT [--after CHECKOUT] [--only WORD,WORD]
 *
 * `--only` plays the files of events whose name holds a word. Recordings and the answers of
 * a clean checkout are kept below the folder for temporary files, under its commit.
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
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Difference, differencesBetween } from './compare.ts'

/** The tests that are recorded. */
const RECORDED = ['test/story', 'test/traces', 'test/items', 'test/imports']
/** Processes at once. */
const LANES = 2

export interface Found extends Difference {
  readonly count: number
  /** The file of events and the number of the call of the example. */
  readonly at: string
  readonly why: string | undefined
}

export interface Comparison {
  readonly calls: number
  readonly found: readonly Found[]
}

type WhyOf = (kind: string) => string | undefined

interface Explained {
  readonly kind: string
  readonly why: string
}

interface Options {
  readonly before: string
  readonly after: string
  readonly only?: readonly string[]
}

const here = import.meta.dirname
const root = resolve(here, '../..')
const kept = join(tmpdir(), 'elfmem-same')

/** Compares the answers of two checkouts to the calls that the tests of the first one make. */
export async function compareCheckouts({ before, after, only = [] }: Options): Promise<Comparison> {
  const plays = await recordingOf(before)
  const files = readdirSync(plays).filter(
    (file) => only.length === 0 || only.some((word) => file.includes(word)),
  )
  const [was, is] = [answersFolder(before), answersFolder(after)]
  try {
    const jobs = [was, is].flatMap(({ checkout, folder }) => {
      const wanted = files.filter((file) => !existsSync(join(folder, file)))
      return lanesOf(wanted, plays).map(
        (lane) => () => run(checkout, 'play.ts', [checkout, plays, folder, ...lane]),
      )
    })
    await inLanes(jobs)
    return listed(files, was.folder, is.folder, reasonsOf(after))
  } finally {
    for (const { folder, isKept } of [was, is]) if (!isKept) rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the folder of events that the tests of a checkout make; records them if that was not done before. */
async function recordingOf(checkout: string): Promise<string> {
  const folder = join(kept, `${keyOf(checkout, 'event.ts', 'record.ts')}-calls`)
  if (existsSync(folder)) return folder
  const making = `${folder}-${process.pid}`
  mkdirSync(making, { recursive: true })
  const vitest = join(checkout, 'node_modules/vitest/vitest.mjs')
  const tests = [vitest, 'run', '--project', 'quick', '--reporter', 'dot', ...RECORDED]
  const env = { SAME_RECORD: making, NODE_OPTIONS: `--import ${join(here, 'record.ts')}` }
  await started(tests, { cwd: checkout, env: { ...process.env, ...env } })
  rmSync(join(making, 'unknown.jsonl'), { force: true })
  renameSync(making, folder)
  return folder
}

/** Returns the folder for the answers of a checkout; it is kept if nothing but its commit decides them. */
function answersFolder(checkout: string) {
  const git = (...args: string[]) => execFileSync('git', ['-C', checkout, ...args], { encoding: 'utf8' })
  const isKept = git('status', '--porcelain', '--', 'src', 'test/helpers', 'kernel', 'model') === ''
  mkdirSync(kept, { recursive: true })
  const folder = isKept
    ? join(kept, `${keyOf(checkout, 'event.ts', 'record.ts', 'play.ts')}-answers`)
    : mkdtempSync(join(kept, 'answers-'))
  return { checkout, folder, isKept }
}

/** Returns a name for the commit of a checkout and some files of this folder. */
function keyOf(checkout: string, ...code: readonly string[]): string {
  const commit = execFileSync('git', ['-C', checkout, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
  const hash = createHash('sha256')
  for (const name of code) hash.update(readFileSync(join(here, name)))
  return `${commit.slice(0, 12)}-${hash.digest('hex').slice(0, 8)}`
}

/** Shares files out to lanes of like size. */
function lanesOf(files: readonly string[], folder: string): string[][] {
  const lanes = Array.from({ length: LANES }, () => ({ size: 0, files: [] as string[] }))
  const sized = files.map((file) => ({ file, size: statSync(join(folder, file)).size }))
  for (const { file, size } of sized.sort((a, b) => b.size - a.size)) {
    const lane = lanes.reduce((least, each) => (each.size < least.size ? each : least))
    lane.size += size
    lane.files.push(file)
  }
  return lanes.map((lane) => lane.files).filter((lane) => lane.length > 0)
}

async function inLanes(jobs: (() => Promise<void>)[]): Promise<void> {
  const lane = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await job()
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

/** Runs a file of this folder, in a home of its own. */
async function run(checkout: string, file: string, args: readonly string[]): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'elfmem-same-home-'))
  try {
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      TZ: 'UTC',
      LANG: 'C',
      NODE_COMPILE_CACHE: join(kept, 'compiled'),
    }
    await started(['--disable-warning=ExperimentalWarning', join(here, file), ...args], { cwd: home, env })
  } catch (error) {
    throw new Error(`The play on ${checkout} failed.`, { cause: error })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function started(args: readonly string[], how: { cwd: string; env: NodeJS.ProcessEnv }): Promise<void> {
  const child = spawn(process.execPath, args, { ...how, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => (said = `${said}${part}`.slice(-4000)))
  return new Promise((done, failed) => {
    child.on('close', (code) => (code === 0 ? done() : failed(new Error(said))))
  })
}

function listed(files: readonly string[], before: string, after: string, whyOf: WhyOf): Comparison {
  const kinds = new Map<string, Found>()
  let calls = 0
  for (const file of files) {
    const [was, is] = [before, after].map((folder) =>
      readFileSync(join(folder, file), 'utf8').trimEnd().split('\n'),
    )
    for (const [at, line] of (was ?? []).entries()) {
      calls++
      const other = is?.[at] ?? '{}'
      if (line === other) continue
      const { n, op, answer } = JSON.parse(line)
      for (const difference of differencesBetween(op, answer, JSON.parse(other).answer)) {
        const known = kinds.get(difference.kind)
        const first = { ...difference, at: `${file} call ${n}`, why: whyOf(difference.kind) }
        kinds.set(difference.kind, { ...(known ?? first), count: (known?.count ?? 0) + 1 })
      }
    }
  }
  const found = [...kinds.values()].sort((a, b) => b.count - a.count)
  return { calls, found }
}

/** Returns why kinds of difference are wanted, by the list of a checkout; `*` in a kind of it stands for any characters. */
function reasonsOf(checkout: string): WhyOf {
  const path = join(checkout, 'test/same/differences.json')
  const listed = JSON.parse(existsSync(path) ? readFileSync(path, 'utf8') : '[]') as Explained[]
  const patterns = listed.map(({ kind, why }) => {
    const pattern = kind.split('*').map(escaped).join('.*')
    return { pattern: new RegExp(`^${pattern}$`, 's'), why }
  })
  return (kind) => patterns.find(({ pattern }) => pattern.test(kind))?.why
}

const escaped = (text: string) => text.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&')

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** Shortens a value for a line. */
const short = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 200)

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: { before: { type: 'string' }, after: { type: 'string' }, only: { type: 'string' } },
  })
  if (values.before === undefined) throw new Error('Pass --before CHECKOUT.')
  const begun = performance.now()
  const { calls, found } = await compareCheckouts({
    before: resolve(values.before),
    after: resolve(values.after ?? root),
    only: values.only?.split(',') ?? [],
  })
  for (const { kind, count, before, after, at, why } of found)
    say(
      `${String(count).padStart(6)}  ${kind}  (${at})${why ? `\n        wanted: ${why}` : `\n        before: ${short(before)}\n        after:  ${short(after)}`}`,
    )
  const open = found.filter(({ why }) => why === undefined).length
  const seconds = Math.round((performance.now() - begun) / 1000)
  say(`${calls} calls, ${found.length} kinds of difference, ${open} not explained, ${seconds} s`)
  process.exitCode = open === 0 ? 0 : 1
}
