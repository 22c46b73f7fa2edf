import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { attempt, ElfmemError, PACKAGE_RECOVERY } from '../../errors.ts'

/** A file of the page, as it goes out. */
interface Asset {
  readonly type: string
  readonly bytes: Buffer<ArrayBuffer>
  /** Returns the bytes compressed, which is done once. */
  readonly zipped: () => Buffer<ArrayBuffer>
  readonly tag: string
  /** True if its name changes with its content. */
  readonly isLasting: boolean
}

/** Finds the file of the page for the path of a request; undefined where there is none. */
export type Assets = (path: string) => Asset | undefined

/** The folder of the page in this package, in the sources as in what is built of them. */
const PAGE_FOLDER = new URL('../../../dist/dashboard/', import.meta.url)

const INDEX = 'index.html'
/** A file of the page as the list that the build writes names it. */
interface Listed {
  readonly name: string
  readonly type: string
  readonly bytes: number
  readonly hash: string
}

/**
 * Reads the files of the page that the list beside them names, once; no request names a file. Without a page it is one that says
 * how it is made.
 *
 * @throws `CONFIG_INVALID` for a file that is not as it was built
 */
export function loadAssets(folder: URL = PAGE_FOLDER): Assets {
  const text = attempt(() => readFileSync(new URL('assets.json', folder), 'utf8'))
  if (text === undefined) return finder(new Map([[INDEX, unbuilt()]]))
  const assets = new Map<string, Asset>()
  for (const { name, type, bytes: length, hash } of JSON.parse(text) as readonly Listed[]) {
    const bytes = attempt(() => readFileSync(new URL(name, folder)))
    if (bytes?.length !== length) throw spoilt(name)
    const isLasting = name !== INDEX && /-[\w-]{6,}\.\w+$/.test(name)
    assets.set(name, { bytes, zipped: zipper(bytes), type, tag: hash, isLasting })
  }
  return finder(assets)
}

/** A path without a dot is one of the page's own, which looks at the address itself. */
function finder(assets: ReadonlyMap<string, Asset>): Assets {
  return (path) => assets.get(path.slice(1)) ?? (path.includes('.') ? undefined : assets.get(INDEX))
}

/** The page of a package that was not built. */
function unbuilt(): Asset {
  const text =
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>elfmem</title>' +
    '<h1>The page is not built</h1><p>Run <code>npm run build</code>, then <code>elfmem dashboard</code> again.</p></html>\n'
  const bytes = Buffer.from(text)
  const type = 'text/html; charset=utf-8'
  return { bytes, zipped: zipper(bytes), type, tag: 'unbuilt', isLasting: false }
}

function zipper(bytes: Buffer): () => Buffer<ArrayBuffer> {
  let zipped: Buffer<ArrayBuffer> | undefined
  return () => {
    zipped ??= gzipSync(bytes)
    return zipped
  }
}

function spoilt(name: string): ElfmemError {
  const message = `elfmem cannot serve ${name}, a file of its own: it is not as it was built.`
  return new ElfmemError('CONFIG_INVALID', message, { recovery: PACKAGE_RECOVERY, details: { file: name } })
}
