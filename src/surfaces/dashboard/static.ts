import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { attempt } from '../../errors.ts'

/** A file of the page, as it goes out. */
interface Asset {
  readonly type: string
  readonly bytes: Buffer<ArrayBuffer>
  /** True if its name changes with its content. */
  readonly isLasting: boolean
}

/** Finds the file of the page for the path of a request; undefined where there is none. */
export type Assets = (path: string) => Asset | undefined

/** The folder of the page in this package, in the sources as in what is built of them. */
const PAGE_FOLDER = new URL('../../../dist/dashboard/', import.meta.url)
const INDEX = 'index.html'
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
/** The page of a package that was not built. */
const UNBUILT =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>elfmem</title>' +
  '<h1>The page is not built</h1><p>Run <code>npm run build</code>, then <code>elfmem dashboard</code> again.</p></html>\n'

/** Reads the files of the page once, so that no request names a file. An unbuilt page is replaced by one that says how to build it. */
export function loadAssets(folder: URL = PAGE_FOLDER): Assets {
  const assets = new Map([[INDEX, assetOf(INDEX, Buffer.from(UNBUILT))]])
  for (const found of attempt(() => readdirSync(folder, { recursive: true }) as string[]) ?? []) {
    const name = found.replaceAll('\\', '/')
    if (extname(name) in TYPES) assets.set(name, assetOf(name, readFileSync(new URL(name, folder))))
  }
  // A path without a dot gets the page, which reads the address itself.
  return (path) => assets.get(path.slice(1)) ?? (path.includes('.') ? undefined : assets.get(INDEX))
}

function assetOf(name: string, bytes: Buffer<ArrayBuffer>): Asset {
  const isLasting = name !== INDEX && /-[\w-]{6,}\.\w+$/.test(name)
  return { type: TYPES[extname(name)] ?? '', bytes, isLasting }
}
