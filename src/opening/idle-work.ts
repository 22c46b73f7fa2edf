import { ElfmemError } from '../errors.ts'
import { AUTO, type Engine } from '../flow/engine/engine.ts'
import { DreamAtRest } from '../flow/rest/dream-at-rest.ts'
import { embedWaiting } from '../flow/waiting/embed-waiting.ts'
import type { IdleWork } from './background-work.ts'

/** What the memory does by itself, the most urgent first. */
export function idleWorkOf(engine: Engine): IdleWork[] {
  return [embeddingWork(engine), ...(engine.rest.mode === 'off' ? [] : [dreamWork(engine)])]
}

/** Vectors for what was just remembered, soon after the call, a batch a turn. */
function embeddingWork(engine: Engine): IdleWork {
  const { memory } = engine.settings
  let lacking = 0
  return {
    quietMs: 0,
    async run({ signal }) {
      const portion = { most: memory.waitingBatch, milliseconds: memory.autoDreamBatchMs }
      const before = lacking
      lacking = await embedWaiting(engine, { signal, actor: AUTO }, portion)
      // Who embeds nothing now is asked again after the next call.
      const isStuck = lacking === before
      return lacking === 0 || isStuck ? undefined : 0
    },
    failed: (error) => logFailure(engine, 'embedWaiting', error),
  }
}

function dreamWork(engine: Engine): IdleWork {
  const dreams = new DreamAtRest(engine)
  return {
    quietMs: dreams.quietMs,
    run: (turn) => dreams.run(turn),
    failed(error) {
      engine.rest.trouble = logFailure(engine, 'dream', error)
    },
  }
}

function logFailure({ logger }: Engine, operation: string, error: unknown): string {
  const detail = error instanceof Error ? error.message : String(error)
  const outcome = ElfmemError.is(error) ? error.code : 'UNEXPECTED'
  logger.log({ level: 'error', operation, actor: AUTO, milliseconds: 0, outcome, detail })
  return detail
}
