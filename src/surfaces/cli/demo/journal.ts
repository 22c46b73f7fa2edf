import story from './journal.json' with { type: 'json' }

/** One thing the demo's agent remembered. */
interface JournalEntry {
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

/** Four invented weeks of an agent at an invented bakery-supply shop, oldest session first. */
export const journal: readonly JournalSession[] = story.sessions

/** A question the demo asks of the journal, and which entries would answer it. */
export interface DemoQuestion {
  readonly question: string
  /** Difficulty. `paraphrase` shares no content word with its answer; `unanswerable` has none. */
  readonly kind: 'direct' | 'paraphrase' | 'superseded' | 'cross-topic' | 'unanswerable'
  /** Words that occur in answering entries only; a full answer holds them all. Empty when there is none. */
  readonly expected: readonly string[]
  /** Words of entries that a later one replaced or refuted, and that must not be ranked above it. */
  readonly outdated?: readonly string[]
}

/** Eight questions about the journal, each answered by what `expected` names and nothing else. */
export const demoQuestions = story.questions as readonly DemoQuestion[]
