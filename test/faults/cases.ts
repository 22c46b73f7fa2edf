import type { Memory } from '../../src/engine/memory.ts'
import type { Known } from './prepared.ts'

/** One call on the prepared memory. */
export interface Case {
  readonly run: (memory: Memory, known: Known) => Promise<unknown>
  /** The code with which the call may be refused when it is made again after it was done. */
  readonly againRefused?: string
  /** The call does more when it is made again, so that the ends of both are not compared. */
  readonly counts?: true
  /** The answer of the call tells of failures, and the call goes on after them. */
  readonly tells?: true
  /** After a failure the call goes on in another way, so that only the rules of every state hold. */
  readonly goesOn?: true
  /** The blocks that the call takes in have their history in another memory. */
  readonly unlogged?: true
}

/** These are more blocks than one transaction takes. */
const many = Array.from({ length: 260 }, (_, i) => ({ content: `Boat number ${i} lies at the quay` }))

/** One call for each kind of write. */
export const CASES = {
  remember: {
    run: (memory, { c }) =>
      memory.remember({ content: 'The pilot has a whistle', tags: ['pilot'], supersedes: c }),
  },
  // It puts a block over another and keeps its occurrence.
  rememberAgain: {
    counts: true,
    run: (memory, { c }) =>
      memory.remember({ content: 'The library closes on the first of May', supersedes: c }),
  },
  // The second call says again the texts that were stored before the failure.
  rememberMany: { counts: true, run: (memory) => memory.rememberMany({ blocks: many }) },
  dream: { run: (memory) => memory.dream() },
  import: {
    unlogged: true,
    run: (memory, { exported }) => memory.import({ path: exported, trusted: true }),
  },
  // The pages of a backup are copied, and that its entry of the log could not be written is told in the answer.
  restoreBackup: {
    counts: true,
    goesOn: true,
    tells: true,
    run: (memory, { backup }) => memory.restoreBackup({ path: backup }),
  },
  erase: {
    counts: true,
    goesOn: true,
    tells: true,
    againRefused: 'NOT_FOUND',
    run: (memory, { a }) => memory.erase({ blockIds: [a], yes: true }),
  },
} satisfies Readonly<Record<string, Case>>
