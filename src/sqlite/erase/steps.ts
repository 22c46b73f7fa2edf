import { ElfmemError } from '../../errors.ts'
import { Connection } from '../connection/connection.ts'

/** The steps of an erasing in a file, each of which may take seconds in a large memory and stands for itself. */
const STEPS = {
  /** Writes the file anew, without free pages. */
  room: (memory: Connection) => {
    memory.control('PRAGMA secure_delete = ON')
    memory.script('VACUUM')
  },
  /** Moves the log into the file and empties it; throws `STORE_BUSY` while somebody reads an older state. */
  log: (memory: Connection) => {
    if (Number(memory.control('PRAGMA wal_checkpoint(TRUNCATE)')?.busy ?? 0) === 0) return
    throw new ElfmemError('STORE_BUSY', 'A process reads an older state of the memory.', {
      recovery: 'Close what has the memory open, then call erase() again without arguments.',
    })
  },
}

/** A step is known by its name. */
export type Step = keyof typeof STEPS

/** A step and the file in which it is taken. */
export interface StepOfFile {
  readonly step: Step
  readonly location: string
}

/** Message of a thread that took a step, with the refusal in plain data if there was one. */
export interface StepAnswer {
  readonly refused?: ReturnType<ElfmemError['toJSON']>
}

/** Takes a step in this very thread. A database that is busy is `STORE_BUSY` at once. */
export function takeStep(step: Step, location: string): void {
  const memory = new Connection(location)
  try {
    STEPS[step](memory)
  } finally {
    memory.close()
  }
}
