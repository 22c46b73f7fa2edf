import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { benches } from './benches.ts'
import { type Bench, type Flag, listOf, textFlag } from './lib/bench.ts'
import { commandOf, machineFacts, originOf, type Result, resultJson, sha256 } from './lib/result.ts'
import { textOf, textTable } from './lib/table.ts'
import { publishing } from './published.ts'

const runnable: readonly Bench[] = [...benches, publishing(benches)]

const COMMON: Readonly<Record<string, Flag>> = {
  json: { type: 'boolean', description: 'Print the result as JSON' },
  out: textFlag('Also write the JSON to this file'),
  help: { type: 'boolean', description: 'Print this' },
}

async function main([name, ...args]: readonly string[]): Promise<number> {
  const bench = runnable.find((each) => each.name === name)
  if (!bench) {
    const rows = runnable.map((each) => [each.name, each.summary])
    console.log('usage: npm run bench -- <name> [flags]\n')
    console.log(textTable({ head: ['bench', 'measures'], rows, textColumns: 2 }))
    return name === undefined || name === '--help' ? 0 : 2
  }
  const flags = { ...bench.flags, ...COMMON }
  const { values } = parseArgs({ args, options: flags, strict: true })
  if (values.help === true) {
    console.log(helpOf(bench, flags))
    return 0
  }
  // Only the result goes to standard output; progress does not.
  const data = await bench.run(values, (line) => console.error(line))
  const isFile = typeof values.data === 'string' && bench.flags.data?.place === 'FILE'
  const result: Result = {
    bench: bench.name,
    command: commandOf(bench, values),
    machine: machineFacts(),
    ...(isFile && { dataSha256: sha256(listOf(values, 'data')) }),
    data,
  }
  const json = resultJson(result)
  if (typeof values.out === 'string') {
    mkdirSync(dirname(values.out), { recursive: true })
    writeFileSync(values.out, json)
  }
  const report = () => `${textOf(bench.present(data as never))}\n\n${originOf(result)}`
  console.log(values.json === true ? json.trimEnd() : report())
  return 0
}

function helpOf(bench: Bench, flags: Readonly<Record<string, Flag>>): string {
  const rows = Object.entries(flags).map(
    ([name, { type, default: fallback, description, place = 'VALUE' }]) =>
      `  --${name}${type === 'string' ? ` ${place}` : ''}: ${description}${fallback === undefined ? '' : ` (${fallback})`}`,
  )
  return [`${bench.name}: ${bench.summary}`, ...rows].join('\n')
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? (error.stack ?? error.message) : error)
  process.exitCode = 1
}
