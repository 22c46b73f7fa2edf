import { posix } from 'node:path'
import type { Node } from 'oxc-parser'
import { type Source, walk } from './sources.ts'

/** An arrow from what needs to what is needed; of a file, or of a folder and all in it. */
export interface Arrow {
  readonly from: string
  readonly to: string
}

/** One import of a file in `src` by another. */
export interface Import extends Arrow {
  /** True when nothing is left of it at run time. */
  readonly typeOnly: boolean
}

/** Something imported, by the words in quotes. */
export interface Specifier {
  readonly path: string
  readonly typeOnly: boolean
}

/** An arrow between two neighbours of one folder that closes a circle. */
export interface UpwardArrow extends Arrow {
  /** Empty for `src` itself. */
  readonly folder: string
  readonly imports: readonly Import[]
}

function allTypes(specifiers: readonly Node[]): boolean {
  const isType = (node: Node) =>
    (node.type === 'ImportSpecifier' && node.importKind === 'type') ||
    (node.type === 'ExportSpecifier' && node.exportKind === 'type')
  return specifiers.length > 0 && specifiers.every(isType)
}

function specifierOf(node: Node): Specifier | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
      return { path: node.source.value, typeOnly: node.importKind === 'type' || allTypes(node.specifiers) }
    case 'ExportNamedDeclaration':
      if (node.source === null) return undefined
      return { path: node.source.value, typeOnly: node.exportKind === 'type' || allTypes(node.specifiers) }
    case 'ExportAllDeclaration':
      return { path: node.source.value, typeOnly: node.exportKind === 'type' }
    case 'ImportExpression':
      if (node.source.type !== 'Literal') return undefined
      return { path: String(node.source.value), typeOnly: false }
    case 'TSImportType':
      return { path: node.source.value, typeOnly: true }
    default:
      return undefined
  }
}

/** Everything a file imports or re-exports, packages included, static and dynamic, values and types. */
export function specifiersOf(source: Source): readonly Specifier[] {
  const found: Specifier[] = []
  walk(source.program, (node) => {
    const specifier = specifierOf(node)
    if (specifier !== undefined) found.push(specifier)
  })
  return found
}

/** The imports of the files by each other; what stands outside of them is left out. */
export function importsOf(sources: readonly Source[]): readonly Import[] {
  const known = new Set(sources.map(({ file }) => file))
  return sources
    .flatMap((source) =>
      specifiersOf(source)
        .filter(({ path }) => path.startsWith('.'))
        .map(({ path, typeOnly }) => ({
          from: source.file,
          to: posix.join(posix.dirname(source.file), path),
          typeOnly,
        })),
    )
    .filter(({ from, to }) => known.has(to) && from !== to)
}

/** Groups of names that all reach each other along the arrows, sorted; none when there is no circle. */
export function circlesOf(arrows: readonly Arrow[]): readonly (readonly string[])[] {
  const next = Map.groupBy(arrows, ({ from }) => from)
  const reachedFrom = (start: string) => {
    const reached = new Set((next.get(start) ?? []).map(({ to }) => to))
    // A set is walked to its end, also to what is added on the way.
    for (const at of reached) for (const { to } of next.get(at) ?? []) reached.add(to)
    return reached
  }
  const reach = new Map([...next.keys()].map((name) => [name, reachedFrom(name)]))
  const circles = [...reach]
    .filter(([name, reached]) => reached.has(name))
    .map(([name, reached]) => [...reached].filter((other) => reach.get(other)?.has(name)).sort())
  return [...new Map(circles.map((circle) => [circle.join(), circle])).values()]
}

/** The folders that have a file below them, `src` itself as an empty name. */
function foldersOf(files: readonly string[]): readonly string[] {
  const above = (file: string) => file.split('/').map((_, i, parts) => parts.slice(0, i).join('/'))
  return [...new Set(files.flatMap(above))].sort()
}

/** The arrows between direct children of a folder, each with the imports that draw it. */
function arrowsIn(folder: string, imports: readonly Import[]): readonly UpwardArrow[] {
  const start = folder === '' ? '' : `${folder}/`
  const childOf = (file: string) => file.slice(start.length).split('/')[0] ?? ''
  const inside = imports
    .filter(({ from, to }) => from.startsWith(start) && to.startsWith(start))
    .filter(({ from, to }) => childOf(from) !== childOf(to))
  const pairs = Map.groupBy(inside, ({ from, to }) => `${childOf(from)} ${childOf(to)}`)
  return [...pairs.values()].map((drawn) => ({
    folder,
    from: childOf(drawn[0]?.from ?? ''),
    to: childOf(drawn[0]?.to ?? ''),
    imports: drawn,
  }))
}

/** The lightest arrows of a folder that must go until no circle is left between its children. */
function upwardIn(folder: string, imports: readonly Import[]): readonly UpwardArrow[] {
  const upward: UpwardArrow[] = []
  let left = arrowsIn(folder, imports)
  for (;;) {
    const circles = circlesOf(left)
    const [lightest] = left
      .filter(({ from, to }) => circles.some((circle) => circle.includes(from) && circle.includes(to)))
      .sort((a, b) => a.imports.length - b.imports.length)
    if (lightest === undefined) return upward
    upward.push(lightest)
    left = left.filter((arrow) => arrow !== lightest)
  }
}

/** The arrows that point up: those to cut so that the children of every folder stand in one order. */
export function upwardArrows(imports: readonly Import[]): readonly UpwardArrow[] {
  return foldersOf(imports.map(({ from }) => from)).flatMap((folder) => upwardIn(folder, imports))
}
