import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import { EXPORTS, OPTIONAL } from './entries.ts'

/**
 * Makes the package's declarations from those that `tsc` wrote into `dist/modules`: one file for each entry, and one
 * that they share, which holds the types of the bundled packages too. It removes `dist/modules`, so it runs last.
 *
 *   node scripts/bundle-types.ts [DIST]
 */
const dist = resolve(process.argv[2] ?? 'dist')
const modules = join(dist, 'modules')

const ZOD = /[\\/]node_modules[\\/]zod[\\/]/

/** Resolves zod to its declarations for modules, which its package names after CommonJS, and to English alone. */
const zodOfModules: Plugin = {
  name: 'zod-of-modules',
  resolveId: {
    order: 'pre',
    async handler(specifier, importer, options) {
      const found = await this.resolve(specifier, importer, { ...options, skipSelf: true })
      if (!found || !ZOD.test(found.id)) return found
      return found.id.replace(/\.d\.cts$/, '.d.ts').replace(/([\\/]locales[\\/])index\.d\.ts$/, '$1en.d.ts')
    },
  },
}

const bundle = await rolldown({
  input: Object.fromEntries(EXPORTS.map((name) => [name, join(modules, `${name}.d.ts`)])),
  platform: 'node',
  external: OPTIONAL,
  plugins: [zodOfModules, dts({ dtsInput: true, emitDtsOnly: true, generator: 'oxc' })],
  experimental: { attachDebugInfo: 'none' },
})
const { output } = await bundle.generate({ entryFileNames: '[name].ts', chunkFileNames: 'shared/[name].ts' })
await bundle.close()

/** The declarations use `Symbol.asyncDispose`, which the library of ES2023 does not have. */
const DISPOSABLE = '/// <reference lib="esnext.disposable" />\n'
// Only declarations are written: the bundler also makes chunks of JavaScript.
for (const file of output)
  if (file.type === 'chunk' && file.fileName.endsWith('.d.ts'))
    writeFileSync(join(dist, file.fileName), DISPOSABLE + file.code)
rmSync(modules, { recursive: true })
