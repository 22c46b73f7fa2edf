import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { check } from 'recheck'
import type { Expression } from './find.ts'

/** What the checker says of an expression. */
export interface Verdict {
  readonly status: 'safe' | 'vulnerable' | 'unknown'
  /** How steps grow, such as `2nd degree polynomial`, or why nothing is known. */
  readonly growth: string
  /** A text that takes long. */
  readonly attack?: string
}

const { version } = createRequire(import.meta.url)('recheck/package.json') as { version: string }
/** Steps are counted, not timed: a busy machine must not change a verdict. An expression takes some 0.1 s to 10 s. */
const PARAMETERS = { timeout: 120_000, attackTimeout: null, incubationTimeout: null, seedingTimeout: null }
const AT_ONCE = 2

/** The verdict of each expression, by its text. What was safe before is not checked again. */
export async function verdictsOn(
  expressions: readonly Expression[],
  cacheFile: string,
): Promise<ReadonlyMap<string, Verdict>> {
  const known = readCache(cacheFile)
  const verdicts = new Map<string, Verdict>()
  const open = new Map(expressions.map((each) => [textOf(each), each]))
  for (const text of [...open.keys()].filter((each) => known.has(each))) {
    verdicts.set(text, { status: 'safe', growth: 'linear' })
    open.delete(text)
  }
  const queue = [...open]
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      verdicts.set(next[0], await verdictOn(next[1]))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const safe = [...verdicts].filter(([, { status }]) => status === 'safe').map(([text]) => text)
  writeCache(cacheFile, safe)
  return verdicts
}

/** `/source/flags`, as it is written. */
export function textOf({ source, flags }: Expression): string {
  return `/${source}/${flags}`
}

async function verdictOn({ source, flags }: Expression): Promise<Verdict> {
  const found = await check(source, flags, PARAMETERS)
  if (found.status === 'safe') return { status: 'safe', growth: 'linear' }
  if (found.status === 'unknown') return { status: 'unknown', growth: found.error.kind }
  const { complexity, attack } = found
  return { status: 'vulnerable', growth: complexity.summary, attack: attack.pattern }
}

function readCache(file: string): ReadonlySet<string> {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { version: string; safe: string[] }
    return new Set(kept.version === version ? kept.safe : [])
  } catch {
    return new Set()
  }
}

function writeCache(file: string, safe: readonly string[]): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify({ version, safe }, undefined, 1)}\n`)
}
