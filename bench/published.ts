import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Bench, folderFlag } from './lib/bench.ts'
import { originOf, RESULTS, type Result, readResults } from './lib/result.ts'
import { markdownOf, type Part } from './lib/table.ts'

/** The numbers that `docs/benchmarks.md` shows: the parts of each bench by their names. */
export type Published = Readonly<Record<string, Readonly<Record<string, Part['body']>>>>

export const PUBLISHED = fileURLToPath(new URL('published.json', import.meta.url))
export const PAGE = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url))

const MARKED = /<!-- bench:([\w-]+)\/([\w-]+) -->\n[\s\S]*?<!-- \/bench -->/g

/** Makes the command that puts results of these benches on the page of benchmarks. */
export function publishing(benches: readonly Bench[]): Bench {
  return {
    name: 'publish',
    summary: 'puts the results of a folder into bench/published.json and on the page of benchmarks',
    flags: { results: folderFlag('The folder with the results; bench/results by default') },
    run: async ({ results = RESULTS }) => {
      const found = readResults(String(results))
      const published = withResults(readPublished(), benches, found)
      writeFileSync(PUBLISHED, publishedJson(published))
      writeFileSync(PAGE, renderPage(readFileSync(PAGE, 'utf8'), published))
      return [...found.keys()]
    },
    present: (names: readonly string[]) => [{ name: 'published', body: `Published ${names.join(', ')}.` }],
  }
}

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
function withResults(
  published: Published,
  benches: readonly Bench[],
  results: ReadonlyMap<string, Result>,
): Published {
  const entries = Object.entries(published).map(([name, before]) => {
    const [result, bench] = [results.get(name), benches.find((each) => each.name === name)]
    if (result === undefined || bench === undefined) return [name, before]
    const parts = bench.present(result.data as never).map((part) => [part.name, part.body])
    const now = Object.fromEntries([...parts, ['origin', `\`${result.command}\`: ${originOf(result)}.`]])
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
