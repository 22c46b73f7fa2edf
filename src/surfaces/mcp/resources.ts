import {
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server'
import type { CallContext } from '../../engine/engine.ts'
import type { CallableMemory } from '../../engine/open-memory.ts'
import { attempt } from '../../errors.ts'
import { loadOperation } from '../../operations/load.ts'
import { fenced } from '../../operations/wording.ts'
import { answerOf, type ToolAnswer } from '../tool-call.ts'
import { listTools } from './tool-list.ts'
import { type Served, toolName } from './tool-names.ts'
import { proseOf } from './tools.ts'

/** A kind of resource that a client can read by a URI: the text of an operation's answers. */
interface Kind {
  readonly name: string
  readonly description: string
  /** The URI; for a template its beginning, which a value follows. */
  readonly uri: string
  /** The name of the value in the URI; absent if the kind has one resource. */
  readonly variable?: string
  /** `frame`: remembered text without notes; `list`: an answer with remembered text; `ours`: an answer without; `json`: its fields. */
  readonly form: 'frame' | 'list' | 'ours' | 'json'
  readonly operation: string
  /** The arguments of the calls, as the wire spells them. */
  readonly inputs: (value: string) => readonly Readonly<Record<string, unknown>>[]
}

/** The most blocks of one list; an answer over MCP is no longer than that. */
const LISTED = 200

const livingBy = (key: 'session' | 'tag') => (value: string) =>
  ['active', 'inbox'].map((status) => ({ [key]: value, status, limit: LISTED }))

/** The kinds of resources. None leaves a trace: reading one is not counted as use. */
const KINDS: readonly Kind[] = [
  {
    ...{ name: 'self', description: 'The self frame: what the agent knows of itself.', form: 'frame' },
    ...{ uri: 'elfmem://self', operation: 'recall', inputs: () => [{ frame: 'self', reinforce: false }] },
  },
  {
    ...{ name: 'status', description: 'Counts, health and what the memory wants.', form: 'json' },
    ...{ uri: 'elfmem://status', operation: 'status', inputs: () => [{}] },
  },
  {
    ...{ name: 'guide', description: 'All operations, and when to call which.', form: 'ours' },
    ...{ uri: 'elfmem://guide', operation: 'guide', inputs: () => [{}] },
  },
  {
    ...{ name: 'guide-operation', description: 'What an operation does.', form: 'ours' },
    ...{ uri: 'elfmem://guide/', variable: 'operation' },
    ...{ operation: 'guide', inputs: (method) => [{ method }] },
  },
  {
    ...{ name: 'block', description: 'Everything known about a block, by its id.', form: 'list' },
    ...{ uri: 'elfmem://block/', variable: 'id', operation: 'show', inputs: (id) => [{ block_id: id }] },
  },
  {
    ...{ name: 'session', description: 'The blocks of a session, conversation or document.', form: 'list' },
    ...{ uri: 'elfmem://session/', variable: 'session', operation: 'ls', inputs: livingBy('session') },
  },
  {
    ...{ name: 'tag', description: 'The blocks with a tag, or with a beginning before a *.', form: 'list' },
    ...{ uri: 'elfmem://tag/', variable: 'tag', operation: 'ls', inputs: livingBy('tag') },
  },
  {
    ...{ name: 'recall', description: 'What the memory knows about a question.', form: 'list' },
    ...{ uri: 'elfmem://recall/', variable: 'query' },
    ...{ operation: 'recall', inputs: (query) => [{ query, reinforce: false }] },
  },
]

/** The longest URI that is looked at. */
const URI_MAX = 4_096

/** Returns the kinds that a caller may read: its tools include their operations. */
async function kindsFor(served: Served): Promise<readonly Kind[]> {
  const tools = new Set((await listTools(served)).map(({ name }) => name))
  return KINDS.filter(({ operation }) => tools.has(toolName(operation)))
}

/** Returns what a client lists of a kind. */
function listedAs({ name, description, form }: Kind) {
  const mimeType = form === 'json' ? 'application/json' : 'text/markdown'
  return { name, description, mimeType, annotations: { audience: ['assistant' as const] } }
}

/** The resources as a client lists them. */
export async function listedResources(served: Served): Promise<Resource[]> {
  const kinds = await kindsFor(served)
  return kinds.flatMap((kind) => (kind.variable === undefined ? [{ uri: kind.uri, ...listedAs(kind) }] : []))
}

/** The templates as a client lists them. */
export async function listedTemplates(served: Served): Promise<ResourceTemplateType[]> {
  const kinds = await kindsFor(served)
  return kinds.flatMap((kind) =>
    kind.variable === undefined ? [] : [{ uriTemplate: `${kind.uri}{${kind.variable}}`, ...listedAs(kind) }],
  )
}

/** Returns the kind of a URI and the value in it; undefined if it names none of the kinds. */
function kindOf(uri: string, kinds: readonly Kind[]) {
  if (uri.length > URI_MAX) return undefined
  for (const kind of kinds) {
    if (kind.variable === undefined ? uri !== kind.uri : !uri.startsWith(kind.uri)) continue
    const value = attempt(() => decodeURIComponent(uri.slice(kind.uri.length)))
    if (value !== undefined && (kind.variable === undefined || value.trim() !== '')) return { kind, value }
  }
  return undefined
}

/**
 * Reads a resource through the same door as a call. Remembered text stands in a fence that says that it is data.
 *
 * @throws `ResourceNotFoundError` for a URI that names nothing a caller may read
 */
export async function readResource(
  memory: CallableMemory,
  served: Served,
  { uri, context }: { readonly uri: string; readonly context: CallContext },
): Promise<ReadResourceResult> {
  const found = kindOf(uri, await kindsFor(served))
  const operation = found && (await loadOperation(found.kind.operation))
  if (found === undefined || operation === undefined) throw new ResourceNotFoundError(uri)
  const { kind, value } = found
  const parts: ToolAnswer[] = []
  for (const input of kind.inputs(value)) {
    const request = { arguments: input, context: { ...context, tools: served.tools } }
    parts.push(await answerOf(operation, memory, request, () => proseOf(served)))
  }
  return { contents: [{ uri, mimeType: listedAs(kind).mimeType, text: textOf(kind, parts) }] }
}

function textOf({ form }: Kind, parts: readonly ToolAnswer[]): string {
  if (form === 'json') return JSON.stringify(parts[0]?.structured ?? {}, undefined, 2)
  const text = parts
    .map((part) =>
      form === 'frame' ? String(part.structured.text || 'Nothing says who you are yet.') : part.text,
    )
    .join('\n\n')
  return form === 'ours'
    ? text
    : fenced(text, [...new Set(parts.flatMap(({ structured }) => idsIn(structured)))])
}

/** The ids of the blocks that an answer shows. */
function idsIn({ blocks = [], block }: Readonly<Record<string, unknown>>): string[] {
  const shown = [...(Array.isArray(blocks) ? blocks : []), block] as readonly unknown[]
  return shown
    .map((each) => (Object(each) as { id?: unknown }).id)
    .filter((id): id is string => typeof id === 'string')
}
