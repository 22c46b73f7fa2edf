import type { BlockFacts } from '../domain/block/block.ts'

/** How recall weighs what it finds; see `config/recall-settings.ts` for units and reasons. */
export interface RankingOptions {
  readonly bm25K1: number
  readonly bm25B: number
  readonly lexicalNorm: number
  readonly loneWordExponent: number
  readonly fullWords: number
  readonly wordsSizeLoss: number
  readonly powerMean: number
  readonly sourceWeight: number
  readonly questionPenalty: number
  readonly whenBonus: number
  readonly spanBonus: number
  readonly lookAlikePenalty: number
  readonly lookAlikeCosine: number
  readonly nameShare: number
  readonly gateFloor: number
  readonly gateWidth: number
  readonly windows: boolean
  readonly lexicalWindow: readonly number[]
  readonly vectorWindow: readonly number[]
  readonly answersQuestion: number
  readonly dateWords: boolean
}

/** A block found for a question, with every term of its rank. */
export interface Match {
  readonly facts: BlockFacts
  /** Match strength, 0..1; comparable within a store: the best of more blocks is stronger by chance. */
  readonly strength: number
  /** strength + source + asks + when + span + coverage, and phrase where there is one: what it is ordered by. */
  readonly rank: number
  /** Cosine after the session's window, -1..1. */
  readonly cosine: number
  /** Lexical share, 0..1. */
  readonly lexical: number
  readonly source: number
  readonly asks: number
  readonly when: number
  readonly span: number
  /** Loss to a block that looks like it and has more of the question's words; at most 0. */
  readonly coverage: number
  /** For the exact words a question quotes; absent where it does not hold them. */
  readonly phrase?: number
}
