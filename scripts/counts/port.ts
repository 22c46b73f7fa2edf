import type { TSInterfaceDeclaration } from 'oxc-parser'
import { type Source, walk } from './sources.ts'

type Interfaces = ReadonlyMap<string, TSInterfaceDeclaration>

function interfacesOf(sources: readonly Source[]): Interfaces {
  const found = new Map<string, TSInterfaceDeclaration>()
  for (const { program } of sources)
    walk(program, (node) => {
      if (node.type === 'TSInterfaceDeclaration') found.set(node.id.name, node)
    })
  return found
}

function ownMethods({ body }: TSInterfaceDeclaration): readonly string[] {
  return body.body.flatMap((member) => {
    const isMethod =
      member.type === 'TSMethodSignature' ||
      (member.type === 'TSPropertySignature' &&
        member.typeAnnotation?.typeAnnotation.type === 'TSFunctionType')
    return isMethod && member.key.type === 'Identifier' ? [member.key.name] : []
  })
}

function methodsOf(name: string, interfaces: Interfaces): readonly string[] {
  const declared = interfaces.get(name)
  if (declared === undefined) return []
  const inherited = declared.extends.flatMap(({ expression }) =>
    expression.type === 'Identifier' ? methodsOf(expression.name, interfaces) : [],
  )
  return [...new Set([...ownMethods(declared), ...inherited])]
}

/** Counts the methods of an interface in `ports`, inherited ones too; throws when there is no such interface. */
export function portMethods(name: string, sources: readonly Source[]): number {
  const interfaces = interfacesOf(sources.filter(({ file }) => file.startsWith('ports/')))
  if (!interfaces.has(name))
    throw new Error(`src/ports declares no interface ${name}: name the store's interfaces in scripts/counts`)
  return methodsOf(name, interfaces).length
}
