import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { McpProcess, type Program, toEnd } from './process.ts'

/** A package of npm, with packages beneath it that are taken in another version than it asks for, or one of PyPI. */
export type Package =
  | {
      readonly from: 'npm'
      readonly spec: string
      readonly overrides?: Readonly<Record<string, string>>
    }
  | { readonly from: 'pypi'; readonly spec: string }

/** The folder a memory is installed in, and an empty folder that it may write to, its home. */
export interface Place {
  readonly packages: string
  readonly folder: string
}

/** A memory that is measured. */
export interface Contender {
  /** The name that its driver and `--only` take. */
  readonly key: string
  readonly name: string
  /** The package to install; absent if none is needed. The package of elfmem is packed from these sources. */
  readonly install?: Package
  /** A sentence for readers about how it was driven. */
  readonly note: string
  /** The ways to start it and to ask it without this bench; absent where nothing is installed. A text says why a way is not measured. */
  readonly ways?: {
    /** Takes the notes in before anything is timed. */
    readonly fill?: (place: Place, notes: readonly string[]) => Promise<void>
    readonly server: ((place: Place) => Program) | string
    /** The tool of its server that takes a `query`. */
    readonly tool?: string
    readonly command: ((place: Place, question: string) => Program) | string
  }
}

function node(
  { packages, folder }: Place,
  script: string,
  args: readonly string[] = [],
  env: object = {},
): Program {
  return {
    command: process.execPath,
    args: [join(packages, 'node_modules', script), ...args],
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
    cwd: folder,
  }
}

const elfmem = (place: Place, ...args: string[]) =>
  node(place, 'elfmem/dist/bin.js', [...args, '--db', join(place.folder, 'memory.db')])
const hippo = (place: Place, ...args: string[]) => node(place, 'hippo-memory/bin/hippo.js', args)

/** Returns the program of the reference server of MCP; also for the driver. */
export const serverMemory = (place: Place) =>
  node(place, '@modelcontextprotocol/server-memory/dist/index.js', [], {
    MEMORY_FILE_PATH: join(place.folder, 'memory.jsonl'),
  })

/** Returns texts as entities of that server, named by their places from `first` on. */
export const entitiesOf = (texts: readonly string[], first = 0) => ({
  entities: texts.map((text, i) => ({ name: `n${first + i}`, entityType: 'note', observations: [text] })),
})

const NEEDS_EMBEDDINGS = 'it asks an embedding service over the network'

/** elfmem first; the versions are the newest of the registries when this was written. */
export const CONTENDERS: readonly Contender[] = [
  {
    key: 'elfmem',
    name: 'elfmem',
    note: 'this library at its defaults; `recall` with all it writes; findable after `dream`',
    ways: {
      fill: async (place, notes) => {
        const file = join(place.folder, 'notes.jsonl')
        writeFileSync(file, notes.map((content) => `${JSON.stringify({ content })}\n`).join(''))
        await toEnd(elfmem(place, 'remember-many', file))
        await toEnd(elfmem(place, 'dream'))
      },
      server: (place) => elfmem(place, 'serve'),
      tool: 'elfmem_recall',
      command: (place, question) => elfmem(place, 'recall', question),
    },
  },
  {
    key: 'python-elfmem',
    name: 'Python elfmem',
    install: { from: 'pypi', spec: 'elfmem[cli,mcp]==0.20.*' },
    note: "`remember`, `dream(skip_llm=True)`, `frame('attention')`; no language model; size, start and tools are those of its extras `cli` and `mcp`",
    ways: {
      server: (place) => ({
        ...node(place, '', []),
        command: join(place.packages, 'bin/elfmem'),
        args: ['serve', '--db', join(place.folder, 'memory.db')],
      }),
      command: NEEDS_EMBEDDINGS,
    },
  },
  {
    key: 'mem0',
    name: 'mem0 OSS',
    install: { from: 'npm', spec: 'mem0ai@3.3.1', overrides: { 'better-sqlite3': '13.2.0' } },
    note: 'its built-in store in SQLite, `infer: false`: texts are kept as they are, no language model; on better-sqlite3 13, since the 12 it asks for crashes on Node 24',
    ways: { server: 'its package has no server', command: 'its package has no command' },
  },
  {
    key: 'hippo',
    name: 'hippo-memory',
    install: { from: 'npm', spec: 'hippo-memory@0.8.1' },
    note: 'as its commands work, without a process for each and without its optional embedder; filled without comparing each text with all before it',
    ways: {
      fill: async (place, notes) => {
        await toEnd(hippo(place, 'init', '--no-hooks', '--no-schedule'))
        for (const note of notes) await toEnd(hippo(place, 'remember', note))
      },
      server: 'its server does not speak MCP over stdio: it frames messages by Content-Length',
      command: (place, question) => hippo(place, 'recall', question),
    },
  },
  {
    key: 'server-memory',
    name: 'server-memory',
    install: { from: 'npm', spec: '@modelcontextprotocol/server-memory@2026.8.31' },
    note: 'over MCP on stdio, one entity a text; it finds entities that contain the whole question, so it finds none',
    ways: {
      fill: async (place, notes) => {
        await using server = new McpProcess(serverMemory(place))
        await server.greet()
        await server.call('create_entities', entitiesOf(notes))
      },
      server: serverMemory,
      tool: 'search_nodes',
      command: 'its package has no command',
    },
  },
  {
    key: 'fts5',
    name: 'plain FTS5',
    note: 'one FTS5 table: Porter stems, stop words left out, any word may match, `bm25()`',
  },
  {
    key: 'cosine',
    name: 'plain cosine',
    note: 'every vector compared in plain JavaScript; nothing is kept on disk',
  },
]
