/** One line of the table. */
export interface Row {
  readonly name: string
  readonly value: number
  readonly note?: string
}

/** Renders the rows with names to the left and numbers to the right. */
export function renderTable(rows: readonly Row[]): string {
  const wide = Math.max(...rows.map(({ name }) => name.length))
  return rows
    .map(({ name, value, note }) =>
      `${name.padEnd(wide)} ${String(value).padStart(7)}  ${note ?? ''}`.trimEnd(),
    )
    .join('\n')
}
