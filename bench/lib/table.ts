import type { Interval } from './statistics.ts'

/** A table has rows under a head. The first columns (one, unless said) hold text, the others numbers. */
export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly textColumns?: number
}

/** A piece of a result: printed by the bench, and shown by the page of benchmarks where it asks for the name. */
export interface Part {
  /** Lower-case words joined by hyphens, unique within a bench. */
  readonly name: string
  /** The line above it in a terminal; the page has prose instead. */
  readonly title?: string
  readonly body: Table | string
}

/** Returns parts for a terminal. */
export function textOf(parts: readonly Part[]): string {
  const texts = parts.map(({ title, body }) => {
    const text = typeof body === 'string' ? body : textTable(body)
    return title === undefined ? text : `${title}\n${text}`
  })
  return texts.join('\n\n')
}

/** Returns the table in columns: text is left-aligned, numbers are right-aligned. */
export function textTable({ head, rows, textColumns = 1 }: Table): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  const cell = (text: string, column: number) => {
    const width = widths[column] as number
    return column < textColumns ? text.padEnd(width) : text.padStart(width)
  }
  const line = (row: readonly string[]) => row.map(cell).join('  ').trimEnd()
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}

/** Returns a part in Markdown; pipes inside cells are escaped. */
export function markdownOf({ body }: Part): string {
  if (typeof body === 'string') return body
  const { head, rows, textColumns = 1 } = body
  const line = (row: readonly string[]) =>
    `| ${head.map((_, column) => (row[column] ?? '').replaceAll('|', '\\|')).join(' | ')} |`
  const rule = head.map((_, column) => (column < textColumns ? '---' : '---:'))
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n')
}

/** Returns a share as percent with one decimal. */
export function percent(share: number): string {
  return (100 * share).toFixed(1)
}

/** Returns a difference of shares with its interval, in percentage points. */
export function intervalText({ mean, low, high }: Interval): string {
  const points = (share: number) => `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)}`
  return `${points(mean)} [${points(low)}, ${points(high)}]`
}

/** Returns milliseconds with as many decimals as tell something. */
export function milliseconds(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(value < 100 ? 1 : 0)
}
