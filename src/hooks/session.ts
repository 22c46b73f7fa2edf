import type { Captured } from '../frames/capture.ts'
import type { Trace } from '../outcome/trace.ts'
import type { Shown } from './shown.ts'

/** A block that stands in a conversation. */
export interface ShownBlock {
  readonly id: string
  readonly content: string
}

/** One message of a session and what came of it so far. */
export interface Running {
  /** The blocks that the conversation was shown since it began or was compacted. */
  readonly blocks: readonly ShownBlock[]
  /** The steps since the message, or since it was settled last. */
  readonly trace: Trace
  /** The number of times that the message was settled. */
  readonly times: number
  /** The words of settled steps, which the next message may correct. */
  readonly done: string
  /** A line about a check that failed and passes now, for the next prompt. */
  readonly lesson?: string | undefined
}

/** A session of a coding agent, as this process knows it. Its events are worked on one after the other. */
export interface Session {
  /** The client and its name for the session. */
  readonly name: string
  /** Resolves when the events so far are worked on. */
  work: Promise<void>
  /** The part of the memory that it has seen; read when it is first needed. */
  shown?: Shown
  running?: Running | undefined
  /** Number of messages and steps without anything remembered, and the newest operation at their beginning. */
  count: { readonly steps: number; readonly since?: number }
  /** Captured messages that no answer has named yet. */
  untold: readonly Captured[]
}
