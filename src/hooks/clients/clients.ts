import type { HookClient, HookFields } from '../event.ts'
import { claudeCode, readClaudeEvent, toolEvent } from './claude-code.ts'

const OPENING = '<hook_context>'
const CLOSING = '</hook_context>'
/** A failed command says so in a line of its own; one that succeeded says nothing. */
const EXIT_CODE = /^Exit Code: (-?\d{1,10})$/m

/** The prompt without what hooks put before it: in headless mode the context of SessionStart stands there. */
function typedPrompt(prompt: string): string {
  let text = prompt.trimStart()
  while (text.startsWith(OPENING)) {
    const end = text.indexOf(CLOSING)
    text = end < 0 ? '' : text.slice(end + CLOSING.length).trimStart()
  }
  return text
}

function succeeded(fields: HookFields): boolean {
  const response = fields.object('tool_response')
  if (response.has('error')) return false
  const [, code = '0'] = EXIT_CODE.exec(response.text('llmContent')) ?? []
  return Number(code) === 0
}

/** Gemini CLI. It fires PreCompress before every model call, so nothing is known of a compaction there. */
const gemini: HookClient = {
  name: 'gemini',
  role: () => 'user',
  read(fields) {
    const session = fields.text('session_id')
    switch (fields.text('hook_event_name')) {
      case 'SessionStart':
        return { session, kind: 'start', isNew: fields.text('source') !== 'resume' }
      case 'BeforeAgent':
        return { session, kind: 'prompt', text: typedPrompt(fields.text('prompt')) }
      case 'AfterTool':
        return toolEvent(session, fields, succeeded(fields))
      case 'AfterAgent':
        return { session, kind: 'pause', last: fields.text('prompt_response') }
      default:
        return undefined
    }
  },
  answer: (fields, additionalContext) => ({
    hookSpecificOutput: { hookEventName: fields.text('hook_event_name'), additionalContext },
  }),
}

/** opencode, by the plugin of this package, which names things as elfmem does. */
const opencode: HookClient = {
  name: 'opencode',
  role: (fields) => (fields.text('role') === 'system' ? 'system' : 'user'),
  read(fields) {
    const session = fields.text('session')
    switch (fields.text('event')) {
      case 'prompt':
        return {
          ...{ session, kind: 'prompt', text: fields.text('prompt') },
          isOfAgent: fields.has('isChild'),
        }
      case 'acted':
        return toolEvent(session, fields, !fields.has('failed'))
      case 'pause':
        return { session, kind: 'pause', last: fields.text('last') }
      case 'compact':
        return { session, kind: 'compact' }
      default:
        return undefined
    }
  },
  answer: (_fields, context) => ({ context }),
}

/** Codex sends the events of Claude Code but those of tools. It refuses an answer with a field that it does not support. */
const codex: HookClient = {
  name: 'codex',
  role: () => 'system',
  read(fields) {
    const event = readClaudeEvent(fields)
    if (event?.kind === 'acted') return undefined
    return event?.kind === 'pause' ? { ...event, mayGoOn: false } : event
  },
  answer: (fields, additionalContext) => ({
    hookSpecificOutput: { hookEventName: fields.text('hook_event_name'), additionalContext },
  }),
}

/** The clients whose hooks are understood, by their names. */
export const HOOK_CLIENTS: ReadonlyMap<string, HookClient> = new Map(
  [claudeCode, codex, gemini, opencode].map((client) => [client.name, client]),
)
