import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server'
import { attempt } from '../../../errors.ts'
import { listTools } from '../tool-list.ts'
import { type Served, toolName } from '../tool-names.ts'

/** The call of an operation that a resource is made of, in the names of the library. */
interface Asked {
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
}

/** A kind of resource that a client can read by a URI. */
export interface Kind {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The URI; for a template its beginning, which a value follows. */
  readonly uri: string
  /** The name of the value; absent: there is one such resource. */
  readonly variable?: string
  readonly mimeType: 'text/markdown' | 'application/json'
  /** True: it holds nothing that was remembered, and needs no fence. */
  readonly isOurs?: true
  /** The text of an empty frame; such a kind is the frame alone, since notes count blocks that are none of its own. */
  readonly emptyFrame?: string
  readonly asks: (value: string) => readonly Asked[]
}

/** Blocks that one list shows at most; an answer over MCP is no longer than that. */
const LISTED = 200

const listOf = (by: 'session' | 'tag') => (value: string) =>
  ['active', 'inbox'].map((status) => ({ operation: 'ls', input: { [by]: value, status, limit: LISTED } }))

/** The kinds of resources. None leaves a trace: reading one is not counted as use. */
const KINDS: readonly Kind[] = [
  {
    name: 'self',
    title: 'Who I am',
    description: 'The self frame: what the agent knows of itself.',
    uri: 'elfmem://self',
    mimeType: 'text/markdown',
    emptyFrame: 'Nothing says who you are yet.',
    asks: () => [{ operation: 'recall', input: { frame: 'self', reinforce: false } }],
  },
  {
    name: 'status',
    title: 'How the memory is',
    description: 'Counts, health and what the memory wants.',
    uri: 'elfmem://status',
    mimeType: 'application/json',
    asks: () => [{ operation: 'status', input: {} }],
  },
  {
    name: 'guide',
    title: 'Guide',
    description: 'All operations, and when to call which.',
    uri: 'elfmem://guide',
    mimeType: 'text/markdown',
    isOurs: true,
    asks: () => [{ operation: 'guide', input: {} }],
  },
  {
    name: 'guide-operation',
    title: 'Guide to one operation',
    description: 'What an operation does, takes and returns.',
    uri: 'elfmem://guide/',
    variable: 'operation',
    mimeType: 'text/markdown',
    isOurs: true,
    asks: (method) => [{ operation: 'guide', input: { method } }],
  },
  {
    name: 'block',
    title: 'One block',
    description: 'Everything known about a block, by its id or a unique beginning of it.',
    uri: 'elfmem://block/',
    variable: 'id',
    mimeType: 'text/markdown',
    asks: (blockId) => [{ operation: 'show', input: { blockId } }],
  },
  {
    name: 'session',
    title: 'One session',
    description: 'The blocks of a session, conversation or document.',
    uri: 'elfmem://session/',
    variable: 'session',
    mimeType: 'text/markdown',
    asks: listOf('session'),
  },
  {
    name: 'tag',
    title: 'One tag',
    description: 'The blocks with a tag, or with those that begin as said before a *.',
    uri: 'elfmem://tag/',
    variable: 'tag',
    mimeType: 'text/markdown',
    asks: listOf('tag'),
  },
  {
    name: 'recall',
    title: 'Recall',
    description: 'What the memory knows about a question; leaves no trace.',
    uri: 'elfmem://recall/',
    variable: 'query',
    mimeType: 'text/markdown',
    asks: (query) => [{ operation: 'recall', input: { query, reinforce: false } }],
  },
]

/** The longest URI that is looked at. */
const URI_MAX = 4_096

/** The kinds that a caller may read: those whose operations are among its tools. */
export async function kindsFor(served: Served): Promise<readonly Kind[]> {
  const tools = new Set((await listTools(served)).map(({ name }) => name))
  return KINDS.filter(({ asks }) => asks('x').every(({ operation }) => tools.has(toolName(operation))))
}

/** Returns the kind of a URI and the value in it; undefined if it names none of those. */
export function kindOf(
  uri: string,
  kinds: readonly Kind[],
): { readonly kind: Kind; readonly value: string } | undefined {
  if (uri.length > URI_MAX) return undefined
  for (const kind of kinds) {
    if (kind.variable === undefined ? uri !== kind.uri : !uri.startsWith(kind.uri)) continue
    const value = attempt(() => decodeURIComponent(uri.slice(kind.uri.length)))
    if (value !== undefined && (kind.variable === undefined || value.trim() !== '')) return { kind, value }
  }
  return undefined
}

const annotations = { audience: ['assistant' as const] }

/** The resources as a client lists them. */
export function listedResources(kinds: readonly Kind[]): Resource[] {
  return kinds.flatMap(({ uri, variable, name, title, description, mimeType }) =>
    variable === undefined ? [{ uri, name, title, description, mimeType, annotations }] : [],
  )
}

/** The templates as a client lists them. */
export function listedTemplates(kinds: readonly Kind[]): ResourceTemplateType[] {
  return kinds.flatMap(({ uri, variable, name, title, description, mimeType }) =>
    variable === undefined
      ? []
      : [{ uriTemplate: `${uri}{${variable}}`, name, title, description, mimeType, annotations }],
  )
}
