import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'

/** A regular expression of the source, and where it stands. */
export interface Expression {
  readonly source: string
  readonly flags: string
  /** `src/a.ts:12`. */
  readonly place: string
  /** What a comment above it says of the number of steps it can take; undefined if it says nothing. */
  readonly bounded?: string
}

/** The places of the source where expressions stand or are made. */
export interface Places {
  readonly literals: readonly Expression[]
  /** `src/a.ts:12` of each `new RegExp`, with the comment about its steps. */
  readonly made: ReadonlyMap<string, string | undefined>
}

/** An exception needs a bound, beside the expression: this word, and the reason. */
const BOUNDED = /^\s*(?:\/\/|\*|\/\*\*)\s*Bounded: (.*?)(?:\*\/)?$/

/** The files of the source, tests left out, as paths from the root. */
export function sourceFiles(root: string): string[] {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !/\.(?:test|d)\.ts$/.test(file))
  return files.map((file) => file.replaceAll('\\', '/')).sort()
}

/** Finds every literal expression and every place that makes one. */
export function findExpressions(root: string): Places {
  const literals: Expression[] = []
  const made = new Map<string, string | undefined>()
  for (const file of sourceFiles(root)) {
    const text = readFileSync(join(root, file), 'utf8')
    const lines = text.split('\n')
    visit(parseSync(file, text).program, (node) => {
      const line = text.slice(0, node.start).split('\n').length
      const place = `${file}:${line}`
      const bounded = boundOf(lines, line)
      if (node.regex)
        literals.push({
          source: node.regex.pattern,
          flags: node.regex.flags,
          place,
          ...(bounded && { bounded }),
        })
      else if (isMaking(node)) made.set(place, bounded)
    })
  }
  return { literals, made }
}

interface Node {
  readonly type: string
  readonly start: number
  readonly regex?: { readonly pattern: string; readonly flags: string }
  readonly callee?: { readonly name?: string }
}

function isMaking({ type, callee }: Node): boolean {
  return (type === 'NewExpression' || type === 'CallExpression') && callee?.name === 'RegExp'
}

function visit(value: unknown, found: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return
  if ('type' in value && 'start' in value) found(value as Node)
  for (const each of Object.values(value)) visit(each, found)
}

/** The comment may stand above the statement, which may begin some lines before the expression. */
function boundOf(lines: readonly string[], line: number): string | undefined {
  for (let at = line - 2; at >= Math.max(0, line - 4); at--) {
    const said = BOUNDED.exec(lines[at] ?? '')?.[1]
    if (said !== undefined) return said.trim()
    if (/[/].*[/][a-z]*[,;)]?\s*$/.test(lines[at] ?? '')) return undefined
  }
  return undefined
}
