import type { QuestionEvidence } from '../../domain/score/evidence.ts'

/** Key of `meta`: another value whenever reports changed anything, in any scope. It says nothing of another file. */
export const REPORTS_MARK = 'learning_mark'

/** One applied outcome; never changed, and in time forgotten. */
export interface OutcomeRecord {
  readonly blockId: string
  readonly signal: number
  readonly weight: number
  readonly source: string
  readonly confidenceBefore: number
  readonly confidenceAfter: number
  /** ISO-8601 UTC. */
  readonly at: string
}

/** An outcome reported for a block that is still in the inbox. */
export interface QueuedOutcome {
  readonly blockId: string
  readonly signal: number
  readonly weight: number
  readonly source: string
}

/** A question that something was reported on. */
export interface StoredQuestion {
  readonly id: string
  /** As it was asked, without secrets; absent when it is not to be kept, or was erased. */
  readonly text?: string
  /** Its unit vector as int8; absent until a dream has made it. */
  readonly vector?: Uint8Array
  /** Active hours of the last report on it. */
  readonly hours: number
}

/** The reports about a block after a question. */
export interface BlockEvidence extends QuestionEvidence {
  /** Its id; empty for reports of which no question is known. */
  readonly question: string
  readonly blockId: string
}

/** A question and a block. */
export type EvidenceKey = readonly [question: string, blockId: string]

/** The question of a recall. */
export interface AskedQuestion {
  /** Without secrets. */
  readonly text?: string
  /** As in `StoredQuestion`. */
  readonly vector?: Uint8Array
}

/** A recall that a report may be about: an entry of the log, and what was asked, if anything. */
export interface ReportableRecall extends AskedQuestion {
  readonly id: number
  readonly actor: string
  readonly session?: string
  /** The blocks it showed, in their order. */
  readonly blockIds: readonly string[]
}

/** Queries of reports, and of the questions they were about. */
export interface EvidenceReader {
  /** The newest recalls with a question, newest first; with `id` that one alone. Two statements. */
  recalls(filter: { readonly limit: number; readonly id?: number }): Promise<ReportableRecall[]>
  /** All there is, by question, then by block. Two statements. */
  experience(): Promise<{
    readonly questions: readonly StoredQuestion[]
    readonly evidence: readonly BlockEvidence[]
  }>
}

/** Changes of reports, and of the questions they were about. */
export interface EvidenceWriter {
  /** Notes what was asked in a recall that was just logged; from time to time all but the newest `keep` are forgotten. */
  noteAsked(operationId: number, asked: AskedQuestion, keep: number): Promise<void>
  /**
   * Inserts or replaces questions and evidence, and removes what is to go first. Evidence about unknown blocks is left out;
   * questions keep their scope, evidence has that of its block.
   */
  saveEvidence(change: {
    readonly questions: readonly StoredQuestion[]
    readonly evidence: readonly BlockEvidence[]
    readonly goneQuestions: readonly string[]
    readonly goneEvidence: readonly EvidenceKey[]
    /** Of `meta`: what is to be kept beside them, by key. */
    readonly state: Readonly<Record<string, string>>
  }): Promise<void>
  /** Drops the vectors of all questions of the store, which are of another model now; in a view, too. */
  dropQuestionVectors(): Promise<void>
}
