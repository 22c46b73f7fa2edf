import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type Rolldown } from 'vite'
import { listAssets, themeInHead } from '../scripts/dashboard/assets.ts'

const root = import.meta.dirname
const { version } = JSON.parse(readFileSync(join(root, '../package.json'), 'utf8')) as { version: string }

/** The modules that the page imports at once, in any depth. */
function neededAtOnce(entry: string, of: Pick<Rolldown.ChunkingContext, 'getModuleInfo'>): Set<string> {
  const found = new Set<string>()
  const follow = (id: string) => {
    if (found.has(id)) return
    found.add(id)
    of.getModuleInfo(id)?.importedIds.forEach(follow)
  }
  follow(entry)
  return found
}

/** What several screens share and is smaller than the request for a file of its own. */
const SMALL = /\/(?:parts\/(?:scrolls|word-difference)|block\/changed)\./

let first: Set<string> | undefined
function firstOrNone(id: string, context: Rolldown.ChunkingContext): string | null {
  first ??= neededAtOnce(join(root, 'main.tsx'), context)
  return first.has(id) || SMALL.test(id) ? 'first' : null
}

/** Builds the page into `dist/dashboard`, with hashed names. */
export default defineConfig({
  root,
  logLevel: 'warn',
  publicDir: false,
  define: { __VERSION__: JSON.stringify(version) },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [themeInHead(), listAssets()],
  // Its name has one dot, as that of every file that may be served.
  worker: { format: 'es', rolldownOptions: { output: { entryFileNames: 'assets/layout-[hash].js' } } },
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2023',
    // Inlined files would be data: URLs, which the policy of the page forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'LICENSES.md' },
    rolldownOptions: {
      input: { page: join(root, 'index.html'), theme: join(root, 'theme.ts') },
      output: {
        // What the first screen needs is one file: each more is another request before anything is seen.
        codeSplitting: { groups: [{ name: firstOrNone, debugName: 'first' }] },
        // Each screen's file is named as its folder.
        chunkFileNames: ({ facadeModuleId, name }) =>
          `assets/${/\/screens\/([^/]+)\/screen\.tsx$/.exec(facadeModuleId ?? '')?.[1] ?? name}-[hash].js`,
      },
    },
  },
})
