import type { KernelBuild } from './kernel.ts'

/** Options of a worker at its start. */
export interface WorkerOptions {
  readonly build?: KernelBuild | undefined
  /** True if nobody waits yet: the worker embeds a first text, which takes twice as long as a later one. */
  readonly rehearse?: boolean
}

/** From the pool to a worker. An urgent job goes before the others, between two passes of the kernel. */
export type ToWorker =
  | {
      readonly kind: 'embed'
      readonly job: number
      readonly texts: readonly string[]
      readonly urgent: boolean
    }
  | { readonly kind: 'cancel'; readonly job: number }

/** From a worker to the pool. `vectors` holds the job's vectors one after another. */
export type FromWorker =
  | { readonly kind: 'done'; readonly job: number; readonly vectors: Float32Array }
  | { readonly kind: 'broken'; readonly message: string; readonly recovery: string; readonly cause: string }
