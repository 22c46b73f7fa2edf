/** Payloads as the clients give them to their hooks. */
export const claude = {
  prompt: (prompt: string, session_id = 's1') => ({
    hook_event_name: 'UserPromptSubmit',
    session_id,
    prompt_id: 'p1',
    prompt,
    source: 'user',
  }),
  compact: (session_id = 's1') => ({ hook_event_name: 'PreCompact', session_id, trigger: 'auto' }),
  ran: (command: string, ok = true, session_id = 's1') => ({
    hook_event_name: ok ? 'PostToolUse' : 'PostToolUseFailure',
    session_id,
    tool_name: 'Bash',
    tool_input: JSON.stringify({ command }),
    ...(ok ? {} : { error: 'Exit code 1\n2 failed' }),
  }),
  wrote: (file_path: string, content: string, session_id = 's1') => ({
    hook_event_name: 'PostToolUse',
    session_id,
    tool_name: 'Write',
    tool_input: { file_path, content },
  }),
  remembered: (tool_input: object, session_id = 's1', more: object = {}) => ({
    hook_event_name: 'PostToolUse',
    session_id,
    tool_name: `mcp__plugin_elfmem_elfmem__elfmem_remember${'blocks' in tool_input ? '_many' : ''}`,
    tool_input: JSON.stringify(tool_input),
    ...more,
  }),
  stop: (last_assistant_message = '', session_id = 's1') => ({
    hook_event_name: 'Stop',
    session_id,
    last_assistant_message,
  }),
  start: (source: string, session_id = 's1') => ({ hook_event_name: 'SessionStart', session_id, source }),
}

/** The text that an answer adds to the conversation; empty if it adds none. */
export function addedBy(answer: object): string {
  const { hookSpecificOutput = {} } = answer as { hookSpecificOutput?: { additionalContext?: string } }
  return hookSpecificOutput.additionalContext ?? ''
}
