/** Calls and tokens that models used for a memory. Calls are counted; tokens are as told, or estimated. */
export interface TokenUsage {
  readonly llmInputTokens: number
  readonly llmOutputTokens: number
  readonly llmCalls: number
  readonly embeddingTokens: number
  readonly embeddingCalls: number
}

export const NO_USAGE: TokenUsage = {
  llmInputTokens: 0,
  llmOutputTokens: 0,
  llmCalls: 0,
  embeddingTokens: 0,
  embeddingCalls: 0,
}

/** The sum of two usages. */
export function addUsage(one: TokenUsage, other: Partial<TokenUsage>): TokenUsage {
  return {
    llmInputTokens: one.llmInputTokens + (other.llmInputTokens ?? 0),
    llmOutputTokens: one.llmOutputTokens + (other.llmOutputTokens ?? 0),
    llmCalls: one.llmCalls + (other.llmCalls ?? 0),
    embeddingTokens: one.embeddingTokens + (other.embeddingTokens ?? 0),
    embeddingCalls: one.embeddingCalls + (other.embeddingCalls ?? 0),
  }
}

/** Tokens of language models, in and out: what budgets count. */
export function llmTokens({ llmInputTokens, llmOutputTokens }: TokenUsage): number {
  return llmInputTokens + llmOutputTokens
}

/** True if nothing was used. */
export function isUnused({ llmCalls, embeddingCalls }: TokenUsage): boolean {
  return llmCalls === 0 && embeddingCalls === 0
}

/** A usage as it was stored; zeros for what cannot be read. */
export function readUsage(stored: string | undefined): TokenUsage {
  try {
    const read: unknown = JSON.parse(stored ?? '{}')
    if (typeof read !== 'object' || read === null) return NO_USAGE
    const numbers = Object.entries(read).filter(
      ([key, value]) => key in NO_USAGE && typeof value === 'number' && Number.isFinite(value) && value >= 0,
    )
    return { ...NO_USAGE, ...Object.fromEntries(numbers) }
  } catch {
    return NO_USAGE
  }
}
