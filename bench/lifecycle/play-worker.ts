import { parentPort } from 'node:worker_threads'
import { conditionsNamed } from './conditions.ts'
import { play } from './play.ts'
import type { Task } from './spread.ts'
import { createWorld, type World } from './world.ts'

/** The world played last: the next play is mostly of the same one. */
let last: { readonly name: string; readonly world: World } | undefined

function worldOf({ seed, world }: Task): World {
  const name = `${seed} ${world}`
  if (last?.name !== name) last = { name, world: createWorld(seed, conditionsNamed(world)) }
  return last.world
}

// A failed play is an unhandled rejection: it ends this worker, and whoever started it hears of it.
parentPort?.on('message', async (task: Task) => {
  parentPort?.postMessage(await play(worldOf(task), task))
})
