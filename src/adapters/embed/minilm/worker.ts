import { setImmediate as nextTurn } from 'node:timers/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { ElfmemError } from '../../../errors.ts'
import { type Engine, type EngineTask, loadEngine } from './engine.ts'
import type { FromWorker, ToWorker, WorkerOptions } from './worker-handle.ts'

interface Entry {
  readonly job: number
  readonly task: EngineTask
}

/** Runs jobs pass by pass and looks for messages in between, so that an urgent one waits for one pass only. */
function serve(port: MessagePort, engine: Engine): void {
  const urgent: Entry[] = []
  const patient: Entry[] = []
  let running = false

  function send(message: FromWorker & { kind: 'done' }): void {
    port.postMessage(message, [message.vectors.buffer as ArrayBuffer])
  }

  async function run(): Promise<void> {
    running = true
    for (let entry = urgent[0] ?? patient[0]; entry !== undefined; entry = urgent[0] ?? patient[0]) {
      if (entry.task.step()) {
        remove(entry.job)
        send({ kind: 'done', job: entry.job, vectors: entry.task.vectors })
      }
      await nextTurn()
    }
    running = false
  }

  function remove(job: number): void {
    for (const queue of [urgent, patient]) {
      const at = queue.findIndex((entry) => entry.job === job)
      if (at >= 0) queue.splice(at, 1)
    }
  }

  port.on('message', (message: ToWorker) => {
    if (message.kind === 'cancel') return remove(message.job)
    const queue = message.urgent ? urgent : patient
    queue.push({ job: message.job, task: engine.begin(message.texts) })
    if (!running) void run()
  })
}

function load(port: MessagePort): Engine | undefined {
  try {
    return loadEngine((workerData as WorkerOptions).build)
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    const { message, recovery } = error
    port.postMessage({
      kind: 'broken',
      message,
      recovery,
      cause: String(error.cause ?? ''),
    } satisfies FromWorker)
    return undefined
  }
}

if (parentPort !== null) {
  const engine = load(parentPort)
  if (engine !== undefined) serve(parentPort, engine)
  if ((workerData as WorkerOptions).rehearse) engine?.begin(['Hello']).step()
}
