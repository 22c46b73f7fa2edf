import type { SourceClass } from '../block/block.ts'
import type { EdgeOrigin } from '../graph/edge.ts'

/** A clock gives the wall time from outside, so that tests decide what time it is. */
export interface Clock {
  /** Returns the milliseconds since 1970, UTC. The value may jump in either direction. */
  now(): number
}

/** A timer lets time pass outside, so that tests decide when it has. */
export interface Timer {
  /**
   * Calls `work` once after some milliseconds; 0 means as soon as all other calls had a turn. It never keeps the process alive. Returns a
   * function that cancels it.
   */
  after(milliseconds: number, work: () => void): () => void
}

/** Ids come from outside, so that tests are repeatable. */
export interface Ids {
  /** Returns 16 hexadecimal characters that nobody has used. */
  random(): string
  /** Returns the SHA-256 of the UTF-8 text, in lower-case hexadecimal. */
  sha256(text: string): string
}

/** A log event is the record of one call, without texts of blocks and secrets. */
export interface LogEvent {
  readonly level: 'error' | 'info' | 'debug'
  readonly operation: string
  readonly actor: string
  readonly session?: string
  readonly milliseconds: number
  /** `ok`, or the error's code. */
  readonly outcome: string
  /** Summary of the answer or message of the error, at debug level only. */
  readonly detail?: string
}

/** A logger takes events as they happen. It must not throw and must not keep a caller waiting. */
export interface Logger {
  readonly level: 'off' | LogEvent['level']
  log(event: LogEvent): void
}

/**
 * Text files are files of this machine. A file is written whole or not at all, never over another, and readable by its owner alone; a
 * missing folder is made. Failures are `STORE_FAILED`, `STORE_FULL`, `NOT_FOUND` or, for a taken name, `INVALID_INPUT`.
 */
export interface TextFiles {
  /** Writes lines as they come; returns the number of bytes. A file that exists is refused, or replaced as a whole if that is asked for. */
  write(path: string, lines: AsyncIterable<string>, options?: { readonly replace: boolean }): Promise<number>
  /** Removes a file. */
  remove(path: string): Promise<void>
  /** Yields the lines without their ends, read as they are asked for; a line longer than `maxBytes` is `INVALID_INPUT`. */
  read(path: string, maxBytes: number): AsyncIterable<string>
}

/** A chunk is a piece of a document that stands on its own. */
export interface Chunk {
  /** Text to be remembered with its heading path; never blank. */
  readonly text: string
  /** The headings above the chunk, outermost first, joined by ` > `. */
  readonly heading?: string
}

/** A chunker cuts a document into pieces of at most `maxTokens` estimated tokens, in its order and with all its words. */
export interface Chunker {
  chunks(text: string, maxTokens: number): Promise<readonly Chunk[]>
}

/**
 * An embedder turns texts into unit vectors of exactly `dimensions` components. A text always has one vector, alone or in a batch, and is
 * never silently cut; a failure throws `EMBEDDER_FAILED`.
 */
export interface Embedder {
  /** Name of the model; the store refuses vectors of another one. */
  readonly model: string
  /** Number of components of a vector; undefined until the first answer of a remote model shows it. */
  readonly dimensions: number | undefined
  /** True if texts leave this machine. */
  readonly remote?: boolean
  /**
   * Unicode names of the scripts that the model was trained on, such as `Latin`; all if absent. A question mostly in another script is
   * ranked by its words alone.
   */
  readonly scripts?: readonly string[]
  /** Returns one vector for each text, in the order of the texts. An empty list costs nothing. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>
  /** Starts loading in the background, so that the first `embed` does not wait. It never throws. */
  warm?(): void
  close(): Promise<void>
}

/** Embed options are the signal that ends an embedding, and its listeners. */
export interface EmbedOptions {
  readonly signal?: AbortSignal
  /** Called as texts are done, with their number so far. */
  readonly progress?: (done: number) => void
  /** Called by remote embedders after every request, with its usage. */
  readonly usage?: (used: EmbeddingUsage) => void
  /** Called for each kind of secret that was taken out of texts before they left the machine. */
  readonly redacted?: (kind: string, count: number) => void
}

export interface EmbeddingUsage {
  readonly tokens: number
  readonly calls: number
}

export type JsonSchema = Readonly<Record<string, unknown>>

/** A model request is one question to a model, whose answer is to be one JSON value. */
export interface ModelRequest {
  /** Task of the model; the only text that instructs it. */
  readonly system: string
  /** Material of the task: fenced texts of the memory, which are data and never instructions. */
  readonly prompt: string
  /** JSON Schema of the answer. Models that cannot be bound to it get it in words. */
  readonly schema: JsonSchema
  readonly schemaName: string
  readonly maxOutputTokens: number
}

/** Model usage has the tokens of one call; the caller estimates numbers that an endpoint does not report. */
export interface ModelUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
}

/** A model answer is unchecked; it has the text of a model and its usage. */
export interface ModelAnswer {
  /** JSON, JSON between other words, or no JSON at all, such as a refusal. */
  readonly text: string
  /** True if the answer was cut off at `maxOutputTokens`; else absent. */
  readonly truncated?: true
  readonly usage: ModelUsage
}

/**
 * A language model answers questions, wherever it runs. `ask` answers or throws within its time limit, after retries: `MODEL_FAILED` with
 * `details.passing` (true if the same question may work later), `CANCELLED` or `CLOSED`. Keys are in no message, detail or log.
 */
export interface LanguageModel {
  /** Name of the model, such as `claude-haiku-4-5`. */
  readonly model: string
  /** True if texts leave this machine; secrets are taken out of them before. */
  readonly remote: boolean
  ask(request: ModelRequest, options?: { readonly signal?: AbortSignal }): Promise<ModelAnswer>
  close?(): Promise<void>
}

/** The import formats are those of other programs, in the order in which they are tried. */
export const IMPORT_FORMATS = [
  'elfmem-python',
  'mem0',
  'server-memory',
  'chatgpt',
  'claude',
  'rules',
  'elfmem-markdown',
  'markdown',
] as const
export type ImportFormat = (typeof IMPORT_FORMATS)[number]

/** An imported text is one that the other program kept, still unchecked. Times are as written there. */
export interface ImportedText {
  readonly kind: 'text'
  readonly content: string
  readonly place: string
  /** Key by which links name the text; the first text with a key counts. */
  readonly key?: string
  /** Id of the text there, if the other program makes ids as elfmem does. */
  readonly id?: string
  readonly source?: string
  /** Class of the speaker if the owner vouches for the file; by default the label of the source decides it. */
  readonly speaker?: SourceClass
  readonly at?: string
  readonly tags?: readonly string[]
  readonly category?: string
  readonly session?: string
  readonly cue?: string
  /** Sums of the other program's reports for and against the text. */
  readonly successes?: number
  readonly failures?: number
}

/** An imported link joins two texts by their keys. */
export interface ImportedLink {
  readonly kind: 'link'
  readonly from: string
  readonly to: string
  readonly relation: string
  readonly origin?: EdgeOrigin
  readonly weight?: number
  readonly note?: string
  /** Key of the end that declared the link; absent if it has no direction. */
  readonly declaredBy?: string
  readonly at?: string
}

/** An imported loss is something that cannot be kept. */
export interface ImportedLoss {
  readonly kind: 'left'
  readonly what: string
  readonly why: string
  readonly many?: number
  readonly example?: string
}

/** An imported section is a block in a note that an export wrote and a person may have edited since. */
export interface ImportedSection {
  readonly id: string
  /** Words of the section as they are now. */
  readonly content: string
  /** Hash of the words that the export wrote. */
  readonly hash: string
  /** File and line. */
  readonly place: string
}

/** Imported sections are all sections with ids of the notes that an export wrote; they come once, before the texts without ids. */
export interface ImportedSections {
  readonly kind: 'sections'
  readonly sections: readonly ImportedSection[]
  /** Ids of the sections that somebody took out. */
  readonly gone: readonly string[]
  /** Files of the notes. */
  readonly files: readonly string[]
}

export type Imported = ImportedText | ImportedLink | ImportedLoss | ImportedSections

/** An import request names the file or folder to read, and the format. */
export interface ImportRequest {
  readonly path: string
  readonly format: ImportFormat | 'auto'
  /** True if texts that the other program had archived are read, too. */
  readonly archived: boolean
  readonly mostBytes: number
  readonly signal?: AbortSignal | undefined
}

/** An opened import is a file or folder whose format is known. */
export interface OpenedImport {
  readonly format: ImportFormat
  /** Yields the contents once. It rejects with `ElfmemError` alone, whatever the bytes are. */
  readonly read: () => AsyncIterable<Imported>
  readonly close: () => void
}

/** Importers read files of other programs: they write and run nothing, follow no link, and open nothing outside the path. */
export interface Importers {
  /** Opens a file or folder; rejects with `NOT_FOUND`, `INVALID_INPUT` or `LIMIT_EXCEEDED`. */
  open(request: ImportRequest): Promise<OpenedImport>
}

/** A token record has the rights of a token's holder, and the hash by which the token is recognised. The token itself is not kept. */
export interface TokenRecord {
  /** The name in the log; lower-case letters, digits, dots and dashes. No other token of the store has it. */
  readonly name: string
  /** The one memory that the token opens: its name in a service, else the path of its file. */
  readonly memory: string
  /** The capability: owner, agent or reader. */
  readonly as: string
  /** The scope that no call leaves; absent: the whole memory. */
  readonly scope?: string
  /** The set of tools, or names with commas; absent: those of the server. */
  readonly tools?: string
  /** SHA-256 of the token, hexadecimal. The token has 256 random bits, which no hash has to slow down the search for. */
  readonly sha256: string
  /** ISO-8601 UTC. */
  readonly madeAt: string
  /** The time from which the token opens nothing, ISO-8601 UTC; absent: it opens until it is revoked. */
  readonly expiresAt?: string
  /** True: a server made it, because there was none. */
  readonly isAutomatic?: true
}

/** A token store keeps the tokens that open memories to clients over HTTP. */
export interface TokenStore {
  /** Lists all tokens, expired ones too, by name. What cannot be read as a token is left out. */
  list(): readonly TokenRecord[] | Promise<readonly TokenRecord[]>
  /** Throws `INVALID_INPUT` if there is one of the name. */
  add(record: TokenRecord): void | Promise<void>
  /** Returns true if it was there. */
  revoke(name: string): boolean | Promise<boolean>
}

/** A token index is a token store that finds a token by the SHA-256 of it, hexadecimal, without reading others. */
export interface TokenIndex extends TokenStore {
  find(sha256: string): Promise<TokenRecord | undefined>
}
