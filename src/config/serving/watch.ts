/** Bounds on resources that are watched for changes. */
export const WATCH_BOUNDS = {
  /** Milliseconds between two looks at the memory's change number, a read of some 20 microseconds. */
  lookMs: 1_000,
  /** Resources that one caller watches at once; after a change each is read anew. */
  uris: 32,
  /** Streams of changes that one caller has open at once. */
  streams: 16,
} as const
