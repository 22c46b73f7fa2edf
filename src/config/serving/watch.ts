/** Bounds on watching a memory and its resources for changes. */
export const WATCH_BOUNDS = {
  /** Milliseconds between two looks for a commit, of some 20 microseconds each: a change is seen within half a second. */
  lookMs: 400,
  /** Resources that one caller watches at once; after a change each is read anew. */
  uris: 32,
  /** Streams of changes that one caller has open at once. */
  streams: 16,
} as const
