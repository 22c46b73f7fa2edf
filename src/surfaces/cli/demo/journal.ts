import story from './journal.json' with { type: 'json' }

/**
 * One sitting of the demo's agent: when it began (ISO-8601 UTC), and what was remembered, in order. An entry has the minutes
 * after the start, never decreasing; its source, if the agent did not note it itself; and a cue it expects to ask by.
 */
export type JournalSession = (typeof story.sessions)[number]

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
