import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { withTemporaryFolder } from '../lib/temporary.ts'
import type { Played } from './play.ts'
import type { Policy } from './policies.ts'

/** One world played by one policy. Plain data, so that a worker can be given it. */
export interface Task {
  readonly seed: number
  /** Name of the conditions of the world. */
  readonly world: string
  readonly policy: Policy
  readonly sessions: number
  /** File of the memory, to be made. */
  readonly path: string
}

/** What is to be played: every seed by every policy. */
export interface Plan {
  readonly seeds: readonly number[]
  readonly world: string
  readonly policies: readonly Policy[]
  readonly sessions: number
  /** Workers at most. */
  readonly jobs: number
}

type Log = (line: string) => void

/** Plays by name of the policy, in the order of the seeds, whatever worker played them. */
export type Results = ReadonlyMap<string, readonly Played[]>

/** Plays everything on workers of their own, each taking the next play when it is done with one. */
export function playAll({ seeds, world, policies, sessions, jobs }: Plan, log: Log): Promise<Results> {
  return withTemporaryFolder(async (folder) => {
    const tasks = seeds.flatMap((seed) =>
      policies.map(
        (policy, i): Task => ({ seed, world, policy, sessions, path: join(folder, `${seed}-${i}.db`) }),
      ),
    )
    const played = await spread(tasks, Math.min(jobs, tasks.length), log)
    return new Map(
      policies.map(({ name }) => [name, played.filter((_, i) => tasks[i]?.policy.name === name)] as const),
    )
  })
}

async function spread(tasks: readonly Task[], jobs: number, log: Log): Promise<Played[]> {
  const played: Played[] = []
  const waiting = [...tasks.entries()]
  const drain = async (worker: Worker) => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [place, task] = next
      const one = await playOn(worker, task)
      played[place] = one
      const { seed, policy } = task
      log(`world ${seed}, ${policy.name}: ${one.seconds.toFixed(0)} s`)
    }
  }
  const workers = Array.from({ length: jobs }, startWorker)
  try {
    await Promise.all(workers.map(drain))
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
  return played
}

function startWorker(): Worker {
  const execArgv = ['--experimental-strip-types', '--no-warnings']
  return new Worker(new URL('./play-worker.ts', import.meta.url), { execArgv, name: 'elfmem-lifecycle' })
}

function playOn(worker: Worker, task: Task): Promise<Played> {
  return new Promise((resolve, reject) => {
    const settle = (done: () => void) => {
      worker.removeAllListeners('message').removeAllListeners('error')
      done()
    }
    worker.once('message', (played: Played) => settle(() => resolve(played)))
    worker.once('error', (error) => settle(() => reject(error)))
    worker.postMessage(task)
  })
}
