import { channel } from 'node:diagnostics_channel'
import { nextTurn } from '../flow/engine/engine.ts'

/** For whoever hears the system's signals, which nobody does while a statement runs: work is about to begin. */
const WORK = channel('elfmem:work')

/** Says that work begins. Listeners have two turns of the loop, in which signals that have come are heard. */
export async function workBegins(): Promise<void> {
  if (!WORK.hasSubscribers) return
  WORK.publish(undefined)
  await nextTurn()
  await nextTurn()
}
