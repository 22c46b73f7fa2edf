/** A memory that is measured, and how it comes onto this machine. */
export interface Contender {
  /** What its driver is called and `--only` takes. */
  readonly key: string
  readonly name: string
  readonly install:
    | { readonly from: 'nothing' }
    /** Its sources are these. What others would install is packed from them. */
    | { readonly from: 'checkout' }
    | {
        readonly from: 'npm'
        readonly spec: string
        /** Packages beneath it that are taken in another version than it asks for. */
        readonly overrides?: Readonly<Record<string, string>>
      }
    | { readonly from: 'pypi'; readonly spec: string }
  /** What a reader must know about how it was driven. */
  readonly note: string
}

/** elfmem first; the versions are the newest of the registries when this was written. */
export const CONTENDERS: readonly Contender[] = [
  {
    key: 'elfmem',
    name: 'elfmem',
    install: { from: 'checkout' },
    note: 'this library at its defaults; `recall` with all it writes; findable after `dream`',
  },
  {
    key: 'python-elfmem',
    name: 'Python elfmem',
    install: { from: 'pypi', spec: 'elfmem[cli,mcp]==0.20.*' },
    note: "`remember`, `dream(skip_llm=True)`, `frame('attention')`; no language model; size, start and tools are those of its extras `cli` and `mcp`",
  },
  {
    key: 'mem0',
    name: 'mem0 OSS',
    install: { from: 'npm', spec: 'mem0ai@3.3.1', overrides: { 'better-sqlite3': '13.2.0' } },
    note: 'its built-in store in SQLite, `infer: false`: texts are kept as they are, no language model; on better-sqlite3 13, since the 12 it asks for crashes on Node 24',
  },
  {
    key: 'hippo',
    name: 'hippo-memory',
    install: { from: 'npm', spec: 'hippo-memory@0.8.1' },
    note: 'as its commands work, without a process for each and without its optional embedder; filled without comparing each text with all before it',
  },
  {
    key: 'server-memory',
    name: 'server-memory',
    install: { from: 'npm', spec: '@modelcontextprotocol/server-memory@2026.8.31' },
    note: 'over MCP on stdio, one entity a text; it finds entities that contain the whole question, so it finds none',
  },
  {
    key: 'fts5',
    name: 'plain FTS5',
    install: { from: 'nothing' },
    note: 'one FTS5 table: Porter stems, stop words left out, any word may match, `bm25()`',
  },
  {
    key: 'cosine',
    name: 'plain cosine',
    install: { from: 'nothing' },
    note: 'every vector compared in plain JavaScript; nothing is kept on disk',
  },
]
