/** Token usage counts calls of models and their tokens, for a memory. Tokens are as reported, or estimated. */
export interface TokenUsage {
  readonly llmInputTokens: number
  readonly llmOutputTokens: number
  readonly llmCalls: number
  readonly embeddingTokens: number
  readonly embeddingCalls: number
}

/** A dream record is the result of a dream in numbers, which the log keeps with the dream's own entry. */
export interface DreamRecord {
  /** Seconds from its beginning until it was logged; a curation that it began comes after. */
  readonly seconds: number
  readonly promoted: number
  /** Number of blocks with known words, which were joined with the known block. */
  readonly joined: number
  readonly linked: number
  /** Number of pairs to decide about: near duplicates, and blocks that may be outdated or contradict. */
  readonly flagged: number
  /** Number of blocks judged by a model or the host. */
  readonly judged: number
  /** Number of pairs that a model or the host called unrelated. */
  readonly refused: number
  /** Number of blocks that a model was asked to judge and did not. */
  readonly pending: number
}

/** A counted day has the numbers of operations on a UTC day. */
export interface CountedDay {
  readonly day: string
  readonly takenIn: number
  readonly recalled: number
  readonly reported: number
  /** Number of archived blocks, duplicates among them. */
  readonly archived: number
}

export const NOTHING_DONE = { takenIn: 0, recalled: 0, reported: 0, archived: 0 }

/** Returns the UTC day of an ISO-8601 instant. */
export function dayOf(instant: string): string {
  return instant.slice(0, instant.indexOf('T'))
}

/** Hook counts are the numbers of events that hooks of coding agents handled. */
export interface HookCounts {
  readonly handled: number
  /** Number of handled events that ended before everything was found. */
  readonly late: number
  readonly failed: number
}

/** The counts have this place: one item for each server, which any program may write. */
export const HOOK_COUNTS = { space: 'hooks', namespace: ['counts'] } as const
/** Largest number of servers whose counts are kept, the newest. */
export const HOOK_COUNTS_MOST = 16

/** Returns the sum of the counts of some servers; undefined if there are none. */
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
