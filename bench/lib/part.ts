import { markdownTable, type Table, textTable } from './table.ts'

/** A piece of a result: printed by the bench, and shown by the page of benchmarks where it asks for the name. */
export interface Part {
  /** Lower-case words joined by hyphens, unique within a bench. */
  readonly name: string
  /** What stands above it in a terminal; the page has prose instead. */
  readonly title?: string
  readonly body: Table | string
}

/** All parts for a terminal. */
export function textOf(parts: readonly Part[]): string {
  return parts
    .map(({ title, body }) =>
      [...(title === undefined ? [] : [title]), typeof body === 'string' ? body : textTable(body)].join('\n'),
    )
    .join('\n\n')
}

/** One part in Markdown. */
export function markdownOf({ body }: Part): string {
  return typeof body === 'string' ? body : markdownTable(body)
}
