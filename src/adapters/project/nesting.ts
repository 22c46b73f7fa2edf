/** No argument and no setting lies deeper; more levels than these are an attack on whoever walks them. */
export const NESTING_MAX = 32

/** True if a value holds objects or lists more than `levels` deep; an object that holds itself does. */
export function isNestedDeeper(value: unknown, levels = NESTING_MAX): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isNestedDeeper(each, levels - 1))
}

/**
 * True if a text of YAML or JSON nests more than `levels` deep, by its brackets, marks and indentation alone; one pass.
 * Brackets in quoted words count too, which no setting has so many of.
 */
export function nestsDeeper(text: string, levels = NESTING_MAX): boolean {
  const indents: number[] = []
  let brackets = 0
  for (const line of text.split('\n')) {
    const { indent, marks, rest } = beginningOf(line)
    if (marks > levels) return true
    if (rest === '' || rest.startsWith('#')) continue
    while (indents.length > 0 && (indents.at(-1) ?? 0) >= indent) indents.pop()
    indents.push(indent)
    const { open, most } = bracketsIn(rest, brackets)
    if (Math.max(indents.length + marks, most) > levels) return true
    brackets = open
  }
  return false
}

/** How many brackets are open behind a text, and how many were at most. */
function bracketsIn(text: string, before: number): { open: number; most: number } {
  let [open, most] = [before, before]
  for (const sign of text) {
    if ('[{'.includes(sign)) open++
    else if (']}'.includes(sign)) open = Math.max(0, open - 1)
    most = Math.max(most, open)
  }
  return { open, most }
}

/** How far in a line begins, how many lists and keys it opens by marks (`- - ? `), and what it says. */
function beginningOf(line: string): { indent: number; marks: number; rest: string } {
  let at = 0
  let indent = -1
  let marks = 0
  for (; at < line.length; at++) {
    if (line[at] === ' ') continue
    if (indent < 0) indent = at
    const isMark = '-?:'.includes(line.charAt(at)) && (line[at + 1] === ' ' || at + 1 === line.length)
    if (!isMark) break
    marks++
  }
  return { indent: Math.max(0, indent), marks, rest: line.slice(at).trim() }
}
