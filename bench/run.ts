import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { benches } from './benches.ts'
import { type Bench, type Flag, listOf } from './lib/bench.ts'
import { machineFacts } from './lib/machine.ts'
import { commandOf, originOf, type Result, resultJson, sha256 } from './lib/result.ts'
import { table } from './lib/table.ts'
import { publishing } from './publish.ts'

const runnable: readonly Bench[] = [...benches, publishing(benches)]

const COMMON: Readonly<Record<string, Flag>> = {
  json: { type: 'boolean', description: 'Print the result as JSON' },
  out: { type: 'string', place: 'FILE', description: 'Also write the JSON to this file' },
  help: { type: 'boolean', description: 'Print this' },
}

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  const bench = runnable.find((each) => each.name === name)
  if (!bench) {
    console.log(overview())
    return name === undefined || name === '--help' ? 0 : 2
  }
  const flags = { ...bench.flags, ...COMMON }
  const { values } = parseArgs({ args: rest, options: flags, strict: true })
  if (values.help === true) {
    console.log(helpOf(bench, flags))
    return 0
  }
  // What goes on is for the person who waits; the result alone is on the standard output.
  const { report, data } = await bench.run(values, (line) => console.error(line))
  const result: Result = {
    bench: bench.name,
    command: commandOf(bench, bench.flags, values),
    machine: machineFacts(),
    ...(typeof values.data === 'string' && bench.flags.data?.place === 'FILE'
      ? { dataSha256: sha256(listOf(values, 'data')) }
      : {}),
    data,
  }
  const json = resultJson(result)
  if (typeof values.out === 'string') {
    mkdirSync(dirname(values.out), { recursive: true })
    writeFileSync(values.out, json)
  }
  console.log(values.json === true ? json.trimEnd() : `${report}\n\n${originOf(result)}`)
  return 0
}

function overview(): string {
  return [
    'usage: npm run bench -- <name> [flags]',
    '',
    table(
      ['bench', 'measures'],
      runnable.map(({ name, summary }) => [name, summary]),
      2,
    ),
  ].join('\n')
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
