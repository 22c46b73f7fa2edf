/** Calls and tokens that models used for a memory. Calls are counted; tokens are as reported, or estimated. */
export interface TokenUsage {
  readonly llmInputTokens: number
  readonly llmOutputTokens: number
  readonly llmCalls: number
  readonly embeddingTokens: number
  readonly embeddingCalls: number
}
