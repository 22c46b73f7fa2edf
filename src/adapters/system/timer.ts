import type { Timer } from '../../ports/timer.ts'

/** The timers of this process; none keeps it alive. */
export const systemTimer: Timer = {
  after(milliseconds, work) {
    const timeout = setTimeout(work, milliseconds).unref()
    return () => clearTimeout(timeout)
  },
}
