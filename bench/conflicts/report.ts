import type { Part } from '../lib/part.ts'
import { percent, type Table } from '../lib/table.ts'
import type { Counted } from './judge.ts'
import type { Half } from './labelled.ts'

/** A row of a table: what was counted, of which half. */
export interface CountedRow extends Counted {
  readonly half: Half
  /** A rule, a band of cosines, or all. */
  readonly of: string
}

/** The pairs of one band of cosines: `wanted` counts labelled contradictions, `found` those that the rules see. */
export interface BandRow extends CountedRow {
  readonly pairs: number
}

export interface ConflictsData {
  readonly cosineFloor: number
  readonly rules: readonly CountedRow[]
  readonly bands: readonly BandRow[]
  readonly others: { readonly texts: number; readonly found: number }
}

/** What the page shows. */
export function partsOf({ rules, bands, others, cosineFloor }: ConflictsData): readonly Part[] {
  const { texts, found } = others
  const elsewhere = `Among ${texts} texts of the other benches, each with each and whatever the cosine, the rules see ${found} contradictions in ${(texts * (texts - 1)) / 2} pairs.`
  return [
    { name: 'rules', title: `By rule, from cosine ${cosineFloor}`, body: countedTable('rule', rules) },
    { name: 'bands', title: 'By cosine, without a floor', body: bandsTable(bands) },
    { name: 'elsewhere', body: elsewhere },
  ]
}

const MEASURES = ['precision', '95 %', 'recall', 'F1']

function countedTable(name: string, rows: readonly CountedRow[]): Table {
  return {
    head: ['half', name, 'found', 'right', 'labelled', ...MEASURES],
    rows: rows.map((row) => [
      row.half,
      row.of,
      ...[row.found, row.right, row.wanted].map(String),
      ...measures(row),
    ]),
    textColumns: 2,
  }
}

function bandsTable(rows: readonly BandRow[]): Table {
  return {
    head: ['half', 'cosine', 'pairs', 'found', 'right', 'labelled', ...MEASURES],
    rows: rows.map((row) => [
      row.half,
      row.of,
      ...[row.pairs, row.found, row.right, row.wanted].map(String),
      ...measures(row),
    ]),
    textColumns: 2,
  }
}

function measures({ found, right, wanted, met }: Counted): string[] {
  const precision = right / found
  const recall = met / wanted
  const f1 = (2 * precision * recall) / (precision + recall)
  const share = (value: number) => (Number.isFinite(value) ? percent(value) : '–')
  return [share(precision), found === 0 ? '–' : interval(right, found), share(recall), share(f1)]
}

const Z = 1.96

/** Wilson's score interval of a share, which says something of few cases and of all being right, too. */
function interval(right: number, all: number): string {
  const share = right / all
  const spread = Z * Math.sqrt((share * (1 - share) + (Z * Z) / (4 * all)) / all)
  const [middle, scale] = [share + (Z * Z) / (2 * all), 1 + (Z * Z) / all]
  return `${percent(Math.max(0, (middle - spread) / scale))}–${percent(Math.min(1, (middle + spread) / scale))}`
}
