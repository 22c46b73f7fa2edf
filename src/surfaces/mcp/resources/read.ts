import { type ReadResourceResult, ResourceNotFoundError } from '@modelcontextprotocol/server'
import type { CallContext } from '../../../engine/engine.ts'
import type { CallableMemory } from '../../../engine/open-memory.ts'
import { loadOperation } from '../../../operations/load.ts'
import { fenced } from '../../../operations/recall/session-prompts.ts'
import { ask } from '../../tool-call.ts'
import type { Served } from '../tool-names.ts'
import { languageOf } from '../tools.ts'
import { type Kind, kindOf, kindsFor } from './resources.ts'
import { ResourceWatch } from './watch.ts'

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
  if (found === undefined) throw new ResourceNotFoundError(uri)
  const { kind, value } = found
  const parts: Part[] = []
  for (const { operation: name, input } of kind.asks(value)) {
    const operation = await loadOperation(name)
    if (operation === undefined) throw new ResourceNotFoundError(uri)
    const question = { input, context: { ...context, tools: served.tools } }
    parts.push(await ask(operation, memory, question, () => languageOf(served)))
  }
  return { contents: [{ uri, mimeType: kind.mimeType, text: textOf(kind, parts) }] }
}

/** Watches resources as a caller may read them. */
export function watchResources(
  memory: CallableMemory,
  served: Served,
  {
    context,
    changed,
  }: { readonly context: () => Promise<CallContext>; readonly changed: (uri: string) => void },
): ResourceWatch {
  const textAt = async (uri: string) => {
    const { contents } = await readResource(memory, served, { uri, context: await context() })
    return contents.map((each) => ('text' in each ? each.text : '')).join('\n')
  }
  return new ResourceWatch({ onLook: (watcher) => memory.onLook(watcher), read: textAt, changed })
}

interface Part {
  readonly text: string
  readonly fields: Readonly<Record<string, unknown>>
}

function textOf({ mimeType, isOurs, emptyFrame }: Kind, parts: readonly Part[]): string {
  if (mimeType === 'application/json') return JSON.stringify(parts[0]?.fields ?? {}, undefined, 2)
  const text = parts
    .map((part) => (emptyFrame === undefined ? part.text : String(part.fields.text || emptyFrame)))
    .join('\n\n')
  return isOurs ? text : fenced(text, [...new Set(parts.flatMap(({ fields }) => idsIn(fields)))])
}

/** The ids of the blocks that an answer shows. */
function idsIn({ blocks = [], block }: Readonly<Record<string, unknown>>): string[] {
  const shown = [...(Array.isArray(blocks) ? blocks : []), block] as readonly unknown[]
  return shown
    .map((each) => (Object(each) as { id?: unknown }).id)
    .filter((id): id is string => typeof id === 'string')
}
