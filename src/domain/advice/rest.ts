/** A claim of one process to dream at rest, which lapses by itself. */
export interface Lease {
  /** The process, by a random name of its own. */
  readonly holder: string
  /** Milliseconds since 1970 at which it ends. */
  readonly until: number
}

/** The facts by which a memory at rest decides if it dreams. */
export interface RestState {
  /** True if so many blocks wait that a dream is due. */
  readonly isDue: boolean
  /** Milliseconds since 1970. */
  readonly now: number
  /** The same of the last call anybody made; undefined when there was none. */
  readonly lastCall: number | undefined
  readonly lease: Lease | undefined
  /** Who decides. */
  readonly holder: string
}

/** Milliseconds that the decision depends on. */
export interface RestLimits {
  /** So long nobody must have called. */
  readonly quiet: number
  /** The longest a lease may last. */
  readonly lease: number
}

/** Returns in how many milliseconds to look again; 0: dream now. */
export function restBeforeDream(state: RestState, limits: RestLimits): number {
  const { isDue, now, lastCall = Number.NEGATIVE_INFINITY } = state
  // A last call of the future is that of a clock that was set back.
  const quietFor = lastCall > now ? limits.quiet : now - lastCall
  if (!isDue) return limits.quiet
  if (isHeldByOther(state, limits.lease)) return Math.max(1, (state.lease?.until ?? now) - now)
  return Math.max(0, Math.ceil(limits.quiet - quietFor))
}

/** True while another process holds the lease; one that ends later than any could is of a clock that was set back. */
export function isHeldByOther(
  { lease, holder, now }: Pick<RestState, 'lease' | 'holder' | 'now'>,
  longest: number,
): boolean {
  return lease !== undefined && lease.holder !== holder && lease.until > now && lease.until - now <= longest
}

/**
 * Returns how many blocks the next batch has: as many as take `aim` milliseconds by the last one, at least 1, and at
 * most twice as many as that one or `most`.
 *
 * @param took milliseconds of a batch of `size` blocks
 */
export function nextBatchSize(
  { size, took }: { readonly size: number; readonly took: number },
  { aim, most }: { readonly aim: number; readonly most: number },
): number {
  const fitting = took <= 0 ? size * 2 : Math.floor((size * aim) / took)
  return Math.max(1, Math.min(fitting, size * 2, most))
}

/** Returns milliseconds to wait after so many failures in a row (at least 1): `first`, then twice as long each time, at most `longest`. */
export function waitAfterFailures(
  failures: number,
  { first, longest }: { readonly first: number; readonly longest: number },
): number {
  return Math.min(longest, first * 2 ** Math.min(failures - 1, 30))
}
