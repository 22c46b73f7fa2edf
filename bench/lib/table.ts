import type { Interval } from './statistics.ts'

/** Rows under a head, before they are laid out: the first columns (one, unless said) hold text, the others numbers. */
export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly textColumns?: number
}

/** Rows as text columns: the first ones (one, unless said) left-aligned, the others right-aligned. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  textColumns = 1,
): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => {
        const width = widths[column] as number
        return column < textColumns ? cell.padEnd(width) : cell.padStart(width)
      })
      .join('  ')
      .trimEnd()
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}

/** The table for a terminal. */
export function textTable({ head, rows, textColumns }: Table): string {
  return table(head, rows, textColumns)
}

/** The table in Markdown; pipes inside cells are escaped. */
export function markdownTable({ head, rows, textColumns = 1 }: Table): string {
  const line = (row: readonly string[]) =>
    `| ${head.map((_, column) => (row[column] ?? '').replaceAll('|', '\\|')).join(' | ')} |`
  const rule = head.map((_, column) => (column < textColumns ? '---' : '---:'))
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n')
}

/** A share as percent with one decimal. */
export function percent(share: number): string {
  return (100 * share).toFixed(1)
}

/** Percentage points with a sign. */
export function points(share: number): string {
  return `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)}`
}

/** A difference of shares with its interval, in percentage points. */
export function intervalText({ mean, low, high }: Interval): string {
  return `${points(mean)} [${points(low)}, ${points(high)}]`
}

/** Milliseconds with as many decimals as tell something. */
export function milliseconds(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(value < 100 ? 1 : 0)
}
