import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ChunkingContext, type Plugin, rolldown } from 'rolldown'
import { CAPABILITIES } from '../src/engine/engine.ts'
import { TOOL_SETS } from '../src/operations/tool-choice.ts'
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

/**
 * What each of these loads at once is one file, though others load parts of it: to find and link many small ones takes longer than to
 * read on. A module belongs to the first that loads it.
 */
const STARTS = ['surfaces/cli/process.js', 'surfaces/cli/commands/serve.js', 'engine/open-memory.js']
/** As large as all the rest, and wanted by a server alone. */
const SERVERS = /[\\/]@modelcontextprotocol[\\/]/

type Imports = (id: string) => readonly string[]

/** The start that each module belongs to; none for one that leans on what servers alone want. */
function startsOf(importsOf: Imports): ReadonlyMap<string, string> {
  const leaning = new Map<string, boolean>()
  const isServers = (id: string): boolean => {
    if (!leaning.has(id)) {
      // Until it is known, for a module that leans on itself.
      leaning.set(id, false)
      leaning.set(id, SERVERS.test(id) || importsOf(id).some(isServers))
    }
    return leaning.get(id) === true
  }
  const found = new Map<string, string>()
  const walk = (id: string, start: string) => {
    if (found.has(id) || isServers(id)) return
    found.set(id, start)
    for (const next of importsOf(id)) walk(next, start)
  }
  for (const start of STARTS) for (const id of importsOf(join(dist, start))) walk(id, start)
  return found
}

let starts: ReadonlyMap<string, string> | undefined

/** The group of modules of one start. A group takes with it what its modules need, so the first start comes first. */
const groupOf = (start: string, i: number) => ({
  debugName: start,
  name: (id: string, chunking: ChunkingContext) => {
    starts ??= startsOf((each) => chunking.getModuleInfo(each)?.importedIds ?? [])
    return starts.get(id) === start ? `start-${i + 1}` : null
  },
  priority: STARTS.length - i,
})

const bundle = await rolldown({
  input: join(dist, 'bin.js'),
  platform: 'node',
  // What a user may or may not have installed.
  external: /^(?:ai|@ai-sdk\/.*|pg(?:\/.*)?)$/,
  plugins: [whereItLay, onlyEnglish],
  // The main file of jsonc-parser requires its parts by names that no bundler sees.
  resolve: { mainFields: ['module', 'main'] },
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
  codeSplitting: {
    groups: [{ name: 'zod', test: /[\\/]node_modules[\\/]zod[\\/]/, priority: 9 }, ...STARTS.map(groupOf)],
  },
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
