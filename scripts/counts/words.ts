import type { Node } from 'oxc-parser'
import { WORDS_NOT_IN_NAMES } from '../prose/words.ts'
import { lineAt, type Source, walk } from './sources.ts'

/** A name a file declares that holds a word of the house. */
export interface HouseName {
  readonly file: string
  readonly line: number
  readonly name: string
  readonly word: string
}

/** The names that a pattern binds: `{ a, b: [c], ...d }` binds a, c and d. */
function boundBy(pattern: Node | null): readonly Node[] {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern]
    case 'ObjectPattern':
      return pattern.properties.flatMap((one) => boundBy(one.type === 'Property' ? one.value : one))
    case 'ArrayPattern':
      return pattern.elements.flatMap(boundBy)
    case 'AssignmentPattern':
      return boundBy(pattern.left)
    case 'RestElement':
      return boundBy(pattern.argument)
    default:
      return []
  }
}

/** The name of a member or of a key in an object; a computed key, a quoted one and a shorthand declare none. */
function keyOf(node: Node, parent: Node | undefined): readonly Node[] {
  if (!('key' in node) || ('computed' in node && node.computed)) return []
  const isUse = node.type === 'Property' && (node.shorthand || parent?.type === 'ObjectPattern')
  return isUse ? [] : [node.key]
}

/** An import or export declares a name only when it gives another one. */
function renamedBy(node: Node): readonly Node[] {
  if (node.type === 'ImportDefaultSpecifier' || node.type === 'ImportNamespaceSpecifier') return [node.local]
  if (node.type === 'ImportSpecifier' && node.imported.start !== node.local.start) return [node.local]
  if (node.type === 'ExportSpecifier' && node.exported.start !== node.local.start) return [node.exported]
  return []
}

function declaredBy(node: Node, parent: Node | undefined): readonly Node[] {
  const params = 'params' in node && Array.isArray(node.params) ? (node.params as readonly Node[]) : []
  return [
    ...('id' in node ? boundBy(node.id) : []),
    ...params.flatMap(boundBy),
    ...(node.type === 'CatchClause' ? boundBy(node.param) : []),
    ...(node.type === 'TSTypeParameter' ? [node.name] : []),
    ...(node.type === 'TSNamedTupleMember' ? [node.label] : []),
    ...keyOf(node, parent),
    ...renamedBy(node),
  ]
}

function wordsIn(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
}

function houseNamesIn(source: Source): readonly HouseName[] {
  const found: HouseName[] = []
  walk(source.program, (node, parent) => {
    for (const declared of declaredBy(node, parent)) {
      if (declared.type !== 'Identifier' && declared.type !== 'PrivateIdentifier') continue
      const word = wordsIn(declared.name).find((one) => WORDS_NOT_IN_NAMES.has(one))
      if (word === undefined) continue
      found.push({ file: source.file, line: lineAt(source, declared.start), name: declared.name, word })
    }
  })
  return found
}

/** Every declaration of a name with a word of the house; uses and strings do not count. */
export function houseNames(sources: readonly Source[]): readonly HouseName[] {
  return sources.flatMap(houseNamesIn)
}
