import type { ErrorCode } from '../../src/errors.ts'

/** Every way in which a store says that the world failed it. */
export const FAULT_CODES = [
  'STORE_BUSY',
  'STORE_FULL',
  'STORE_FAILED',
  'STORE_CORRUPT',
] as const satisfies ErrorCode[]
export type FaultCode = (typeof FAULT_CODES)[number]

export interface Fault {
  /** The step that fails, from 1. */
  readonly at: number
  readonly code: FaultCode
  /** `before`: the step does nothing; `after`: it does its work and fails all the same, as a disk can at a commit. */
  readonly when: 'before' | 'after'
}

/** Where faults come from: the calls of the store's port, or the statements of SQLite. */
export interface FaultLine {
  /** Counts steps from now on, and fails the one that is named. */
  arm(fault?: Fault, onCommit?: () => void): void
  /** Ends that. `steps` are the names of those begun, `met` whether one failed. */
  disarm(): { readonly steps: readonly string[]; readonly met: boolean }
}

/** What a line knows between `arm` and `disarm`. */
export class Steps {
  readonly names: string[] = []
  met = false
  readonly #fault: Fault | undefined
  readonly #onCommit: (() => void) | undefined

  constructor(fault?: Fault, onCommit?: () => void) {
    this.#fault = fault
    this.#onCommit = onCommit
  }

  /** Counts a step; returns how it is to fail, if it is. */
  begin(name: string): Fault | undefined {
    this.names.push(name)
    if (this.names.length !== this.#fault?.at) return undefined
    this.met = true
    return this.#fault
  }

  committed(): void {
    this.#onCommit?.()
  }
}
