import { attempt, ElfmemError } from '../../errors.ts'
import { type Chosen, type ErasingChoice, UNFINISHED_ERASING } from '../../history/erase.ts'
import { Connection } from '../connection/connection.ts'
import { choose } from './choose.ts'
import { eraseDeleted, eraseRows, type Going } from './erase-rows.ts'
import { type Looked, lookAt, piecesWithoutRow } from './look.ts'

interface OfMemory {
  readonly location: string
}

/** The steps of an erasing, each of which may take seconds in a large memory and stands for itself. */
const STEPS = {
  choose: ({ location, choice }: OfMemory & { readonly choice: ErasingChoice }): Chosen =>
    within(location, true, (memory) => choose(memory, choice)),
  look: ({ location, ids, texts }: OfMemory & Pick<Going, 'ids' | 'texts'>): Looked =>
    within(location, true, (memory) => lookAt(memory, ids, texts)),
  rows: ({ location, ...going }: OfMemory & Going) =>
    within(location, false, (memory) => eraseRows(memory, going)),
  /** Writes the file anew, without free pages. */
  room: ({ location }: OfMemory) =>
    within(location, false, (memory) => {
      eraseDeleted(memory)
      memory.script('VACUUM')
    }),
  log: ({ location }: OfMemory) => within(location, false, emptyLog),
  /** Returns the pieces that may stand in no byte of the file. */
  left: ({ location, pieces }: OfMemory & Pick<Looked, 'pieces'>): readonly string[] =>
    within(location, true, (memory) => piecesWithoutRow(memory, pieces)),
  settle: ({ location }: OfMemory) => within(location, false, settle),
}

type Steps = typeof STEPS

/** A step of an erasing and what it needs. */
export type Step = {
  [Does in keyof Steps]: { readonly does: Does } & Parameters<Steps[Does]>[0]
}[keyof Steps]

/** The type of what one step answers. */
export type AnswerTo<T extends Step> = ReturnType<Steps[T['does']]>

/** Takes a step in this very thread. A database that is busy is `STORE_BUSY` at once. */
export function takeStep<T extends Step>(step: T): AnswerTo<T> {
  const take: (step: never) => unknown = STEPS[step.does]
  return take(step as never) as AnswerTo<T>
}

/** Moves the log into the file and empties it; throws `STORE_BUSY` while somebody reads an older state. */
function emptyLog(connection: Connection): void {
  if (Number(connection.control('PRAGMA wal_checkpoint(TRUNCATE)')?.busy ?? 0) === 0) return
  throw new ElfmemError('STORE_BUSY', 'A process reads an older state of the memory.', {
    recovery: 'Close what has the memory open, then call erase() again without arguments.',
  })
}

/** Forgets that an erasing is under way. */
function settle(memory: Connection): void {
  eraseDeleted(memory)
  memory.run(`DELETE FROM meta WHERE key = '${UNFINISHED_ERASING}'`)
  // The log has only ids left; the next checkpoint takes them away.
  attempt(() => emptyLog(memory))
}

function within<T>(location: string, readOnly: boolean, work: (memory: Connection) => T): T {
  const memory = new Connection(location, { readOnly })
  try {
    return work(memory)
  } finally {
    memory.close()
  }
}
