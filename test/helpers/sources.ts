import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'

/** A TypeScript file of `src` that is neither a test nor generated; its path is relative to `src`. */
export interface Source {
  readonly file: string
  readonly text: string
}

const root = join(import.meta.dirname, '../..')

/** The sources of the product in the order of their paths. */
export function readSources(): readonly Source[] {
  return (readdirSync(join(root, 'src'), { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts') && !/\.(?:test|generated)\.ts$/.test(file))
    .map((file) => ({
      file: file.split(sep).join('/'),
      text: readFileSync(join(root, 'src', file), 'utf8'),
    }))
    .sort((a, b) => (a.file < b.file ? -1 : 1))
}

/** Everything that a source imports or exports again, packages included, in any form; comments are left out. */
export function specifiersOf({ text }: Source): readonly string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const statements = code.matchAll(/^(?:import|export)\s(?:[^'"`;]*?\sfrom\s)?\s*'([^'\n]+)'/gm)
  const expressions = code.matchAll(/\bimport\(\s*'([^'\n]+)'/g)
  return [...statements, ...expressions].map(([, path = '']) => path)
}

/** An import of one source by another. */
export interface Import {
  readonly from: string
  readonly to: string
}

/** The imports of the sources by each other. */
export function importsOf(sources: readonly Source[]): readonly Import[] {
  const known = new Set(sources.map(({ file }) => file))
  return sources.flatMap((source) =>
    specifiersOf(source)
      .filter((path) => path.startsWith('.'))
      .map((path) => ({ from: source.file, to: posix.join(posix.dirname(source.file), path) }))
      .filter(({ from, to }) => known.has(to) && from !== to),
  )
}
