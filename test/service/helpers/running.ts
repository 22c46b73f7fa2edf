import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Memory } from '../../../src/client/index.ts'
import { elfmem, HASHING } from '../../surfaces/helpers/cli.ts'

const PROGRAM = join(import.meta.dirname, '../../../src/bin.ts')

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  return port
}

/** A service in a process of its own, which comes back at the same address after it is killed. */
export class RunningService {
  readonly url: string
  readonly #home: string
  readonly #flags: readonly string[]
  #child: ChildProcess | undefined

  private constructor(port: number, home: string, flags: readonly string[]) {
    this.url = `http://127.0.0.1:${port}`
    this.#home = home
    this.#flags = flags
  }

  static async start(home: string, flags: readonly string[]): Promise<RunningService> {
    const service = new RunningService(await freePort(), home, flags)
    await service.start()
    return service
  }

  async start(): Promise<void> {
    const { port } = new URL(this.url)
    const env = { ...process.env, ...HASHING, HOME: this.#home, ELFMEM_MEMORY_AUTO_DREAM: 'off' }
    const argv = [PROGRAM, 'serve', '--http', '--port', port, ...this.#flags]
    const child = spawn(process.execPath, argv, { env, cwd: this.#home, stdio: ['ignore', 'pipe', 'ignore'] })
    this.#child = child
    const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`It ended with ${code}.`)))
    ended.catch(() => undefined)
    await Promise.race([once(child.stdout, 'data'), ended])
  }

  async kill(): Promise<void> {
    if (this.#child === undefined || this.#child.exitCode !== null) return
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    this.#child = undefined
    await gone
  }
}

/** Makes an owner's token of a memory at a place. */
export async function ownersToken(
  place: { home: string; flags: readonly string[] },
  name: string,
  memory: string,
) {
  const argv = [
    'tokens',
    'add',
    '--name',
    name,
    '--memory',
    memory,
    '--as',
    'owner',
    '--tools',
    'all',
    ...place.flags,
  ]
  const { code, out, err } = await elfmem(argv, { home: place.home })
  if (code !== 0) throw new Error(err)
  return out.trim()
}

/** Clients that remember, and report on what they remembered, until they are told to stop. */
export class Writing {
  /** The ids of the blocks whose two calls were both answered. */
  readonly done: (readonly [memory: Memory, blockId: string])[] = []
  readonly failures: string[] = []
  readonly #clients: readonly Promise<void>[]
  #isOver = false

  constructor(memories: readonly Memory[]) {
    this.#clients = memories.map((memory, client) => this.#write(memory, client))
  }

  async #write(memory: Memory, client: number): Promise<void> {
    for (let n = 0; !this.#isOver; n += 1)
      try {
        const content = `Client ${client} notes number ${n} about valve ${client * 10_000 + n}`
        const blockId = await memory.remember({ content }).then(({ blockId }) => blockId, writtenBlock)
        await memory.outcome({ signal: 1, blockIds: [blockId] }).catch(writtenBlock)
        this.done.push([memory, blockId])
      } catch (failure) {
        this.failures.push(String(failure))
      }
  }

  /** Waits for some more answers, and for a moment of any length behind them. */
  async more(least: number): Promise<void> {
    const before = this.done.length
    for (let turns = 0; this.done.length < before + least || turns < Math.random() * 100; turns += 1)
      await new Promise(setImmediate)
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#clients)
  }
}

/** Returns the block that a call wrote whose answer got lost; throws any other failure. */
function writtenBlock(failure: unknown): string {
  const { details } = Object(failure) as { details?: { outcome?: string; blockIds?: readonly string[] } }
  const [blockId] = details?.blockIds ?? []
  if (details?.outcome !== 'done' || blockId === undefined) throw failure
  return blockId
}

/** Returns how often each block was remembered and reported on, by the log of a memory. */
export async function countsIn(
  memory: Memory,
): Promise<ReadonlyMap<string, { remember: number; outcome: number }>> {
  const counts = new Map<string, { remember: number; outcome: number }>()
  for (let cursor: number | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await memory.history({ limit: 100, ...(cursor === undefined ? {} : { cursor }) })
    for (const { operation, blockIds } of page.operations)
      for (const id of operation === 'remember' || operation === 'outcome' ? blockIds : []) {
        const count = counts.get(id) ?? { remember: 0, outcome: 0 }
        count[operation as 'remember' | 'outcome'] += 1
        counts.set(id, count)
      }
    cursor = page.cursor
  }
  return counts
}
