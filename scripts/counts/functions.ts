import type { Node } from 'oxc-parser'
import { lineAt, type Source, walk } from './sources.ts'

/** A function with a body in braces, and the lines from brace to brace. */
export interface MeasuredFunction {
  readonly file: string
  readonly name: string
  readonly lines: number
}

function nameIn(node: Node | undefined): string | undefined {
  if (node === undefined) return undefined
  if ('id' in node && node.id?.type === 'Identifier') return node.id.name
  if ('key' in node && (node.key.type === 'Identifier' || node.key.type === 'PrivateIdentifier'))
    return node.key.name
  return undefined
}

function hasBlock(node: Node): node is Node & { readonly body: Node } {
  const isFunction =
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  return isFunction && node.body?.type === 'BlockStatement'
}

function functionsOf(source: Source): readonly MeasuredFunction[] {
  const found: MeasuredFunction[] = []
  walk(source.program, (node, parent) => {
    if (!hasBlock(node)) return
    const lines = lineAt(source, node.end) - lineAt(source, node.body.start) + 1
    found.push({ file: source.file, name: nameIn(node) ?? nameIn(parent) ?? '(anonymous)', lines })
  })
  return found
}

/** The longest function; undefined when there is none. */
export function longestFunction(sources: readonly Source[]): MeasuredFunction | undefined {
  return sources.flatMap(functionsOf).sort((a, b) => b.lines - a.lines)[0]
}
