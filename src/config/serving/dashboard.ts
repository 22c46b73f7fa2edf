/** Ports that a dashboard chooses from by the path of its memory, so that a bookmark stays good: none of them is assigned to anybody. */
export const DASHBOARD_PORTS = { first: 4_600, count: 100 } as const

/** Bounds on what whoever reaches the port of a dashboard may cost. A page never meets them; they are no settings. */
export const DASHBOARD_BOUNDS = {
  /** Milliseconds from the opening of a connection until the headers of its request are there. */
  headersMs: 10_000,
  /** Milliseconds until a whole request is there; it comes from this machine. */
  requestMs: 30_000,
  /** Milliseconds between two looks at both. */
  lookMs: 1_000,
  /** Milliseconds that a connection stays open between two requests. */
  idleMs: 65_000,
  /** Connections at once; each further one is closed. A browser has six to a host. */
  connections: 32,
  /** Those of them on which no token was shown yet; of one more, the oldest is closed. */
  strangers: 16,
  /** Bytes of headers: those of a browser have one to two thousand. */
  headerBytes: 16_384,
  /** Requests on one connection before the browser is asked for another one. */
  requestsPerConnection: 10_000,
  /** Bytes of a body: a block of 60,000 characters, four bytes each, is a quarter of it. */
  bodyBytes: 1_048_576,
  /** Calls at once; others are asked to come again. A screen makes four. */
  calls: 16,
  /** Streams at once: one a tab. */
  streams: 8,
  /** Milliseconds after which a call is cancelled, but for those that take as long as there is to do. */
  callMs: 30_000,
  /** Milliseconds between two signs of life on a stream. */
  aliveMs: 15_000,
  /** Bytes that may wait for a browser that does not read its stream. */
  unreadBytes: 1_048_576,
  /** Milliseconds between two reports of the progress of one call. */
  progressMs: 100,
  /** Milliseconds that a code of a link can be traded. */
  codeMs: 600_000,
  /** Codes at once; of one more, the oldest counts no longer. */
  codes: 16,
  /** Milliseconds that running calls have to end after the dashboard was asked to; a second signal comes after 1,200. */
  closingMs: 300,
  /** Milliseconds that a dashboard that may run already has to answer. */
  askMs: 2_000,
} as const
