const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Milliseconds that the work may take to end after it was asked to, unless it said that it needs others. */
export const GRACE_MS = 1_200

/**
 * Returns an abort signal for the first signal of the system. The second one, or the end of the grace, ends the process. A
 * signal waits until the statement that runs is done.
 */
export function abortedBySignals(graceMs: () => number): AbortSignal {
  const interrupt = new AbortController()
  for (const signal of SIGNALS)
    process.once(signal, () => {
      interrupt.abort()
      setTimeout(() => process.kill(process.pid, signal), graceMs()).unref()
    })
  return interrupt.signal
}
