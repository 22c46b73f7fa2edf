/** What a driver is asked, one JSON object a line; it answers each with one line. Times in milliseconds. */
export type Request =
  | { readonly op: 'open'; readonly corpus: string; readonly folder: string; readonly packages: string }
  /**
   * Takes in the texts `from` to `until`, as quickly as it can, and makes them findable; takes no more in when the
   * seconds are over.
   */
  | { readonly op: 'fill'; readonly from: number; readonly until: number; readonly seconds: number }
  /** Takes in each of the texts by itself. */
  | { readonly op: 'add'; readonly from: number; readonly until: number }
  /** Asks questions `from` to `until`, and stops early when the seconds are over (after five at least). */
  | {
      readonly op: 'search'
      readonly from: number
      readonly until: number
      readonly topK: number
      readonly seconds: number
      /** Whether it may note what it returned, as it does by default. */
      readonly effects: boolean
    }
  | { readonly op: 'close' }

export interface Opened {
  readonly version: string
}

export interface Filled {
  /** The first text that was not taken in. */
  readonly until: number
  /** Taking in. */
  readonly addMs: number
  /** Making findable; 0 where that is no step of its own. */
  readonly settleMs: number
}

export interface Added {
  readonly ms: readonly number[]
}

export interface Searched {
  readonly ms: readonly number[]
  /** Processor time of the driver's process for all of them; absent where another process does the work. */
  readonly cpuMs?: number
  /** Places of the texts found for each question, best first. */
  readonly found: readonly (readonly number[])[]
}

export interface Closed {
  readonly peakMegabytes?: number
  /** Texts whose vectors were not given beforehand. */
  readonly computed: number
}

/** The answer to each kind of request, or what went wrong. */
export type Answer = Opened | Filled | Added | Searched | Closed | { readonly error: string }
