import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'

/** Notes nothing. */
export async function noteResting(..._: readonly unknown[]): Promise<void> {}
/** Notes nothing. */
export async function noteRestingOfNew(
  _engine: Engine,
  _mutation: Mutation,
  ..._: readonly unknown[]
): Promise<void> {}
