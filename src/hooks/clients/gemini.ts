import type { HookClient, HookFields } from '../event.ts'
import { toolEvent } from './claude-code.ts'

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
export const gemini: HookClient = {
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
