import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Expression } from './find.ts'

/** Modules that act when they are loaded. */
const ENTRY_POINTS = /(?:bin|worker|child)\.ts$/

/**
 * The expressions that the source puts together while it runs: all modules are loaded, and `use` makes those that are
 * made late.
 */
export async function recordMade(
  root: string,
  files: readonly string[],
  use: (load: (file: string) => Promise<Record<string, unknown>>) => Promise<void>,
): Promise<Expression[]> {
  const found: Expression[] = []
  const Original = globalThis.RegExp
  globalThis.RegExp = new Proxy(Original, {
    construct(target, given, newTarget) {
      const made = Reflect.construct(target, given, newTarget) as RegExp
      const place = placeOf(new Error('where').stack ?? '', root)
      if (place !== undefined) found.push({ source: made.source, flags: made.flags, place })
      return made
    },
  })
  const load = (file: string) =>
    import(pathToFileURL(join(root, file)).href) as Promise<Record<string, unknown>>
  try {
    for (const file of files.filter((each) => !ENTRY_POINTS.test(each))) await load(file)
    await use(load)
  } finally {
    globalThis.RegExp = Original
  }
  return found
}

/** The line that made it, if it is one of the source. */
function placeOf(stack: string, root: string): string | undefined {
  const [, path = '', line = ''] =
    /\(?(?:file:\/\/)?([^\s()]+\/src\/[^\s()]+?\.ts):(\d+):\d+\)?/.exec(stack) ?? []
  return path === '' ? undefined : `${relative(root, path).replaceAll('\\', '/')}:${line}`
}
