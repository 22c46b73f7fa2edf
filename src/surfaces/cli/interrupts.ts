import { spawn } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** How long what was asked to end may take to end. */
const GRACE_MS = 1_200
/** Signals are heard again when no statement ran for so long; at most twice that. */
const QUIET_MS = 20

/**
 * A signal of its own that is aborted by those of the system, in the place of what they do by themselves, which is to end
 * the process at once. A handler cannot run while a statement does. So signals are heard only while none runs; else they
 * end the process as if nobody heard them, and what was acknowledged is kept all the same.
 */
export function abortedBySignals(): AbortSignal {
  const interrupt = new AbortController()
  const handlers = SIGNALS.map((signal) => [signal, () => hear(signal)] as const)
  let isHearing = false
  let isQuiet = true
  let isTurning = false
  const listen = () => {
    isHearing = true
    for (const [signal, handler] of handlers) process.on(signal, handler)
  }
  const ignore = () => {
    isHearing = false
    for (const [signal, handler] of handlers) process.off(signal, handler)
  }
  const hear = (signal: NodeJS.Signals) => {
    ignore()
    interrupt.abort()
    endLater(signal)
  }
  const listenWhenQuiet = () => {
    const timer = setInterval(() => {
      if (isQuiet) {
        clearInterval(timer)
        listen()
      }
      isQuiet = true
    }, QUIET_MS)
    timer.unref()
  }
  // A signal that has come is told at the next turn, and would be lost if it were no longer heard by then; so work waits two turns.
  const workBegins = () => {
    isQuiet = false
    if (!isHearing || isTurning) return
    isTurning = true
    const deaf = () => {
      isTurning = false
      if (!isHearing) return
      ignore()
      listenWhenQuiet()
    }
    setImmediate(() => setImmediate(deaf))
  }
  // An open memory tells it before each call, the driver before each statement.
  for (const channel of ['elfmem:work', 'elfmem:statement']) subscribe(channel, workBegins)
  listen()
  return interrupt.signal
}

/**
 * Ends this process by a signal if it is still there after a while. Its own timers do not run while a statement does, and
 * a thread ends before what it waits for; so another process sends the signal, and goes when this one is gone.
 */
function endLater(signal: NodeJS.Signals): void {
  setTimeout(() => process.kill(process.pid, signal), GRACE_MS).unref()
  const script = `const timer = setTimeout(() => process.kill(${process.pid}, '${signal}'), ${GRACE_MS})
process.stdin.on('end', () => clearTimeout(timer)).resume()`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'ignore', 'ignore'], env: {} })
  child.on('error', () => undefined)
  child.unref()
  if (child.stdin !== null && 'unref' in child.stdin) (child.stdin as unknown as { unref(): void }).unref()
}
