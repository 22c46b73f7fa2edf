import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { confidence } from './confidence/confidence.ts'
import { edges } from './edges/edges.ts'
import { graphSpeed } from './graph-speed/graph-speed.ts'
import { languages } from './languages/languages.ts'
import type { Bench, Flag } from './lib/bench.ts'
import { machineFacts } from './lib/machine.ts'
import { table } from './lib/table.ts'
import { lifecycle } from './lifecycle/lifecycle.ts'
import { locomo } from './locomo/locomo.ts'
import { paraphrases } from './paraphrases/paraphrases.ts'
import { pooled } from './pooled/pooled.ts'
import { speed } from './speed/speed.ts'

const benches: readonly Bench[] = [
  locomo,
  pooled,
  paraphrases,
  languages,
  edges,
  confidence,
  lifecycle,
  speed,
  graphSpeed,
]

const COMMON: Readonly<Record<string, Flag>> = {
  json: { type: 'boolean', description: 'Print the result as JSON' },
  out: { type: 'string', description: 'Also write the JSON to this file' },
  help: { type: 'boolean', description: 'Print this' },
}

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  const bench = benches.find((each) => each.name === name)
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
  const machine = machineFacts()
  const json = JSON.stringify({ bench: bench.name, machine, data }, undefined, 2)
  if (typeof values.out === 'string') writeFileSync(values.out, `${json}\n`)
  const { node, cpu, cores, kernel, commit, date } = machine
  const where = `${date} · node ${node} · ${cpu} × ${cores} · kernel ${kernel} · commit ${commit}`
  console.log(values.json === true ? json : `${report}\n\n${where}`)
  return 0
}

function overview(): string {
  return [
    'usage: npm run bench -- <name> [flags]',
    '',
    table(
      ['bench', 'measures'],
      benches.map(({ name, summary }) => [name, summary]),
      2,
    ),
  ].join('\n')
}

function helpOf(bench: Bench, flags: Readonly<Record<string, Flag>>): string {
  const rows = Object.entries(flags).map(
    ([name, { type, default: fallback, description }]) =>
      `  --${name}${type === 'string' ? ' VALUE' : ''}: ${description}${fallback === undefined ? '' : ` (${fallback})`}`,
  )
  return [`${bench.name}: ${bench.summary}`, ...rows].join('\n')
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? (error.stack ?? error.message) : error)
  process.exitCode = 1
}
