import type { HookClient, HookEvent, HookFields, HookStep } from '../event.ts'

/** Prompts that nobody typed: a loop of the client's own, a notice. */
const TYPED: ReadonlySet<string> = new Set(['', 'user', 'sdk'])

/** The events of Claude Code, which Codex and the Claude Agent SDK have, too. */
export function readClaudeEvent(fields: HookFields): HookEvent | undefined {
  const session = fields.text('session_id')
  switch (fields.text('hook_event_name')) {
    case 'SessionStart':
      return { session, kind: 'start', isNew: fields.text('source') !== 'resume' }
    case 'UserPromptSubmit':
      return TYPED.has(fields.text('source'))
        ? { session, kind: 'prompt', text: fields.text('prompt') }
        : undefined
    case 'PostToolUse':
      return acted(session, fields, isSuccess(fields))
    case 'PostToolUseFailure':
      return acted(session, fields, false)
    case 'Stop':
      return {
        ...{ session, kind: 'pause', last: fields.text('last_assistant_message') },
        // A program takes the last words of the agent for its answer. One hook that made it go on is enough.
        mayGoOn: fields.has('isAttended') && !fields.has('stop_hook_active'),
      }
    case 'PreCompact':
      return { session, kind: 'compact' }
    case 'SessionEnd':
      return { session, kind: 'end' }
    default:
      return undefined
  }
}

/** True for a tool that succeeded; undefined if a person changed its words, which is no success of them, and no failure. */
function isSuccess(fields: HookFields): boolean | undefined {
  const isChanged = fields.has('user_modified') || fields.object('tool_response').has('userModified')
  return isChanged ? undefined : true
}

/** Sub-agents do not count: nothing was recalled for what they were asked. */
function acted(session: string, fields: HookFields, ok: boolean | undefined): HookEvent | undefined {
  return fields.has('agent_id') ? undefined : toolEvent(session, fields, ok)
}

/** A tool of this memory that keeps texts, whatever a client puts before its name. */
const REMEMBERS = /elfmem_remember(?:_many)?$/

/** The event of a tool that ended: of the memory's own, what it keeps. */
export function toolEvent(session: string, fields: HookFields, ok: boolean | undefined): HookEvent {
  if (!REMEMBERS.test(fields.text('tool_name'))) return { session, kind: 'acted', step: stepOf(fields, ok) }
  const input = fields.object('tool_input')
  const texts = [input, ...input.objects('blocks')].map((each) => each.text('content').trim())
  return { session, kind: 'remembered', texts: ok === true ? texts.filter(Boolean) : [] }
}

/** A call of a tool with an input as Claude Code names its parts. */
function stepOf(fields: HookFields, ok: boolean | undefined): HookStep {
  const input = fields.object('tool_input')
  const [command, path] = [input.text('command'), input.text('file_path')]
  const written = ['new_string', 'content', 'new_source'].map((name) => input.text(name)).find(Boolean)
  return {
    tool: fields.text('tool_name'),
    words: command || written || input.words(),
    ...(command === '' ? {} : { command }),
    ...(path === '' ? {} : { path }),
    ok,
  }
}

/** Claude Code, by the hooks of its plugin or of its settings. */
export const claudeCode: HookClient = {
  name: 'claude-code',
  role: () => 'system',
  read: readClaudeEvent,
  answer: (fields, additionalContext) => ({
    suppressOutput: true,
    hookSpecificOutput: { hookEventName: fields.text('hook_event_name'), additionalContext },
  }),
}
