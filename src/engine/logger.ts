/** Record of one call, for whoever watches the machine; never a block's text, never a secret. */
export interface LogEvent {
  readonly level: 'error' | 'info' | 'debug'
  /** The operation's name. */
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
