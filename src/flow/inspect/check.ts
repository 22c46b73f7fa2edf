/** Outcome of a check: `warn` works but wants attention, `fail` does not work, `skipped` was not tried. */
export type CheckOutcome = 'ok' | 'warn' | 'fail' | 'skipped'

/** One thing that was looked at. */
export interface Check {
  /** One lower-case word, unique among the checks of a call. */
  readonly name: string
  readonly outcome: CheckOutcome
  readonly message: string
  /** The next step; present for every `warn` and `fail`. */
  readonly recovery?: string
  /** How long it took, where that says something. */
  readonly seconds?: number
}

/** Nothing is wrong. */
export function ok(name: string, message: string): Check {
  return { name, outcome: 'ok', message }
}

/** It was not looked at, or there is nothing to look at. */
export function skipped(name: string, message: string): Check {
  return { name, outcome: 'skipped', message }
}

/** It works and wants attention, or it does not work. */
export function trouble(outcome: 'warn' | 'fail', name: string, message: string, recovery: string): Check {
  return { name, outcome, message, recovery }
}
