/** The port of `elfmem serve --http` unless one is given: ELFM on the keys of a telephone. */
export const HTTP_PORT = 3536

/** The path of MCP. */
export const HTTP_PATH = '/mcp'

/** Characters of a token that somebody gives by hand, at least: 32 of base64 hold 192 bits. */
export const HTTP_TOKEN_SIGNS = 32

/** Ports of dashboards, of which a dashboard takes the first free one. */
export const DASHBOARD_PORTS = { first: 4_600, count: 100 } as const

/** Bounds on what connections to any server may cost. A client that works never meets them; they are no settings. */
const SERVER_BOUNDS = {
  /** Milliseconds from the opening of a connection until the headers of its request are there. */
  headersMs: 10_000,
  /** Milliseconds until a whole request is there: 10 MB on a line of 2.8 Mbit/s. */
  requestMs: 30_000,
  /** Milliseconds between two looks at both. */
  lookMs: 1_000,
  /** Milliseconds that a connection stays open between two requests; clients take up a connection within a minute. */
  idleMs: 65_000,
  /** Milliseconds between two signs of life on an answer that takes long; proxies give up after 30 to 60 seconds. */
  aliveMs: 15_000,
  /** Bytes of headers: those of a client have one to two thousand. */
  headerBytes: 16_384,
  /** Requests on one connection before the client is asked for another one. */
  requestsPerConnection: 10_000,
  /** Milliseconds that an answer may wait for a client that does not read. */
  unreadMs: 30_000,
} as const

/** Bounds on `elfmem serve --http`. */
export const HTTP_BOUNDS = {
  ...SERVER_BOUNDS,
  /** Milliseconds that running calls have to end after the server was asked to. */
  closingMs: 5_000,
  /** Connections at once; each further one is closed. A session of a client has one to three. */
  connections: 256,
  /** Connections without a token at once; of one more, the oldest is closed. */
  strangers: 128,
  /** Requests whose body is being read at once; others are asked to come again. Each may hold `limits.request_bytes`. */
  bodies: 16,
  /** The most streams of changes that one token has open at once. */
  streams: 16,
} as const

/** Bounds on a dashboard. */
export const DASHBOARD_BOUNDS = {
  ...SERVER_BOUNDS,
  /** Milliseconds that running calls have to end after the server was asked to; a second signal comes after 1,200. */
  closingMs: 300,
  /** Connections at once; each further one is closed. A browser has six to a host. */
  connections: 32,
  /** Connections without a token at once; of one more, the oldest is closed. */
  strangers: 16,
  /** Bytes of a body: a block of 60,000 characters, four bytes each, is a quarter of it. */
  bodyBytes: 1_048_576,
  /** Calls at once; others are asked to come again. A screen makes four. */
  calls: 16,
  /** Streams at once: one a tab. */
  streams: 8,
  /** Milliseconds after which a call is cancelled, but for those that take as long as there is to do. */
  callMs: 30_000,
  /** Milliseconds between two reports of the progress of one call. */
  progressMs: 100,
  /** Milliseconds that the code of a link can be traded. */
  codeMs: 600_000,
} as const
