import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

/** One file of the built page that a server may give out; `hash` is the sha256 of its bytes in hex. */
interface Asset {
  readonly name: string
  readonly type: string
  readonly bytes: number
  readonly hash: string
}

/** Kilobytes, compressed: of all files, and of those that the first screen needs. The build fails above them. */
const MOST = { all: 150, first: 100 }

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Sets the theme by a classic script before the styles: a module would run after the first picture. */
export function themeInHead(): Plugin {
  return {
    name: 'theme-in-head',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) => {
        const theme = Object.values(bundle ?? {}).find(
          (file) => file.type === 'chunk' && file.name === 'theme',
        )
        if (theme === undefined) throw new Error('the theme is not built')
        return [{ tag: 'script', attrs: { src: `/${theme.fileName}` }, injectTo: 'head-prepend' }]
      },
    },
  }
}

/** Writes `assets.json`, the list of all that may be served, and fails if the page became too large. */
export function listAssets(): Plugin {
  return {
    name: 'list-assets',
    apply: 'build',
    writeBundle: ({ dir = '' }, bundle) => {
      const assets = assetsIn(dir)
      writeFileSync(join(dir, 'assets.json'), `${JSON.stringify(assets, undefined, 2)}\n`)
      const all = kilobytes(dir, assets)
      const first = kilobytes(dir, ofFirstScreen(dir, assets, bundle))
      const told = `dashboard: ${all.toFixed(1)} kB gzip in ${assets.length} files, ${first.toFixed(1)} for the first screen`
      if (all > MOST.all || first > MOST.first)
        throw new Error(`${told}; more than ${MOST.all} or ${MOST.first}`)
      console.log(told)
    },
  }
}

function assetsIn(dir: string): readonly Asset[] {
  const names = (readdirSync(dir, { recursive: true }) as string[]).map((name) => name.split(sep).join('/'))
  return names.sort().flatMap((name) => {
    const type = TYPES[posix.extname(name).slice(1)]
    if (type === undefined) return []
    const content = readFileSync(join(dir, name))
    const hash = createHash('sha256').update(content).digest('hex')
    return [{ name, type, bytes: content.length, hash }]
  })
}

/** The page with its icon, the files that it names, and what these import at once: the first screen is among them. */
function ofFirstScreen(
  dir: string,
  assets: readonly Asset[],
  bundle: Rolldown.OutputBundle,
): readonly Asset[] {
  const page = readFileSync(join(dir, 'index.html'), 'utf8')
  const needed = new Set<string>()
  const follow = (name: string) => {
    const file = bundle[name]
    if (needed.has(name) || file?.type !== 'chunk') return
    needed.add(name)
    for (const style of file.viteMetadata?.importedCss ?? []) needed.add(style)
    for (const imported of file.imports) follow(imported)
  }
  for (const name of Object.keys(bundle)) if (page.includes(name)) follow(name)
  return assets.filter(({ name }) => needed.has(name) || page.includes(name) || name === 'index.html')
}

function kilobytes(dir: string, assets: readonly Asset[]): number {
  const sizes = assets.map(({ name }) => gzipSync(readFileSync(join(dir, name)), { level: 9 }).length)
  return sizes.reduce((sum, size) => sum + size, 0) / 1000
}
