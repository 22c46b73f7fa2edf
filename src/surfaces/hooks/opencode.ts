import { randomUUID } from 'node:crypto'
import { askServer, hookWithin } from './ask.ts'

/** The most sessions of sub-agents that are known at once. */
const CHILDREN_MAX = 64

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
  readonly properties?: {
    readonly sessionID?: string
    readonly info?: { readonly id?: string; readonly parentID?: string }
  }
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
 */
export async function elfmem({ directory }: PluginInput): Promise<OpencodeHooks> {
  const { env } = process
  const home = env.HOME ?? env.USERPROFILE ?? ''
  const within = hookWithin(env)
  /** Sessions that an agent began for another one, whose prompts nobody typed. */
  const children = new Set<string>()
  const tell = async (fields: object): Promise<string> => {
    try {
      const payload = JSON.stringify(fields)
      const answer = await askServer({ client: 'opencode', cwd: directory, home, payload, within })
      const { context } = JSON.parse(answer) as { readonly context?: unknown }
      return typeof context === 'string' ? context : ''
    } catch {
      return ''
    }
  }
  return {
    async 'chat.message'({ sessionID: session }, { message, parts }) {
      // A part that opencode made holds a file, say.
      const typed = parts.filter(({ type, synthetic }) => type === 'text' && synthetic !== true)
      const prompt = typed.map(({ text = '' }) => text).join('\n')
      const text = await tell({ event: 'prompt', session, prompt, isChild: children.has(session) })
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
      const { sessionID: session, info: { id, parentID } = {} } = properties ?? {}
      if (type === 'session.created' && id !== undefined && parentID) {
        children.add(id)
        const [oldest = ''] = children
        if (children.size > CHILDREN_MAX) children.delete(oldest)
      }
      if (type === 'session.idle' && session !== undefined) await tell({ event: 'pause', session })
    },
  }
}
