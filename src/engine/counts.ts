/** Calls of models and their tokens, for a memory. Tokens are as reported, or estimated. */
export interface TokenUsage {
  readonly llmInputTokens: number
  readonly llmOutputTokens: number
  readonly llmCalls: number
  readonly embeddingTokens: number
  readonly embeddingCalls: number
}

/** The result of a dream in numbers, as the log keeps it with the dream's own entry. */
export interface DreamRecord {
  /** From its beginning until it was logged; a curation that it began comes after. */
  readonly seconds: number
  readonly promoted: number
  /** Blocks that said what was known and were joined with it. */
  readonly joined: number
  readonly linked: number
  /** Pairs to decide about: near duplicates and what may be outdated or contradict. */
  readonly flagged: number
  /** Blocks judged by a model or the host. */
  readonly judged: number
  /** Pairs that a model or the host called unrelated. */
  readonly refused: number
  /** Blocks that a model was to judge and did not. */
  readonly pending: number
}

/** Counts of what was done on a UTC day. */
export interface CountedDay {
  readonly day: string
  readonly takenIn: number
  readonly recalled: number
  readonly reported: number
  /** Blocks archived, duplicates among them. */
  readonly archived: number
}

export const NOTHING_DONE = { takenIn: 0, recalled: 0, reported: 0, archived: 0 }

/** Returns the UTC day of an ISO-8601 instant. */
export function dayOf(instant: string): string {
  return instant.slice(0, instant.indexOf('T'))
}

/** Counts of the events that hooks of coding agents handled. */
export interface HookCounts {
  readonly handled: number
  /** Handled events that were over before all was found. */
  readonly late: number
  readonly failed: number
}

/** The place of the counts: one item for each server, as any program may write it. */
export const HOOK_COUNTS = { space: 'hooks', namespace: ['counts'] } as const
/** Servers whose counts are kept, the newest. */
export const HOOK_COUNTS_MOST = 16

/** Adds up the counts of some servers; undefined if there are none. */
export function sumOfHooks(values: readonly unknown[]): HookCounts | undefined {
  const sum = { handled: 0, late: 0, failed: 0 }
  for (const value of values) {
    const counts = Object(value) as Readonly<Record<string, unknown>>
    for (const name of ['handled', 'late', 'failed'] as const) {
      const count = counts[name]
      if (Number.isSafeInteger(count) && (count as number) > 0) sum[name] += count as number
    }
  }
  return sum.handled === 0 ? undefined : sum
}
