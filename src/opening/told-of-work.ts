import { channel } from 'node:diagnostics_channel'
import { nextTurn } from '../flow/engine/engine.ts'

/** Who hears the system's signals, which nobody does while a statement runs, is told before work begins. */
const WORK = channel('elfmem:work')

/** Tells that work begins. Whoever is told has two turns of the loop, in which signals that have come are heard. */
export async function toldOfWork(): Promise<void> {
  if (!WORK.hasSubscribers) return
  WORK.publish(undefined)
  await nextTurn()
  await nextTurn()
}
