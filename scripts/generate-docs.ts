import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { benches } from '../bench/benches.ts'
import { chartsOf } from '../bench/charts/charts.ts'
import { RESULTS, readResults } from '../bench/lib/result.ts'
import { operations } from '../src/operations/table.ts'
import { renderBenchmarks } from './docs/benchmarks.ts'
import { renderConfiguration } from './docs/configuration.ts'
import { renderReference } from './docs/reference.ts'

const pathOf = (name: string) => fileURLToPath(new URL(`../docs/${name}`, import.meta.url))

/** The generated pages by their path in docs/; of `benchmarks.md` only what stands between marks is generated. */
export async function generatedPages(): Promise<Readonly<Record<string, string>>> {
  const results = readResults(RESULTS)
  const charts = Object.entries(chartsOf(results)).map(([name, svg]) => [`charts/${name}`, svg])
  const benchmarks = readFileSync(pathOf('benchmarks.md'), 'utf8')
  return {
    'reference.md': await renderReference(operations),
    'configuration.md': renderConfiguration(),
    'benchmarks.md': renderBenchmarks(benchmarks, { benches, results }),
    ...Object.fromEntries(charts),
  }
}

if (import.meta.main)
  for (const [name, text] of Object.entries(await generatedPages())) {
    mkdirSync(dirname(pathOf(name)), { recursive: true })
    writeFileSync(pathOf(name), text)
  }
