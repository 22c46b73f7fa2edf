import { isMainThread, workerData } from 'node:worker_threads'
import { Connection } from '../connection/connection.ts'

/** Writes a database anew, without its free pages; takes seconds in a large memory. Throws `STORE_BUSY` if another process is in the way. */
export function rewrite(location: string): void {
  const memory = new Connection(location)
  try {
    memory.control('PRAGMA secure_delete = ON')
    memory.script('VACUUM')
  } finally {
    memory.close()
  }
}

// The thread is started for one file; an error ends it with a code that is not 0.
if (!isMainThread && typeof workerData?.rewrites === 'string') rewrite(workerData.rewrites)
