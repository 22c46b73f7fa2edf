import { preview } from '../../domain/text/text.ts'
import { shortId } from '../wording.ts'

/** Code points of another text. */
export const PREVIEW = 80

/** Rows in columns as wide as their widest cell, the last one as it is; nothing of none. */
export function section(heading: string, rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return ['', heading, ...lines.map((line) => `  ${line.trimEnd()}`)]
}

/** Words in brackets; nothing of none. */
export function aside(text: string | undefined): string {
  return text ? ` (${preview(text, PREVIEW)})` : ''
}

/** `2026-03-01 09:30`, UTC. */
export function minuteOf(at: string): string {
  return at.slice(0, 16).replace('T', ' ')
}

/** Ids as everywhere else in what people read. */
export function withShortIds(text: string): string {
  return text.replaceAll(/\b[0-9a-f]{16}\b/g, shortId)
}
