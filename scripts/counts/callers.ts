import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'
import type { Node } from 'oxc-parser'
import { parseSource, type Source, walk } from './sources.ts'

/** A value that a file of `src` exports and that no other code of the product reads. */
export interface TestedOnly {
  readonly file: string
  readonly name: string
}

/** What a package exports, or a thread or process begins with, is read from outside of `src`. */
const ENTRIES =
  /^(?:index|bin|store\/index|frames\/index|hooks\/claude-agent|surfaces\/mcp\/server|surfaces\/hooks\/opencode|integrations\/[^/]+\/index)\.ts$|(?:worker|child)\.ts$/

/** Reads tests and benches, whose paths are relative to the folder of the repository. */
export function readCallers(root: string): readonly Source[] {
  return ['src', 'test', 'bench'].flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[])
      .map((file) => posix.join(folder, file.split(sep).join('/')))
      .filter((file) => (folder === 'src' ? file.endsWith('.test.ts') : file.endsWith('.ts')))
      .map((file) => parseSource(file, readFileSync(join(root, file), 'utf8'))),
  )
}

/** The values that a file declares and exports. */
function exportedValues({ program }: Source): readonly string[] {
  return program.body.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration' || node.exportKind === 'type') return []
    const { declaration } = node
    if (declaration?.type === 'VariableDeclaration')
      return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
    const isValue = declaration?.type === 'FunctionDeclaration' || declaration?.type === 'ClassDeclaration'
    return isValue && declaration.id ? [declaration.id.name] : []
  })
}

/** The names that a file takes from others, as `file#name`; `*` for all of a file. */
function takenNames(source: Source): readonly string[] {
  const taken: string[] = []
  walk(source.program, (node) => {
    const path = pathOf(node)
    if (!path?.startsWith('.')) return
    const from = posix.join(posix.dirname(source.file), path)
    const names = 'specifiers' in node ? node.specifiers.map(takenName) : ['*']
    taken.push(...names.map((name) => `${from}#${name}`))
  })
  return taken
}

function pathOf(node: Node): string | undefined {
  if (
    node.type !== 'ImportDeclaration' &&
    node.type !== 'ExportNamedDeclaration' &&
    node.type !== 'ImportExpression'
  )
    return undefined
  return node.source?.type === 'Literal' ? String(node.source.value) : undefined
}

function takenName(node: Node): string {
  if (node.type === 'ImportSpecifier') return node.imported.type === 'Identifier' ? node.imported.name : '*'
  if (node.type === 'ExportSpecifier') return node.local.type === 'Identifier' ? node.local.name : '*'
  return '*'
}

/** True if the file itself reads the name somewhere. */
function readsItself({ program }: Source, name: string): boolean {
  let found = 0
  walk(program, (node) => {
    if (node.type === 'Identifier' && node.name === name) found++
  })
  return found > 1
}

/**
 * The exported values of `src` that tests and benches take, and nothing of the product does.
 *
 * @param sources those of `src`, with paths relative to it
 * @param callers those of `readCallers`
 */
export function testedOnly(sources: readonly Source[], callers: readonly Source[]): readonly TestedOnly[] {
  const used = new Set(sources.flatMap(takenNames))
  const tested = new Set(callers.flatMap(takenNames))
  return sources
    .filter(({ file }) => !ENTRIES.test(file))
    .flatMap((source) =>
      exportedValues(source)
        .filter((name) => !used.has(`${source.file}#${name}`) && !used.has(`${source.file}#*`))
        .filter((name) => tested.has(`src/${source.file}#${name}`) || tested.has(`src/${source.file}#*`))
        .filter((name) => !readsItself(source, name))
        .map((name) => ({ file: source.file, name })),
    )
}
