import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { TOOL_SETS } from '../src/config/serving/tool-sets.ts'
import { CAPABILITIES } from '../src/flow/engine/engine.ts'
import { makeToolList } from '../src/surfaces/mcp/make-tool-list.ts'

/**
 * Makes the built command quick to start, after `tsc`: `bin.js` and all it loads become fewer files, since to find and link
 * one takes half a millisecond, and the lists of MCP tools are written down. What the package exports stays as it is.
 */
const dist = resolve(process.argv[2] ?? 'dist')
const FOLDER = 'command'

/** A module looks for its files beside itself, so it is told where it lay. */
const whereItLay: Plugin = {
  name: 'where-it-lay',
  transform: (code, id) => {
    // The bundler's own module lies nowhere.
    if (id.startsWith('\0')) return undefined
    const place = relative(join(dist, FOLDER), id).replaceAll('\\', '/')
    return code.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`)
  },
}

/** The messages of zod in English alone, as `bin.ts` has it from the source. */
const onlyEnglish: Plugin = {
  name: 'only-english',
  resolveId: (specifier) =>
    specifier === '../locales/index.js'
      ? fileURLToPath(new URL('../locales/en.js', import.meta.resolve('zod/v4/core')))
      : undefined,
}

const bundle = await rolldown({
  input: join(dist, 'bin.js'),
  platform: 'node',
  // What a user may or may not have installed.
  external: /^(?:ai|@ai-sdk\/.*|onnxruntime-node)$/,
  plugins: [whereItLay, onlyEnglish],
  checks: { ineffectiveDynamicImport: false },
  // Else the code would name the folders it was made from.
  experimental: { attachDebugInfo: 'none' },
})
const { output } = await bundle.write({
  dir: dist,
  entryFileNames: '[name].js',
  chunkFileNames: `${FOLDER}/[name].js`,
  comments: false,
  // Else the first import of zod would load whatever else shares a chunk with a part of it.
  codeSplitting: { groups: [{ name: 'zod', test: /[\\/]node_modules[\\/]zod[\\/]/ }] },
})
await bundle.close()

/** The command for hooks is one file that loads nothing of the rest, since a client waits for its start. */
const hook = await rolldown({
  input: join(dist, 'surfaces/hooks/command.js'),
  platform: 'node',
  experimental: { attachDebugInfo: 'none' },
})
await hook.write({
  file: join(dist, 'hook.cjs'),
  format: 'cjs',
  comments: false,
  banner: '#!/usr/bin/env node',
})
await hook.close()

const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
writeFileSync(join(dist, FOLDER, 'LICENSES.txt'), licencesOf(modules))
for (const tools of TOOL_SETS)
  for (const capability of CAPABILITIES)
    writeFileSync(
      join(dist, 'surfaces/mcp', `tools.${tools}.${capability}.json`),
      JSON.stringify(makeToolList({ tools, capability })),
    )

/** Returns the licences of the packages that the modules are of, which whoever hands them on must hand on, too. */
function licencesOf(ids: readonly string[]): string {
  const folders = ids.flatMap(
    (id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? [],
  )
  const texts = [...new Set(folders)].sort().map((folder) => {
    const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
    if (file === undefined) throw new Error(`${folder} has no licence to hand on`)
    const name = folder.split(/[\\/]node_modules[\\/]/).at(-1)
    return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}
