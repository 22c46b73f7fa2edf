/** One thing the demo's agent remembered. */
export interface JournalEntry {
  readonly content: string
  /** Who said it or where it was read; absent when the agent noted it itself. */
  readonly source?: string
  readonly tags?: readonly string[]
  readonly category?: string
  /** A few words the agent expects to ask for it by. */
  readonly cue?: string
  /** Minutes after the session's start; never decreasing within a session. */
  readonly minute: number
}

/** One sitting of the demo's agent, entries in the order they were remembered. */
export interface JournalSession {
  readonly name: string
  /** ISO-8601 UTC. */
  readonly startedAt: string
  readonly entries: readonly JournalEntry[]
}

/** An entry with its minute and words first, so that the journal reads as a list of sentences. */
export function note(
  minute: number,
  content: string,
  extra: Omit<JournalEntry, 'minute' | 'content'> = {},
): JournalEntry {
  return { minute, content, ...extra }
}
