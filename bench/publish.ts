import { readFileSync, writeFileSync } from 'node:fs'
import type { Bench } from './lib/bench.ts'
import { RESULTS, readResults } from './lib/result.ts'
import { PAGE, PUBLISHED, publishedJson, readPublished, renderPage, withResults } from './published.ts'

/** Makes the command that puts results of these benches on the page of benchmarks. */
export function publishing(benches: readonly Bench[]): Bench {
  return {
    name: 'publish',
    summary: 'puts the results of a folder into bench/published.json and on the page of benchmarks',
    flags: {
      results: { type: 'string', place: 'DIR', default: RESULTS, description: 'The folder with the results' },
    },
    run: async (flags) => {
      const results = readResults(String(flags.results))
      const published = withResults(readPublished(), { benches, results })
      writeFileSync(PUBLISHED, publishedJson(published))
      writeFileSync(PAGE, renderPage(readFileSync(PAGE, 'utf8'), published))
      const names = [...results.keys()]
      return { report: `Published ${names.join(', ')}.`, data: names }
    },
  }
}
