import type { CompleteRequestParams, CompleteResult } from '@modelcontextprotocol/server'
import type { CallContext } from '../../../engine/engine.ts'
import type { CallableMemory } from '../../../engine/open-memory.ts'
import { loadOperation } from '../../../operations/load.ts'
import { listTools } from '../tool-list.ts'
import { type Served, toolName } from '../tool-names.ts'
import { kindsFor } from './resources.ts'

/** Values that are proposed at most. */
const PROPOSED = 20
/** Blocks that ids, sessions and tags are proposed from: the newest of each kind. */
const LOOKED_AT = 500

interface ListedBlock {
  readonly id: string
  readonly session?: string
  readonly tags: readonly string[]
}

interface Asking {
  readonly memory: CallableMemory
  readonly served: Served
  readonly context: CallContext
}

/** Proposes values for what a client is filling in: the variable of a template, or the scope of a prompt. */
export async function complete(
  asking: Asking,
  { ref, argument }: CompleteRequestParams,
): Promise<CompleteResult> {
  const values = await valuesFor(asking, ref, argument.name)
  const begun = argument.value.toLowerCase()
  const fitting = [...new Set(values)].filter((value) => value.toLowerCase().startsWith(begun))
  return {
    completion: {
      values: fitting.slice(0, PROPOSED),
      total: fitting.length,
      hasMore: fitting.length > PROPOSED,
    },
  }
}

async function valuesFor(
  asking: Asking,
  ref: CompleteRequestParams['ref'],
  name: string,
): Promise<readonly string[]> {
  if (ref.type === 'ref/prompt') return name === 'scope' ? scopes(asking) : []
  const kinds = await kindsFor(asking.served)
  const kind = kinds.find(({ uri, variable }) => variable === name && `${uri}{${variable}}` === ref.uri)
  switch (kind?.variable) {
    case 'operation':
      return (await listTools(asking.served)).map((tool) => tool.name.replace(/^elfmem_/, ''))
    case 'id':
      return (await newest(asking)).map(({ id }) => id)
    case 'session':
      return (await newest(asking)).flatMap(({ session }) => session ?? [])
    case 'tag':
      return (await newest(asking)).flatMap(({ tags }) => tags).sort()
    default:
      return []
  }
}

async function newest(asking: Asking): Promise<readonly ListedBlock[]> {
  const pages = ['active', 'inbox'].map((status) => answerOf(asking, 'ls', { status, limit: LOOKED_AT }))
  return (await Promise.all(pages)).flatMap((page) => (page?.blocks ?? []) as readonly ListedBlock[])
}

async function scopes(asking: Asking): Promise<readonly string[]> {
  const status = await answerOf(asking, 'status', {})
  return ((status?.scopes ?? []) as readonly { readonly scope: string }[]).map(({ scope }) => scope)
}

/** Undefined for an operation that is not among the caller's tools. */
async function answerOf(
  { memory, served, context }: Asking,
  name: string,
  input: object,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const isOffered = (await listTools(served)).some((tool) => tool.name === toolName(name))
  const operation = isOffered ? await loadOperation(name) : undefined
  if (operation === undefined) return undefined
  const silent = { ...context, showsNoSummary: true }
  return (await memory.call(operation, input, silent)) as Readonly<Record<string, unknown>>
}
