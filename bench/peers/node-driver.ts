import { createInterface } from 'node:readline'
import { peakMegabytes } from '../lib/process-memory.ts'
import { readCorpus } from './corpus.ts'
import type { Added, Answer, Closed, Filled, Request, Searched } from './protocol.ts'
import { openElfmem } from './systems/elfmem.ts'
import { openHippo } from './systems/hippo.ts'
import { openMem0 } from './systems/mem0.ts'
import { openPlainCosine } from './systems/plain-cosine.ts'
import { openPlainFts5 } from './systems/plain-fts5.ts'
import { openServerMemory } from './systems/server-memory.ts'
import type { OpenSystem, System } from './systems/system.ts'

const OPEN: Readonly<Record<string, OpenSystem>> = {
  elfmem: openElfmem,
  mem0: openMem0,
  hippo: openHippo,
  'server-memory': openServerMemory,
  fts5: openPlainFts5,
  cosine: openPlainCosine,
}
const LEAST_SEARCHES = 5
/** Questions asked before times are taken: by then code that is compiled at all is compiled. */
const WARM = 20
/** Texts handed over at once when filling. */
const CHUNK = 100

/** A system that is open, with the texts it is fed. */
class Driver {
  readonly #corpus: ReturnType<typeof readCorpus>
  readonly #system: System

  private constructor(corpus: ReturnType<typeof readCorpus>, system: System) {
    this.#corpus = corpus
    this.#system = system
  }

  static async open(
    name: string,
    { corpus: at, ...place }: Extract<Request, { op: 'open' }>,
  ): Promise<Driver> {
    const open = OPEN[name]
    if (!open) throw new Error(`no driver knows ${name}`)
    const corpus = readCorpus(at)
    const { folder, packages } = place
    const { dimensions, embed } = corpus
    return new Driver(corpus, await open({ folder, packages, dimensions, embed }))
  }

  get version(): string {
    return this.#system.version
  }

  async fill({ from, until, seconds }: Extract<Request, { op: 'fill' }>): Promise<Filled> {
    const started = performance.now()
    let next = from
    while (next < until && performance.now() - started < 1000 * seconds) {
      const texts = this.#corpus.texts.slice(next, Math.min(until, next + CHUNK))
      if (this.#system.addMany) await this.#system.addMany(texts, next)
      else for (const [i, text] of texts.entries()) await this.#system.add(text, next + i)
      next += texts.length
    }
    const added = performance.now()
    await this.#system.settle?.()
    const settled = performance.now()
    return { until: next, addMs: added - started, settleMs: this.#system.settle ? settled - added : 0 }
  }

  async add(from: number, until: number): Promise<Added> {
    const ms: number[] = []
    for (let at = from; at < until; at++) {
      const started = performance.now()
      await this.#system.add(this.#corpus.texts[at] as string, at)
      ms.push(performance.now() - started)
    }
    return { ms }
  }

  async search({ from, until, seconds, ...options }: Extract<Request, { op: 'search' }>): Promise<Searched> {
    const questions = this.#corpus.questions.slice(from, until)
    for (const question of questions.slice(0, WARM)) await this.#system.search(question, options)
    const ms: number[] = []
    const found: (readonly number[])[] = []
    const began = performance.now()
    const cpu = process.cpuUsage()
    for (const question of questions) {
      if (ms.length >= LEAST_SEARCHES && performance.now() - began > 1000 * seconds) break
      const started = performance.now()
      found.push(await this.#system.search(question, options))
      ms.push(performance.now() - started)
    }
    const { user, system } = process.cpuUsage(cpu)
    return { ms, found, ...(this.#system.pid === undefined ? { cpuMs: (user + system) / 1000 } : {}) }
  }

  async close(): Promise<Closed> {
    const megabytes = peakMegabytes(this.#system.pid)
    await this.#system.close()
    await this.#corpus.close()
    return {
      computed: this.#corpus.computed,
      ...(megabytes === undefined ? {} : { peakMegabytes: megabytes }),
    }
  }
}

let driver: Driver | undefined

async function answer(request: Request): Promise<Answer> {
  if (request.op === 'open') {
    driver = await Driver.open(process.argv[2] ?? '', request)
    return { version: driver.version }
  }
  if (!driver) throw new Error('open comes first')
  switch (request.op) {
    case 'fill':
      return driver.fill(request)
    case 'add':
      return driver.add(request.from, request.until)
    case 'search':
      return driver.search(request)
    case 'close':
      return driver.close()
  }
}

// Only answers may reach the standard output; some libraries print there.
console.log = console.info = console.warn = console.error
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request
  const reply = await answer(request).catch(
    (error: unknown): Answer => ({ error: error instanceof Error ? error.message : String(error) }),
  )
  process.stdout.write(`${JSON.stringify(reply)}\n`)
  if (request.op === 'close') break
}
// Some libraries leave timers or sockets behind.
process.exit(0)
