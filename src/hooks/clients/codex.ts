import type { HookClient } from '../event.ts'
import { readClaudeEvent } from './claude-code.ts'
import { stepsOfTurn } from './rollout.ts'

/**
 * Codex: the events of Claude Code. It refuses an answer with a field that it does not support. What was done in a turn stands in its
 * own record of the session.
 */
export const codex: HookClient = {
  name: 'codex',
  role: () => 'system',
  read(fields) {
    const event = readClaudeEvent(fields)
    if (event?.kind === 'acted') return undefined
    if (event?.kind !== 'pause') return event
    return {
      ...event,
      steps: stepsOfTurn(fields.text('transcript_path'), event.session, fields.text('turn_id')),
    }
  },
  answer: (fields, additionalContext) => ({
    hookSpecificOutput: { hookEventName: fields.text('hook_event_name'), additionalContext },
  }),
}
