import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { McpProcess } from './mcp-process.ts'
import { type Program, toEnd } from './program.ts'

/** Where a memory is installed, and the empty folder it may write to, which is its home as well. */
export interface Place {
  readonly packages: string
  readonly folder: string
}

/** Why there is nothing to measure. */
export interface Lacking {
  readonly lacks: string
}

/** How somebody without this bench starts a memory and asks it. */
export interface Ways {
  /** Takes the notes in before anything is timed. */
  readonly fill: (place: Place, notes: readonly string[]) => Promise<void>
  readonly server: ((place: Place) => Program) | Lacking
  /** The tool by which its server is asked. */
  readonly tool: { readonly name: string; readonly question: string } | Lacking
  readonly command: ((place: Place, question: string) => Program) | Lacking
}

const node = (place: Place, script: string, args: readonly string[], env = {}): Program => ({
  command: process.execPath,
  args: [join(place.packages, 'node_modules', script), ...args],
  env: { PATH: process.env.PATH ?? '', HOME: place.folder, ...env },
  cwd: place.folder,
})

const elfmem = (place: Place, ...args: string[]) =>
  node(place, 'elfmem/dist/bin.js', [...args, '--db', join(place.folder, 'memory.db')])

const hippo = (place: Place, ...args: string[]) => node(place, 'hippo-memory/bin/hippo.js', args)

const serverMemory = (place: Place) =>
  node(place, '@modelcontextprotocol/server-memory/dist/index.js', [], {
    MEMORY_FILE_PATH: join(place.folder, 'memory.jsonl'),
  })

const pythonElfmem = (place: Place, ...args: string[]): Program => ({
  command: join(place.packages, 'bin/elfmem'),
  args,
  env: { PATH: process.env.PATH ?? '', HOME: place.folder },
  cwd: place.folder,
})

const NOTHING_TO_FILL = async () => {}
const NEEDS_EMBEDDINGS = 'it asks an embedding service over the network'

/** By the keys of the contenders; who is not here has nothing to install. */
export const WAYS: Readonly<Record<string, Ways>> = {
  elfmem: {
    fill: async (place, notes) => {
      const file = join(place.folder, 'notes.jsonl')
      writeFileSync(file, notes.map((content) => `${JSON.stringify({ content })}\n`).join(''))
      await toEnd(elfmem(place, 'remember-many', file))
      await toEnd(elfmem(place, 'dream'))
    },
    server: (place) => elfmem(place, 'serve'),
    tool: { name: 'elfmem_recall', question: 'query' },
    command: (place, question) => elfmem(place, 'recall', question),
  },
  'python-elfmem': {
    fill: NOTHING_TO_FILL,
    server: (place) => pythonElfmem(place, 'serve', '--db', join(place.folder, 'memory.db')),
    tool: { lacks: NEEDS_EMBEDDINGS },
    command: { lacks: NEEDS_EMBEDDINGS },
  },
  mem0: {
    fill: NOTHING_TO_FILL,
    server: { lacks: 'its package has no server' },
    tool: { lacks: 'its package has no server' },
    command: { lacks: 'its package has no command' },
  },
  hippo: {
    fill: async (place, notes) => {
      await toEnd(hippo(place, 'init', '--no-hooks', '--no-schedule'))
      for (const note of notes) await toEnd(hippo(place, 'remember', note))
    },
    server: { lacks: 'its server does not speak MCP over stdio: it frames messages by Content-Length' },
    tool: { lacks: 'its server does not speak MCP over stdio' },
    command: (place, question) => hippo(place, 'recall', question),
  },
  'server-memory': {
    fill: async (place, notes) => {
      await using server = new McpProcess(serverMemory(place))
      await server.greet()
      const entities = notes.map((note, i) => ({
        name: `n${i}`,
        entityType: 'note',
        observations: [note],
      }))
      await server.call('create_entities', { entities })
    },
    server: serverMemory,
    tool: { name: 'search_nodes', question: 'query' },
    command: { lacks: 'its package has no command' },
  },
}
