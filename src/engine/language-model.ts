/** A JSON Schema, as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** One question to a model, whose answer is to be one JSON value. */
export interface ModelRequest {
  /** Task of the model; the only text that instructs it. */
  readonly system: string
  /** Material of the task: texts of the memory, fenced. Data, never instruction. */
  readonly prompt: string
  /** JSON Schema of the answer. Models that cannot be held to it get it in words. */
  readonly schema: JsonSchema
  /** Name of the schema: letters and underscores. */
  readonly schemaName: string
  /** Most tokens of the answer. */
  readonly maxOutputTokens: number
}

/** Tokens of one call; the caller estimates what an endpoint does not report. */
export interface ModelUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
}

/** The answer of a model, which nobody has checked yet, and what it used. */
export interface ModelAnswer {
  /** As the model gave it: JSON, JSON between other words, or no JSON at all, such as the words of a refusal. */
  readonly text: string
  /** True if the answer was cut off at `maxOutputTokens`; else absent. */
  readonly truncated?: true
  readonly usage: ModelUsage
}

/**
 * Cause of a `MODEL_FAILED`, in its `details.kind`: the API key (missing, wrong, without the right), the
 * model's name, the address (nobody there, a wrong path, a redirect), the time limit, a rate limit or quota,
 * an error of the server, a request it refuses (too long, say), an answer that is none.
 */
export type ModelFailureKind = 'key' | 'model' | 'host' | 'timeout' | 'rate' | 'server' | 'request' | 'answer'

/**
 * A language model, wherever it runs.
 *
 * What must hold:
 * - `ask` answers or throws within its time limit, which holds for each attempt, a slow drip of bytes included. It throws
 *   `MODEL_FAILED`, with a `details.kind` and `details.passing` true when the same question may work later;
 *   `CANCELLED` when the signal ended it; `CLOSED` after `close`; `CONFIG_INVALID` when the package of its provider is
 *   not installed. It has tried again what passes before it gives up, and never reads an endless answer into memory.
 * - Keys are in no message, no detail and no log.
 * - Nothing is remembered from one question to the next but what the endpoint can do.
 */
export interface LanguageModel {
  /** Its name, such as `claude-haiku-4-5`. */
  readonly model: string
  /** True if texts leave this machine; secrets are taken out of them before. */
  readonly remote: boolean
  ask(request: ModelRequest, options?: { readonly signal?: AbortSignal }): Promise<ModelAnswer>
  close?(): Promise<void>
}
