import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { type Comment, type Node, type Program, parseSync, visitorKeys } from 'oxc-parser'

/** One file of the product; its path is relative to `src`. */
export interface Source {
  readonly file: string
  readonly text: string
  readonly lines: number
  readonly program: Program
  readonly comments: readonly Comment[]
}

/** Parses one file; throws when it is not TypeScript, because every count of it would be too low. */
export function parseSource(file: string, text: string): Source {
  const { program, comments, errors } = parseSync(file, text)
  if (errors[0] !== undefined) throw new Error(`${file} cannot be parsed: ${errors[0].message}`)
  return { file, text, lines: text.split('\n').length - 1, program, comments }
}

/** True for a file that somebody wrote and that is no test; the measure of a generated one is its generator's. */
function isWritten(file: string): boolean {
  return file.endsWith('.ts') && !/\.(?:test|generated)\.ts$/.test(file)
}

/** Reads every TypeScript file below a folder that is written by hand, tests apart, in the order of their paths. */
export function readSources(folder: string): readonly Source[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .filter(isWritten)
    .map((file) => parseSource(file.split(sep).join('/'), readFileSync(join(folder, file), 'utf8')))
    .sort((a, b) => (a.file < b.file ? -1 : 1))
}

/** The line an offset stands on, from 1. */
export function lineAt(source: Source, offset: number): number {
  return source.text.slice(0, offset).split('\n').length
}

/** Visits a node and all below it, in the order of the text. */
export function walk(node: Node, visit: (node: Node, parent?: Node) => void, parent?: Node): void {
  visit(node, parent)
  for (const key of visitorKeys[node.type] ?? []) {
    const below = (node as unknown as Record<string, Node | readonly (Node | null)[] | null>)[key]
    for (const child of [below ?? []].flat()) if (child !== null) walk(child, visit, node)
  }
}
