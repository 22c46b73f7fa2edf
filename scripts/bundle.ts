import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, posix, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ChunkingContext, type InputOptions, type Plugin, rolldown } from 'rolldown'
import { CAPABILITIES } from '../src/engine/engine.ts'
import { TOOL_SETS } from '../src/operations/tool-choice.ts'
import { makeToolList } from '../src/surfaces/mcp/make-tool-list.ts'
import { EXPORTS, OPTIONAL } from './entries.ts'

/**
 * Makes the package's code from the modules that `tsc` compiled into `dist/modules`: one file for each entry, and files
 * that entries share in `dist/shared`. They hold all packages that elfmem needs, so an installation brings no other
 * package. A command also starts sooner, because finding and linking one file takes half a millisecond.
 *
 *   node scripts/bundle.ts [DIST]
 */
const dist = resolve(process.argv[2] ?? 'dist')
const modules = join(dist, 'modules')
const FOLDER = 'shared'

const DIST = '__DIST__'

/** Keeps the URL that a module would have without bundling, because it looks for files beside itself. */
const ownUrls: Plugin = {
  name: 'own-urls',
  transform: (code, id) => {
    // Modules that the bundler makes have no file.
    if (id.startsWith('\0') || !code.includes('import.meta.url')) return undefined
    const place = relative(modules, id).replaceAll('\\', '/')
    return code.replaceAll('import.meta.url', `new URL('${DIST}${place}', import.meta.url).href`)
  },
  renderChunk: (code, { fileName }) =>
    code.replaceAll(DIST, `${posix.relative(posix.dirname(fileName), '.') || '.'}/`),
}

/** Bundles only the English messages of zod. */
const onlyEnglish: Plugin = {
  name: 'only-english',
  resolveId: (specifier) =>
    specifier === '../locales/index.js'
      ? fileURLToPath(new URL('../locales/en.js', import.meta.resolve('zod/v4/core')))
      : undefined,
}

/**
 * The modules that one of these imports at once, in any depth, are one file, because finding and linking many small files
 * takes longer than reading a large one. A module belongs to the first that imports it. The client comes first, since
 * browsers load it and nothing of the rest.
 */
const STARTS = [
  'client/index.js',
  'surfaces/cli/process.js',
  'surfaces/cli/commands/serve.js',
  'engine/open-memory.js',
  'surfaces/cli/operation.js',
  'sqlite/store.js',
  'operations/recall/recall.js',
  'operations/intake/remember.js',
  'operations/inspect/status.js',
  'operations/list/ls.js',
  'operations/dream/dream.js',
  'secrets/secrets.js',
  'surfaces/cli/help.js',
  'operations/table.js',
  'operations/items/records.js',
  'surfaces/cli/commands/init.js',
  'surfaces/cli/commands/tokens.js',
  'adapters/remote/model.js',
]
/** Matches the package of MCP, which is as large as all the rest and which only servers need. */
const SERVERS = /[\\/]@modelcontextprotocol[\\/]/

type Imports = (id: string) => readonly string[]

/** Returns the start that each module belongs to; a module that needs the package of MCP has none. */
function startsOf(importsOf: Imports): ReadonlyMap<string, string> {
  const leaning = new Map<string, boolean>()
  const isServers = (id: string): boolean => {
    if (!leaning.has(id)) {
      // Modules may import each other in a circle, so a module counts as none of a server until it is known.
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
  for (const start of STARTS) {
    const id = join(modules, start)
    for (const each of [id, ...importsOf(id)]) walk(each, start)
  }
  return found
}

let starts: ReadonlyMap<string, string> | undefined

/** Returns the group of modules of one start. A group includes what its modules need, so the first start comes first. */
const groupOf = (start: string, i: number) => ({
  debugName: start,
  name: (id: string, chunking: ChunkingContext) => {
    starts ??= startsOf((each) => chunking.getModuleInfo(each)?.importedIds ?? [])
    return starts.get(id) === start ? basename(start, '.js') : null
  },
  priority: STARTS.length - i,
})

const settings: InputOptions = {
  platform: 'node',
  external: OPTIONAL,
  plugins: [ownUrls, onlyEnglish],
  resolve: {
    // The main file of jsonc-parser requires its parts by names that no bundler sees.
    mainFields: ['module', 'main'],
    // The build of yaml for Node is CommonJS, and would need `require` in the files that browsers load.
    alias: { yaml: fileURLToPath(new URL('../node_modules/yaml/browser/index.js', import.meta.url)) },
  },
  checks: { ineffectiveDynamicImport: false },
  // Without this, the code would name the folders it was made from.
  experimental: { attachDebugInfo: 'none' },
}
const bundle = await rolldown({
  ...settings,
  input: Object.fromEntries(['bin', ...EXPORTS].map((name) => [name, join(modules, `${name}.js`)])),
})
const { output } = await bundle.write({
  dir: dist,
  entryFileNames: '[name].js',
  chunkFileNames: `${FOLDER}/[name].js`,
  // With a polyfill, the first file that browsers load would import a module of Node.
  polyfillRequire: false,
  comments: false,
  // zod has a file of its own, so that its first import loads nothing else.
  codeSplitting: {
    groups: [
      { name: 'zod', test: /[\\/]node_modules[\\/]zod[\\/]/, priority: STARTS.length + 1 },
      ...STARTS.map(groupOf),
    ],
  },
})
await bundle.close()

/** The command for hooks is one file that loads nothing of the rest, since a client waits for its start. */
const hook = await rolldown({
  input: join(modules, 'surfaces/hooks/command.js'),
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

/** Programs of threads, of which each is one file. Their callers start them by file name. */
const STARTED_BY_NAME = [
  'adapters/embed/minilm/worker',
  'adapters/markdown/cut-worker',
  'sqlite/maintenance/file-worker',
]
for (const name of STARTED_BY_NAME) {
  const program = await rolldown({
    ...settings,
    input: { [name]: join(modules, `${name}.js`) },
  })
  await program.write({ dir: dist, entryFileNames: '[name].js', comments: false, codeSplitting: false })
  await program.close()
}

const bundled = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
writeFileSync(join(dist, 'LICENSES.txt'), licencesOf(bundled))
for (const tools of TOOL_SETS)
  for (const capability of CAPABILITIES)
    writeFileSync(
      join(dist, 'surfaces/mcp', `tools.${tools}.${capability}.json`),
      JSON.stringify(makeToolList({ tools, capability })),
    )

/** Returns the licences of the packages that the modules are of, which must be handed on with them. */
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
