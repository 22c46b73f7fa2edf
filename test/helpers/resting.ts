import type { LanguageModel } from '../../src/engine/ports.ts'
import { readWaiting } from '../../src/store/blocks.ts'
import { createTestClock } from './clock.ts'
import { openTestMemory, type TestMemoryOptions } from './memory.ts'
import { createTestTimer, nextTurn } from './timer.ts'
import { toldModel } from './told-model.ts'

/** The quiet time of the settings. */
export const QUIET_MS = 60_000

/** So many different facts. */
const contents = (many: number) => Array.from({ length: many }, (_, at) => `Room ${at} of the house is cold.`)

/** A memory that works at rest; its time is the test's. */
export async function openResting(options: TestMemoryOptions = {}) {
  const clock = options.clock ?? createTestClock()
  const timer = createTestTimer(clock)
  const opened = await openTestMemory({ ...options, clock, timer })
  const remember = async (many: number) => {
    for (const content of contents(many)) await opened.memory.remember({ content })
  }
  /** Asks the store itself, so that the memory notices no call. */
  const waiting = () => opened.store.read((tx) => readWaiting(tx))
  /** Waits for the entry of a dream that ends. */
  const dreamt = async () => {
    const filter = { operation: 'dream', actor: 'auto', limit: 1 }
    while ((await opened.store.read((tx) => tx.queries.operations(filter))).length === 0) await nextTurn()
  }
  return { ...opened, timer, remember, waiting, dreamt }
}

/** A dream at rest whose language model answers only when it is let out. */
export function gated() {
  const told = toldModel()
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const ask: LanguageModel['ask'] = async (...question) => {
    begun.resolve()
    await gate.promise
    return told.ask(...question)
  }
  const options: TestMemoryOptions = {
    languageModel: { ...told, ask },
    settings: { memory: { autoDream: 'full' } },
  }
  return { options, begun: begun.promise, open: gate.resolve }
}
