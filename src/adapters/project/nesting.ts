/** The most levels of nesting. No argument and no setting lies deeper; more levels are an attack on code that walks them. */
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
  let open = 0
  return text.split('\n').some((line) => {
    const { indent, marks, rest } = beginningOf(line)
    if (marks > levels) return true
    if (rest === '' || rest.startsWith('#')) return false
    const brackets = bracketsIn(rest, open)
    open = brackets.open
    return levelOf(indent, indents) + marks > levels || brackets.most > levels
  })
}

/** The level of a line by its indentation and that of the lines it stands in, which are kept in `indents`. */
function levelOf(indent: number, indents: number[]): number {
  while ((indents.at(-1) ?? -1) >= indent) indents.pop()
  return indents.push(indent)
}

/** Brackets that are open behind a line, and the most that were. */
function bracketsIn(line: string, before: number): { readonly open: number; readonly most: number } {
  let open = before
  let most = before
  for (const sign of line) {
    if (sign === '[' || sign === '{') most = Math.max(most, ++open)
    else if (sign === ']' || sign === '}') open = Math.max(0, open - 1)
  }
  return { open, most }
}

/** Returns the indent of a line, the number of lists and keys it opens by marks (`- - ? `), and the rest of it. */
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
