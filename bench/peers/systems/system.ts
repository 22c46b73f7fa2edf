/** A memory as every one of them is driven: texts are known by their place in the corpus. */
export interface System {
  /** What it calls its version. */
  readonly version: string
  /** The process that does the work, where it is another one. */
  readonly pid?: number
  /** Takes a text in. */
  readonly add: (text: string, at: number) => Promise<void>
  /** Takes many in, the quickest way its own interface offers; one by one when absent. */
  readonly addMany?: (texts: readonly string[], from: number) => Promise<void>
  /** Makes what was added findable, where that is a step of its own. */
  readonly settle?: () => Promise<void>
  /** Places of the found texts, best first. With `effects` it notes what it returned, where it does so by default. */
  readonly search: (query: string, options: SearchOptions) => Promise<readonly number[]>
  readonly close: () => Promise<void>
}

interface SearchOptions {
  readonly topK: number
  readonly effects: boolean
}

/** What a system is opened with. */
interface Opening {
  /** An empty folder for whatever it writes; also its home directory. */
  readonly folder: string
  /** Where its package is installed; empty for those that need none. */
  readonly packages: string
  readonly dimensions: number
  /** The vectors of texts of the corpus or of questions, computed beforehand. */
  readonly embed: (texts: readonly string[]) => Promise<Float32Array[]>
}

export type OpenSystem = (opening: Opening) => Promise<System>
