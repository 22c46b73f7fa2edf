import type { HookClient } from '../event.ts'
import { readClaudeEvent } from './claude-code.ts'

/** Codex: the events of Claude Code; it refuses an answer with a field that it does not support. */
export const codex: HookClient = {
  name: 'codex',
  role: 'system',
  read: readClaudeEvent,
  write: (fields, additionalContext) => ({
    hookSpecificOutput: { hookEventName: fields.text('hook_event_name'), additionalContext },
  }),
}
