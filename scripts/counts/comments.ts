import type { Class, MethodDefinition, Node } from 'oxc-parser'
import type { Source } from './sources.ts'

/** An exported thing, or a method of an exported class, and whether a JSDoc comment stands before it. */
export interface ExportedThing {
  readonly file: string
  readonly name: string
  readonly documented: boolean
}

/** A doc comment directly before an offset, at most other comments between. */
function isDocumented(source: Source, offset: number): boolean {
  const before = source.comments.findLast(({ end }) => end <= offset)
  if (before === undefined || source.text.slice(before.end, offset).trim() !== '') return false
  return (before.type === 'Block' && before.value.startsWith('*')) || isDocumented(source, before.start)
}

function nameOf(source: Source, node: Node): string {
  const text = ({ start, end }: Node) => source.text.slice(start, end)
  if (node.type === 'VariableDeclaration')
    return node.declarations.map(({ id }) => (id.type === 'Identifier' ? id.name : text(id))).join(', ')
  if ('id' in node && node.id) return text(node.id)
  return 'key' in node ? text(node.key) : '(default)'
}

/** The methods a caller sees; those of a class that implements a port have their promises there. */
function methodsOf(node: Class): readonly MethodDefinition[] {
  if (node.superClass !== null || (node.implements ?? []).length > 0) return []
  return node.body.body
    .filter((member) => 'kind' in member)
    .filter(({ kind, key }) => kind === 'method' && key.type !== 'PrivateIdentifier')
    .filter(({ accessibility }) => accessibility !== 'private')
}

function exportedIn(source: Source): readonly ExportedThing[] {
  return source.program.body.flatMap((node) => {
    const exported = node.type === 'ExportNamedDeclaration' || node.type === 'ExportDefaultDeclaration'
    if (!exported || node.declaration === null) return []
    const { declaration } = node
    const name = nameOf(source, declaration)
    const methods = declaration.type === 'ClassDeclaration' ? methodsOf(declaration) : []
    return [
      { file: source.file, name, documented: isDocumented(source, node.start) },
      ...methods.map((method) => ({
        file: source.file,
        name: `${name}.${nameOf(source, method)}`,
        documented: isDocumented(source, method.start),
      })),
    ]
  })
}

/** What the files export where they declare it; a re-export is documented at its origin. */
export function exportedThings(sources: readonly Source[]): readonly ExportedThing[] {
  return sources.flatMap(exportedIn)
}
