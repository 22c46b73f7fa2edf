import { readFileSync } from 'node:fs'
import { redactSecrets } from '../../src/secrets/secrets.ts'
import { HELD_OUT } from '../../test/secrets/held-out.ts'
import { NEGATIVES } from '../../test/secrets/negatives.ts'
import { isTakenOut, type Shape } from '../../test/secrets/shape.ts'
import { SHAPES } from '../../test/secrets/shapes.ts'
import type { Bench } from '../lib/bench.ts'
import { table } from '../lib/table.ts'

interface Row {
  readonly group: string
  readonly shapes: number
  readonly found: number
}

/** How many shapes of each group are taken out whole, with every word around them kept. */
function foundByGroup(shapes: readonly Shape[]): Row[] {
  const groups = [...new Set(shapes.map(({ group }) => group))]
  return groups.map((group) => {
    const own = shapes.filter((shape) => shape.group === group)
    return { group, shapes: own.length, found: own.filter(isFound).length }
  })
}

function isFound(shape: Shape): boolean {
  return isTakenOut(shape, redactSecrets(shape.text).text)
}

/** Texts without a secret that the rules change. */
function marred(texts: readonly string[]): string[] {
  return texts.filter((text) => redactSecrets(text).text !== text)
}

export const secrets: Bench = {
  name: 'secrets',
  summary:
    'shapes of secrets that are found, texts without one that are marred (--data FILE for more), and the time',
  flags: {
    data: { type: 'string', place: 'FILE', description: 'JSON; every text in it has no secret' },
  },
  run: async (flags) => {
    const [known, heldOut] = [foundByGroup(SHAPES), foundByGroup(HELD_OUT)]
    const innocents =
      typeof flags.data === 'string' ? textsIn(JSON.parse(readFileSync(flags.data, 'utf8'))) : []
    const texts = [
      { texts: 'without a secret', count: NEGATIVES.length, marred: marred(NEGATIVES).length },
      ...(innocents.length > 0
        ? [{ texts: 'of the file', count: innocents.length, marred: marred(innocents).length }]
        : []),
    ]
    const times = [100, 500, 2000, 1_000_000].map((length) => ({ length, milliseconds: timeOf(length) }))
    const report = [
      rowsTable('shape', [...known, sumOf('all', known)]),
      rowsTable('shapes made up after the rules', [...heldOut, sumOf('all', heldOut)]),
      table(
        ['texts', 'number', 'marred'],
        texts.map((row) => Object.values(row).map(String)),
      ),
      table(
        ['signs of a text', 'ms'],
        times.map(({ length, milliseconds }) => [String(length), milliseconds.toFixed(3)]),
      ),
    ].join('\n\n')
    return { report, data: { known, heldOut, texts, times } }
  },
}

function sumOf(group: string, rows: readonly Row[]): Row {
  const sum = (of: 'shapes' | 'found') => rows.reduce((total, row) => total + row[of], 0)
  return { group, shapes: sum('shapes'), found: sum('found') }
}

function rowsTable(head: string, rows: readonly Row[]): string {
  return table(
    [head, 'tried', 'found', 'share'],
    rows.map(({ group, shapes, found }) => [
      group,
      String(shapes),
      String(found),
      `${((found / shapes) * 100).toFixed(1)} %`,
    ]),
  )
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Processor time of one text in plain English, the best of five runs. */
function timeOf(length: number): number {
  const words = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const text = words.repeat(Math.ceil(length / words.length)).slice(0, length)
  const times = Math.max(1, Math.round(200_000 / length))
  const runs = Array.from({ length: 5 }, () => {
    const started = process.cpuUsage()
    for (let time = 0; time < times; time++) redactSecrets(text)
    return process.cpuUsage(started).user / 1000 / times
  })
  return Math.min(...runs)
}
