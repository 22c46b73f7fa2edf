import { Worker } from 'node:worker_threads'
import type { BEGUN, FileCheck } from './checks.ts'

const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? './check-worker.ts' : './check-worker.js',
  import.meta.url,
)

/**
 * A process for one check, which can be killed while a statement runs. The statement runs in a thread; this one waits for
 * the parent to go away and then ends the process by a signal, since an ordinary exit would wait for the statement.
 */
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.once('message', (check: FileCheck) => {
  process.send?.('begun' satisfies typeof BEGUN)
  const thread = new Worker(SCRIPT, { workerData: check })
  thread.once('message', (answer) => process.send?.(answer, () => process.disconnect()))
  // The parent refuses the file then.
  thread.once('error', () => process.disconnect())
})
