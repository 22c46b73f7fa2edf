import type { SourceClass } from '../block/block.ts'
import type { EdgeOrigin } from '../graph/edge.ts'

/** Wall time from outside, so that tests decide what time it is. */
export interface Clock {
  /** Milliseconds since 1970, UTC. May jump in either direction. */
  now(): number
}

/** Lets time pass outside, so that tests decide when it has. */
export interface Timer {
  /**
   * Calls `work` once after some milliseconds, 0 meaning as soon as everybody else had a turn; never keeps the process
   * alive. Returns a function that calls it off.
   */
  after(milliseconds: number, work: () => void): () => void
}

/** Names for new things, from outside, so that tests are repeatable. */
export interface Ids {
  /** 16 hexadecimal characters nobody has used. */
  random(): string
  /** SHA-256 of the UTF-8 text, in lower-case hexadecimal. */
  sha256(text: string): string
}

/** Record of one call, without texts of blocks and secrets. */
export interface LogEvent {
  readonly level: 'error' | 'info' | 'debug'
  readonly operation: string
  readonly actor: string
  readonly session?: string
  readonly milliseconds: number
  /** `ok`, or the error's code. */
  readonly outcome: string
  /** At debug level: the answer's one-line summary or the error's message. */
  readonly detail?: string
}

/** Takes events as they happen. Must not throw and must not keep a caller waiting. */
export interface Logger {
  readonly level: 'off' | LogEvent['level']
  log(event: LogEvent): void
}

/**
 * Text in files of this machine. A file is written whole or not at all, never over another, and readable by its owner
 * alone; a missing folder is made. Failures are `STORE_FAILED`, `STORE_FULL`, `NOT_FOUND` or, of a taken name, `INVALID_INPUT`.
 */
export interface TextFiles {
  /** Writes lines as they come; returns the bytes. */
  write(path: string, lines: AsyncIterable<string>): Promise<number>
  /** The lines without their ends, read as they are asked for; one longer than `maxBytes` is `INVALID_INPUT`. */
  read(path: string, maxBytes: number): AsyncIterable<string>
  /** The files of a folder; none when there is no such folder. */
  list(folder: string): Promise<readonly { readonly name: string; readonly bytes: number }[]>
}

/** A piece of a document that stands on its own. */
export interface Chunk {
  /** Text to be remembered, its heading path included; never blank. */
  readonly text: string
  /** The headings above it, outermost first, joined by ` > `. */
  readonly heading?: string
}

/** Cuts a document into pieces of at most `maxTokens` estimated tokens, in its order and with all its words. */
export interface Chunker {
  chunks(text: string, maxTokens: number): Promise<readonly Chunk[]>
}

/**
 * Turns texts into unit vectors of exactly `dimensions` components. A text always has one vector, alone or in a batch, and
 * is never silently cut; a failure throws `EMBEDDER_FAILED`.
 */
export interface Embedder {
  /** Names the model; the store refuses vectors of another one. */
  readonly model: string
  /** Components of a vector, or undefined until the first answer of a remote model has it. */
  readonly dimensions: number | undefined
  /** True if texts leave this machine. */
  readonly remote?: boolean
  /**
   * Unicode names of the scripts that the model was trained on, such as `Latin`; all when absent. A question mostly in
   * another script is ranked by its words alone.
   */
  readonly scripts?: readonly string[]
  /** One vector a text, in the order of the texts. An empty list costs nothing. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>
  /** Starts loading in the background, so that the first `embed` does not wait. Never throws. */
  warm?(): void
  close(): Promise<void>
}

/** The signal that ends an embedding, and its listeners. */
export interface EmbedOptions {
  readonly signal?: AbortSignal
  /** Called as texts are done, with how many so far. */
  readonly progress?: (done: number) => void
  /** Called by remote embedders after every request, with what it used. */
  readonly usage?: (used: EmbeddingUsage) => void
  /** Called for each kind of secret that was taken out of texts before they left the machine. */
  readonly redacted?: (kind: string, count: number) => void
}

export interface EmbeddingUsage {
  readonly tokens: number
  readonly calls: number
}

export type JsonSchema = Readonly<Record<string, unknown>>

/** One question to a model, whose answer is to be one JSON value. */
export interface ModelRequest {
  /** Task of the model; the only text that instructs it. */
  readonly system: string
  /** Material of the task: texts of the memory, fenced. Data, never instruction. */
  readonly prompt: string
  /** JSON Schema of the answer. Models that cannot be held to it get it in words. */
  readonly schema: JsonSchema
  readonly schemaName: string
  readonly maxOutputTokens: number
}

/** Tokens of one call; the caller estimates what an endpoint does not report. */
export interface ModelUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
}

/** The unchecked answer of a model, and what it used. */
export interface ModelAnswer {
  /** JSON, JSON between other words, or no JSON at all, such as a refusal. */
  readonly text: string
  /** True if the answer was cut off at `maxOutputTokens`; else absent. */
  readonly truncated?: true
  readonly usage: ModelUsage
}

/**
 * Cause of a `MODEL_FAILED`, in its `details.kind`: the API key, the model's name, the address, the time limit, a rate
 * limit or quota, an error of the server, a refused request, an unreadable answer.
 */
export type ModelFailureKind = 'key' | 'model' | 'host' | 'timeout' | 'rate' | 'server' | 'request' | 'answer'

/**
 * A language model, wherever it runs. `ask` answers or throws within its time limit, after retries: `MODEL_FAILED` with a
 * `details.kind` and `details.passing` (true when the same question may work later), `CANCELLED`, `CLOSED`, or
 * `CONFIG_INVALID` when its package is not installed. Keys are in no message, detail or log.
 */
export interface LanguageModel {
  /** Its name, such as `claude-haiku-4-5`. */
  readonly model: string
  /** True if texts leave this machine; secrets are taken out of them before. */
  readonly remote: boolean
  ask(request: ModelRequest, options?: { readonly signal?: AbortSignal }): Promise<ModelAnswer>
  close?(): Promise<void>
}

/** The formats of other programs, in the order in which they are tried. */
export const IMPORT_FORMATS = [
  'elfmem-python',
  'mem0',
  'server-memory',
  'chatgpt',
  'claude',
  'rules',
  'markdown',
] as const
export type ImportFormat = (typeof IMPORT_FORMATS)[number]

/** A text that the other program kept, still unchecked. Times are as written there. */
export interface ImportedText {
  readonly kind: 'text'
  readonly content: string
  readonly place: string
  /** By what links name it; the first text with a key counts. */
  readonly key?: string
  /** Its id there, where the other program makes ids as this one does. */
  readonly id?: string
  readonly source?: string
  /** Who speaks in it if the owner vouches for the file; the label of its source says it unless given. */
  readonly speaker?: SourceClass
  readonly at?: string
  readonly tags?: readonly string[]
  readonly category?: string
  readonly session?: string
  readonly cue?: string
  /** Reports for and against it, as a sum there. */
  readonly successes?: number
  readonly failures?: number
}

/** Two texts that belong together, by their keys. */
export interface ImportedLink {
  readonly kind: 'link'
  readonly from: string
  readonly to: string
  readonly relation: string
  readonly origin?: EdgeOrigin
  readonly weight?: number
  readonly note?: string
  /** The key of the end that declared it; absent if it says nothing of a direction. */
  readonly declaredBy?: string
  readonly at?: string
}

/** Something this memory has no use for yet, kept as data under a name. */
export interface ImportedItem {
  readonly kind: 'item'
  readonly group: string
  readonly key: string
  readonly value: Readonly<Record<string, string | number>>
}

/** Something that cannot be kept. */
export interface ImportedLoss {
  readonly kind: 'left'
  readonly what: string
  readonly why: string
  readonly many?: number
  readonly example?: string
}

export type Imported = ImportedText | ImportedLink | ImportedItem | ImportedLoss

/** The file or folder to read, and how. */
export interface ImportRequest {
  readonly path: string
  readonly format: ImportFormat | 'auto'
  /** True: also what the other program had put away. */
  readonly archived: boolean
  readonly mostBytes: number
  readonly signal?: AbortSignal | undefined
}

/** A file or folder whose format is known. */
export interface OpenedImport {
  readonly format: ImportFormat
  /** The name of the format for people: `the database of the Python elfmem`. */
  readonly title: string
  /** Kilobytes read, and known of; `total` may grow. */
  readonly progress: () => { readonly done: number; readonly total: number }
  /** Reads it once. Rejects with `ElfmemError` alone, whatever the bytes are. */
  readonly read: () => AsyncIterable<Imported>
  readonly close: () => void
}

/** Reads the files of other programs: writes and runs nothing, follows no link, opens nothing outside the path. */
export interface Importers {
  /** Rejects with `NOT_FOUND`, `INVALID_INPUT` or `LIMIT_EXCEEDED`. */
  open(request: ImportRequest): Promise<OpenedImport>
}
