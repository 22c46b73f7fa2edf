import type { Bench } from '../../bench/lib/bench.ts'
import { markdownOf } from '../../bench/lib/part.ts'
import { originOf, type Result } from '../../bench/lib/result.ts'

const MARKED = /<!-- bench:([\w-]+)\/([\w-]+) -->\n[\s\S]*?<!-- \/bench -->/g
/** The part that every result has: how and where it was made. */
const ORIGIN = 'origin'

export interface BenchmarksSource {
  readonly benches: readonly Bench[]
  readonly results: ReadonlyMap<string, Result>
}

/**
 * The page of benchmarks with what stands between `<!-- bench:NAME/PART -->` and `<!-- /bench -->` made anew from the
 * results; the rest is left alone. Throws for a bench without a result and for a part it does not have.
 */
export function renderBenchmarks(page: string, { benches, results }: BenchmarksSource): string {
  return page.replaceAll(MARKED, (_, name: string, part: string) => {
    const bench = benches.find((each) => each.name === name)
    const result = results.get(name)
    if (!bench?.present || !result) throw new Error(`the page shows ${name}, but no result of it is there`)
    return `<!-- bench:${name}/${part} -->\n\n${textOf(part, bench.present, result)}\n\n<!-- /bench -->`
  })
}

function textOf(name: string, present: NonNullable<Bench['present']>, result: Result): string {
  if (name === ORIGIN) return `\`${result.command}\`: ${originOf(result)}.`
  const parts = present(result.data as never)
  const part = parts.find((each) => each.name === name)
  if (!part) {
    const known = [ORIGIN, ...parts.map((each) => each.name)].join(', ')
    throw new Error(`a result of ${result.bench} has the parts ${known}; not ${name}`)
  }
  return markdownOf(part)
}
