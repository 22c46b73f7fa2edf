import type { Fitted } from '../../src/recall/render.ts'
import { fitBudget } from '../../src/recall/render.ts'

/** `fitBudget` for lines under one heading (none when ''): heading and lines are joined by line breaks. */
export function fitLines(heading: string, lines: readonly string[], budget: number): Fitted<string> {
  return fitBudget({
    items: lines,
    render: (shown) => (heading === '' ? shown : [heading, ...shown]).join('\n'),
    withText: (_line, text) => text,
    textOf: (line) => line,
    budget,
  })
}
