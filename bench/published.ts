import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Bench } from './lib/bench.ts'
import { markdownOf, type Part } from './lib/part.ts'
import { originOf, type Result } from './lib/result.ts'

/** The numbers that `docs/benchmarks.md` shows: the parts of each bench by their names. */
export type Published = Readonly<Record<string, Readonly<Record<string, Part['body']>>>>

export const PUBLISHED = fileURLToPath(new URL('published.json', import.meta.url))
export const PAGE = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url))

/** The part that every bench has: how and where it was measured. */
const ORIGIN = 'origin'
const MARKED = /<!-- bench:([\w-]+)\/([\w-]+) -->\n[\s\S]*?<!-- \/bench -->/g

/** Reads the data of the page. */
export function readPublished(): Published {
  return JSON.parse(readFileSync(PUBLISHED, 'utf8')) as Published
}

/** Returns the data as JSON, a row of a table on a line. */
export function publishedJson(published: Published): string {
  const benches = Object.entries(published).map(([name, parts]) => {
    const lines = Object.entries(parts).map(([part, body]) => `  ${JSON.stringify(part)}: ${bodyJson(body)}`)
    return ` ${JSON.stringify(name)}: {\n${lines.join(',\n')}\n }`
  })
  return `{\n${benches.join(',\n')}\n}\n`
}

function bodyJson(body: Part['body']): string {
  if (typeof body === 'string') return JSON.stringify(body)
  const { rows, ...others } = body
  const lines = rows.map((row) => `   ${JSON.stringify(row)}`)
  return `${JSON.stringify(others).slice(0, -1)},"rows":[\n${lines.join(',\n')}\n  ]}`
}

/** Returns the data with the parts that results have; a part that no result has stays as it is. */
export function withResults(
  published: Published,
  { benches, results }: { readonly benches: readonly Bench[]; readonly results: ReadonlyMap<string, Result> },
): Published {
  const partsOf = (result: Result): Readonly<Record<string, Part['body']>> => {
    const present = benches.find(({ name }) => name === result.bench)?.present
    const parts = present?.(result.data as never) ?? []
    const origin = `\`${result.command}\`: ${originOf(result)}.`
    return { ...Object.fromEntries(parts.map(({ name, body }) => [name, body])), [ORIGIN]: origin }
  }
  const entries = Object.entries(published).map(([name, before]) => {
    const result = results.get(name)
    const now = result === undefined ? {} : partsOf(result)
    return [name, Object.fromEntries(Object.keys(before).map((part) => [part, now[part] ?? before[part]]))]
  })
  return Object.fromEntries(entries) as Published
}

/** Returns the page with the text between `<!-- bench:NAME/PART -->` and `<!-- /bench -->` made of the data. */
export function renderPage(page: string, published: Published): string {
  return page.replaceAll(MARKED, (_, name: string, part: string) => {
    const body = published[name]?.[part]
    if (body === undefined) throw new Error(`the page shows ${name}/${part}, which is not in the data`)
    return `<!-- bench:${name}/${part} -->\n${markdownOf({ name: part, body })}\n<!-- /bench -->`
  })
}
