import { setImmediate as nextTurn } from 'node:timers/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { ElfmemError } from '../../../errors.ts'
import { type Engine, type EngineTask, loadEngine } from './engine.ts'
import type { FromWorker, ToWorker, WorkerOptions, WorkerRequest } from './minilm.ts'

/** The most texts and characters of one task, whose vectors are sent together. */
const TASK_TEXTS = 8
const TASK_CHARACTERS = 2000

interface Entry {
  readonly request: WorkerRequest
  /** The number of texts that have a task or had one. */
  begun: number
  task?: EngineTask | undefined
}

/** Embeds texts pass by pass and looks for messages in between, so that an urgent request waits for one pass only. */
function serve(port: MessagePort, engine: Engine): void {
  let entries: Entry[] = []
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    for (;;) {
      const entry = entries.find(({ request }) => request.isUrgent) ?? entries[0]
      if (entry === undefined) break
      entry.task ??= engine.begin(nextTexts(entry))
      if (entry.task.step()) finish(entry, entry.task)
      await nextTurn()
    }
    isRunning = false
  }

  function finish(entry: Entry, { vectors }: EngineTask): void {
    const { id, texts } = entry.request
    entry.task = undefined
    if (entry.begun === texts.length) entries = entries.filter((each) => each !== entry)
    const message: FromWorker = { kind: 'vectors', id, vectors }
    port.postMessage(message, [vectors.buffer as ArrayBuffer])
  }

  port.on('message', (message: ToWorker) => {
    if (message.kind === 'embed') entries.push({ request: message, begun: 0 })
    else entries = entries.filter(({ request }) => request.id !== message.id)
    if (!isRunning) void run()
  })
}

function nextTexts(entry: Entry): readonly string[] {
  const { texts } = entry.request
  const from = entry.begun
  let characters = 0
  while (entry.begun < texts.length && entry.begun - from < TASK_TEXTS) {
    characters += texts[entry.begun]?.length ?? 0
    if (characters > TASK_CHARACTERS && entry.begun > from) break
    entry.begun += 1
  }
  return texts.slice(from, entry.begun)
}

function load(port: MessagePort): Engine | undefined {
  try {
    return loadEngine()
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    const { message, recovery, cause } = error
    port.postMessage({ kind: 'broken', message, recovery, cause: String(cause ?? '') } satisfies FromWorker)
    return undefined
  }
}

if (parentPort !== null) {
  const engine = load(parentPort)
  if (engine !== undefined) serve(parentPort, engine)
  if ((workerData as WorkerOptions).rehearse) engine?.begin(['Hello']).step()
}
