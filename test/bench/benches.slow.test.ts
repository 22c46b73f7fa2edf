import { parseArgs } from 'node:util'
import { expect, test } from 'vitest'
import { benches } from '../../bench/benches.ts'

/** Those that take long at any size; the others are smoke tested in npm test. */
const SLOW: readonly (readonly [name: string, ...args: readonly string[]])[] = [
  ['paraphrases'],
  ['edges'],
  ['confidence'],
  ['conflicts'],
  ['lifecycle', '--seeds', '1', '--sessions', '2'],
  ['judging', '--blocks', '12', '--latency', '5'],
  ['graph-speed', '--blocks', '300', '--edges', '900'],
]

test.each(SLOW)('the %s bench runs, and its tables can be made from its JSON', async (name, ...args) => {
  const bench = benches.find((each) => each.name === name)!
  const { values } = parseArgs({ args: [...args], options: bench.flags, strict: true })
  const { report, data } = await bench.run(values, () => {})
  expect(report).not.toMatch(/NaN|undefined/)
  const parts = bench.present?.(JSON.parse(JSON.stringify(data)) as never) ?? []
  for (const { body } of parts)
    if (typeof body !== 'string') expect(report).toContain(body.rows[0]?.[0] ?? '')
})
