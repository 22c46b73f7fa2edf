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
  start: (source: string, session_id = 's1') => ({ hook_event_name: 'SessionStart', session_id, source }),
}

/** The text that an answer adds to the conversation; empty if it adds none. */
export function addedBy(answer: object): string {
  const { hookSpecificOutput = {} } = answer as { hookSpecificOutput?: { additionalContext?: string } }
  return hookSpecificOutput.additionalContext ?? ''
}
