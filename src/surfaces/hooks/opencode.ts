import { randomUUID } from 'node:crypto'
import { askServer } from './ask.ts'

/** Milliseconds that a hook waits for the server. */
const WITHIN_MS = 250

/** The part of what opencode gives its plugins that this one reads. */
interface PluginInput {
  /** The folder that opencode works in. */
  readonly directory: string
}

interface TextPart {
  readonly type: string
  readonly text?: string
  readonly [field: string]: unknown
}

interface Message {
  readonly message: { readonly id: string; readonly sessionID: string }
  readonly parts: TextPart[]
}

interface ToolCall {
  readonly tool: string
  readonly sessionID: string
  readonly args?: unknown
}

interface ToolResult {
  readonly metadata?: { readonly exit?: unknown } | undefined
}

interface OpencodeEvent {
  readonly type: string
  readonly properties?: { readonly sessionID?: string }
}

/** The hooks of opencode that this plugin has. */
export interface OpencodeHooks {
  'chat.message'(input: { readonly sessionID: string }, output: Message): Promise<void>
  'tool.execute.after'(input: ToolCall, output: ToolResult): Promise<void>
  'experimental.session.compacting'(input: { readonly sessionID: string }): Promise<void>
  event(input: { readonly event: OpencodeEvent }): Promise<void>
}

/**
 * The plugin for opencode: memory comes with the prompts it bears on, as a part of the message. It asks the server that opencode starts
 * as `elfmem serve --hooks`, since opencode runs plugins where no memory can be opened. Without a server it does nothing.
 *
 * @param options `withinMs`: milliseconds that a hook waits for the server; 250 unless given
 */
export async function elfmem(
  { directory }: PluginInput,
  { withinMs = WITHIN_MS }: { readonly withinMs?: number } = {},
): Promise<OpencodeHooks> {
  const home = process.env.HOME ?? process.env.USERPROFILE ?? ''
  const tell = async (fields: object): Promise<string> => {
    try {
      const payload = JSON.stringify(fields)
      const asked = { client: 'opencode', cwd: directory, home, payload, within: withinMs }
      const { context } = JSON.parse(await askServer(asked)) as { readonly context?: unknown }
      return typeof context === 'string' ? context : ''
    } catch {
      return ''
    }
  }
  return {
    async 'chat.message'({ sessionID: session }, { message, parts }) {
      const prompt = parts.flatMap(({ type, text = '' }) => (type === 'text' ? [text] : [])).join('\n')
      const text = await tell({ event: 'prompt', session, prompt })
      if (text === '') return
      const id = `prt_${randomUUID().replaceAll('-', '')}`
      parts.push({ id, sessionID: session, messageID: message.id, type: 'text', text, synthetic: true })
    },
    async 'tool.execute.after'({ tool, sessionID: session, args }, { metadata }) {
      const exit = metadata?.exit
      const failed = typeof exit === 'number' && exit !== 0
      await tell({ event: 'acted', session, tool_name: tool, tool_input: args, failed })
    },
    async 'experimental.session.compacting'({ sessionID: session }) {
      await tell({ event: 'compact', session })
    },
    async event({ event: { type, properties } }) {
      const session = properties?.sessionID
      if (type === 'session.idle' && session !== undefined) await tell({ event: 'pause', session })
    },
  }
}
