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
import { METHODS_FILE, renderMethods } from './methods/methods.ts'

const pathOf = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** The generated files by their paths in the repository; of `benchmarks.md` only what stands between marks is generated. */
export async function generatedFiles(): Promise<Readonly<Record<string, string>>> {
  const results = readResults(RESULTS)
  const charts = Object.entries(chartsOf(results)).map(([name, svg]) => [`docs/charts/${name}`, svg])
  const benchmarks = readFileSync(pathOf('docs/benchmarks.md'), 'utf8')
  return {
    'docs/reference.md': await renderReference(operations),
    'docs/configuration.md': renderConfiguration(),
    'docs/benchmarks.md': renderBenchmarks(benchmarks, { benches, results }),
    ...Object.fromEntries(charts),
    [METHODS_FILE]: renderMethods(operations),
  }
}

if (import.meta.main)
  for (const [name, text] of Object.entries(await generatedFiles())) {
    mkdirSync(dirname(pathOf(name)), { recursive: true })
    writeFileSync(pathOf(name), text)
  }
