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
  /** Numbers of edges of today that were made on the day: by use together or an outcome, by similarity, by an agent or a model. */
  readonly edgesByUse: number
  readonly edgesBySimilarity: number
  readonly edgesOtherwise: number
  /** Number of edges of today that were staged pairs until the day. */
  readonly promoted: number
  /** Number of sessions that began. */
  readonly sessions: number
}

export const NOTHING_DONE = {
  ...{ takenIn: 0, recalled: 0, reported: 0, archived: 0 },
  ...{ edgesByUse: 0, edgesBySimilarity: 0, edgesOtherwise: 0, promoted: 0, sessions: 0 },
}

/** Returns the UTC day of an ISO-8601 instant. */
export function dayOf(instant: string): string {
  return instant.slice(0, instant.indexOf('T'))
}

export const NO_USAGE: TokenUsage = {
  llmInputTokens: 0,
  llmOutputTokens: 0,
  llmCalls: 0,
  embeddingTokens: 0,
  embeddingCalls: 0,
}

/** Returns the sum of two usages, or with `sign` -1 their difference. */
export function addUsage(one: TokenUsage, other: Partial<TokenUsage>, sign: 1 | -1 = 1): TokenUsage {
  const counters = Object.keys(NO_USAGE) as (keyof TokenUsage)[]
  const sums = counters.map((key) => [key, one[key] + sign * (other[key] ?? 0)])
  return Object.fromEntries(sums) as unknown as TokenUsage
}

/** Returns the input and output tokens of language models. */
export function llmTokens({ llmInputTokens, llmOutputTokens }: TokenUsage): number {
  return llmInputTokens + llmOutputTokens
}

/** Returns true for a usage without any call. */
export function isUnused({ llmCalls, embeddingCalls }: TokenUsage): boolean {
  return llmCalls === 0 && embeddingCalls === 0
}

/** Collects the usage of models until it is written down (`mutate` does). */
export class UsageMeter {
  readonly redacted = new Map<string, number>()
  total: TokenUsage = NO_USAGE
  #written: TokenUsage = NO_USAGE

  noteRedacted(kind: string, count: number): void {
    this.redacted.set(kind, (this.redacted.get(kind) ?? 0) + count)
  }

  add(used: Partial<TokenUsage>): void {
    this.total = addUsage(this.total, used)
  }

  get unwritten(): TokenUsage {
    return addUsage(this.total, this.#written, -1)
  }

  /** Notes that a usage was written down and committed. */
  written(used: TokenUsage): void {
    this.#written = addUsage(this.#written, used)
  }
}
