import { ElfmemError } from '../../errors.ts'
import { Connection } from '../connection/connection.ts'

/** This is a step of an erasing and the file in which it is taken: `room` writes the file anew, `log` empties the log into it. */
export interface StepOfFile {
  readonly step: 'room' | 'log'
  readonly location: string
}

/** Takes a step in this very thread, for seconds in a large memory. Throws `STORE_BUSY` at once while another process is in the way. */
export function takeStep({ step, location }: StepOfFile): void {
  const memory = new Connection(location)
  try {
    if (step === 'room') {
      memory.control('PRAGMA secure_delete = ON')
      memory.script('VACUUM')
    } else if (Number(memory.control('PRAGMA wal_checkpoint(TRUNCATE)')?.busy ?? 0) > 0)
      throw new ElfmemError('STORE_BUSY', 'A process reads an older state of the memory.', {
        recovery: 'Close what has the memory open, then call erase() again without arguments.',
      })
  } finally {
    memory.close()
  }
}
