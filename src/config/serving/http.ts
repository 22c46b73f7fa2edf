/** The port of `elfmem serve --http` unless one is given: ELFM on the keys of a telephone. */
export const HTTP_PORT = 3536

/** The path of MCP. */
export const HTTP_PATH = '/mcp'

/** The variable that holds a token for a server, besides those that the command line made. */
export const HTTP_TOKEN_VARIABLE = 'ELFMEM_HTTP_TOKEN'

/** Characters of a token that somebody gives by hand, at least: 32 of base64 hold 192 bits. */
export const HTTP_TOKEN_SIGNS = 32

/** Bounds on what connections may cost. A client that works never meets them; they are no settings. */
export const HTTP_BOUNDS = {
  /** Milliseconds from the opening of a connection until the headers of its request are there. */
  headersMs: 10_000,
  /** Milliseconds until a whole request is there: 10 MB on a line of 2.8 Mbit/s. */
  requestMs: 30_000,
  /** Milliseconds between two looks at both. */
  lookMs: 1_000,
  /** Milliseconds that a connection stays open between two requests; clients take up a connection within a minute. */
  idleMs: 65_000,
  /** Milliseconds that an answer may wait for a client that does not read. */
  unreadMs: 30_000,
  /** Milliseconds between two signs of life on an answer that takes long; proxies give up after 30 to 60 seconds. */
  aliveMs: 15_000,
  /** Connections at once; each further one is closed. A session of a client has one to three. */
  connections: 256,
  /** Those of them on which no token was shown yet; of one more, the oldest is closed. So the others are left to clients. */
  strangers: 128,
  /** Bytes of headers: those of a client have one to two thousand. */
  headerBytes: 16_384,
  /** Requests on one connection before the client is asked for another one. */
  requestsPerConnection: 10_000,
  /** Requests whose body is being read at once; others are asked to come again. Each may hold `limits.request_bytes`. */
  bodies: 16,
  /** Milliseconds that running calls have to end after the server was asked to; a second signal comes after 1,200. */
  closingMs: 300,
} as const
