import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once as happens } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { openMemory } from '../../src/engine/memory.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { hasPostgres } from '../helpers/postgres.ts'
import { type Served, serve } from '../postgres/served.ts'

const KILLS = 10
const CLIENTS = 8

interface Answer {
  readonly once?: string
  readonly ready?: true
  readonly output?: { readonly blockId?: string; readonly operationId?: number }
  readonly code?: string
}

/** A server of a memory that is killed now and then, and clients that send a call until it is answered. */
class Killed {
  readonly #path: string
  readonly #waiting = new Map<string, { readonly line: string; readonly resolve: (answer: Answer) => void }>()
  #child: ChildProcessWithoutNullStreams | undefined
  retries = 0

  constructor(path: string) {
    this.#path = path
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [
      join(import.meta.dirname, 'helpers', 'serve-lines.ts'),
      this.#path,
    ])
    child.stdin.on('error', () => undefined)
    const ready = Promise.withResolvers<void>()
    createInterface({ input: child.stdout }).on('line', (line) => {
      const answer = JSON.parse(line) as Answer
      if (answer.ready) ready.resolve()
      this.#waiting.get(answer.once ?? '')?.resolve(answer)
      this.#waiting.delete(answer.once ?? '')
    })
    await ready.promise
    this.#child = child
    for (const { line } of this.#waiting.values()) {
      this.retries += 1
      child.stdin.write(line)
    }
  }

  call(name: string, input: object, once: string): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const line = `${JSON.stringify({ name, input, once })}\n`
    this.#waiting.set(once, { line, resolve })
    this.#child?.stdin.write(line)
    return promise
  }

  async kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined) return
    const gone = happens(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
}

/** The places of a memory, and whether they can be had here. */
const PLACES = [
  { kind: 'a file', isThere: true, place: async () => join(temporaryFolder(), 'memory.db') },
  { kind: 'PostgreSQL', isThere: hasPostgres, place: async () => `${(await served()).database.worker}#once` },
]

/** A database that ends with the test. */
async function served(): Promise<Served> {
  const opened = await serve()
  onTestFinished(() => opened.end())
  return opened
}

/** Returns all entries of the log of a memory. */
async function entriesOf(path: string) {
  const memory = await openMemory(path, { config: { embeddings: { provider: 'hashing' } }, as: 'owner' })
  const entries: { readonly operation: string; readonly blockIds: readonly string[] }[] = []
  for (let cursor: number | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await memory.history({ limit: 100, ...(cursor === undefined ? {} : { cursor }) })
    entries.push(...page.operations)
    cursor = page.cursor
  }
  await memory.close()
  return entries
}

test.each(PLACES.filter(({ isThere }) => isThere))(
  'calls with keys are done exactly once in $kind, however often the process is killed',
  async ({ place }) => {
    const path = await place()
    const server = new Killed(path)
    onTestFinished(() => server.kill())
    await server.start()
    let isOver = false
    const done: { readonly blockId: string | undefined; readonly content: string }[] = []
    const failures: Answer[] = []
    const client = async (name: number) => {
      for (let n = 0; !isOver; n += 1) {
        const content = `Client ${name} notes number ${n} about valve ${name * 10_000 + n}`
        const { output, ...failure } = await server.call('remember', { content }, `r-${name}-${n}`)
        if (output === undefined) failures.push(failure)
        const report = { signal: 1, blockIds: [output?.blockId ?? ''] }
        const reported = await server.call('outcome', report, `o-${name}-${n}`)
        if (reported.output === undefined) failures.push(reported)
        done.push({ blockId: output?.blockId, content })
      }
    }
    const clients = Array.from({ length: CLIENTS }, (_, name) => client(name))
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = done.length
      // A kill comes at any point of the work after some calls went through.
      for (let turns = 0; done.length < before + 4 || turns < Math.random() * 30; turns += 1)
        await new Promise(setImmediate)
      await server.kill()
      await server.start()
    }
    isOver = true
    await Promise.all(clients)
    await server.kill()

    expect(failures).toEqual([])
    expect(server.retries).toBeGreaterThan(KILLS)
    const entries = await entriesOf(path)
    const times = (operation: string, id: string | undefined) =>
      entries.filter((entry) => entry.operation === operation && entry.blockIds.includes(id ?? '')).length
    const counts = done.map(({ blockId, content }) => [
      content,
      times('remember', blockId),
      times('outcome', blockId),
    ])
    expect(counts.filter(([, remembered, reported]) => remembered !== 1 || reported !== 1)).toEqual([])
    expect(new Set(done.map(({ blockId }) => blockId)).size).toBe(done.length)
  },
)
