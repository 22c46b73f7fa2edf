const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** How long the work may take to end after it was asked to. */
const GRACE_MS = 1_200

/**
 * Returns a signal that is aborted by the first signal of the system. The second one, or the end of the grace, ends the process. A
 * statement under way keeps a signal waiting until it is done.
 */
export function abortedBySignals(): AbortSignal {
  const interrupt = new AbortController()
  for (const signal of SIGNALS)
    process.once(signal, () => {
      interrupt.abort()
      setTimeout(() => process.kill(process.pid, signal), GRACE_MS).unref()
    })
  return interrupt.signal
}
