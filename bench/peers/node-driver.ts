import { createInterface } from 'node:readline'
import { peakMegabytes } from '../lib/files.ts'
import { readCorpus } from './corpus.ts'
import type { Calls } from './driver.ts'
import { SYSTEMS, type System } from './systems.ts'

/** Questions asked before times are taken: by then code that is compiled at all is compiled. */
const WARM = 20
/** Texts handed over at once when filling. */
const CHUNK = 100

let corpus: ReturnType<typeof readCorpus>
let system: System

const since = (started: number) => performance.now() - started

const WORK: {
  readonly [Op in keyof Calls]: (asks: Calls[Op]['asks']) => Promise<Calls[Op]['answers']>
} = {
  open: async ({ corpus: at, ...place }) => {
    corpus = readCorpus(at)
    const open = SYSTEMS[process.argv[2] ?? '']
    if (!open) throw new Error(`no driver knows ${process.argv[2]}`)
    system = await open({ ...place, dimensions: corpus.dimensions, embed: corpus.embed })
    return { version: system.version }
  },
  fill: async ({ from, until }) => {
    for (let next = from; next < until; next += CHUNK) {
      const texts = corpus.texts.slice(next, Math.min(until, next + CHUNK))
      if (system.addMany) await system.addMany(texts, next)
      else for (const [i, text] of texts.entries()) await system.add(text, next + i)
    }
    const started = performance.now()
    await system.settle?.()
    return { settleMs: system.settle ? since(started) : 0 }
  },
  add: async ({ from, until }) => {
    const ms: number[] = []
    for (let at = from; at < until; at++) {
      const started = performance.now()
      await system.add(corpus.texts[at] as string, at)
      ms.push(since(started))
    }
    return { ms }
  },
  search: async ({ from, until, ...options }) => {
    const questions = corpus.questions.slice(from, until)
    for (const question of questions.slice(0, WARM)) await system.search(question, options)
    const ms: number[] = []
    const found: (readonly number[])[] = []
    for (const question of questions) {
      const started = performance.now()
      found.push(await system.search(question, options))
      ms.push(since(started))
    }
    return { ms, found }
  },
  close: async () => {
    const megabytes = peakMegabytes(system.pid)
    await system.close?.()
    await corpus.close()
    return megabytes === undefined ? {} : { peakMegabytes: megabytes }
  },
}

// Only answers may reach the standard output; some libraries print there.
console.log = console.info = console.warn = console.error
for await (const line of createInterface({ input: process.stdin })) {
  const { op, ...asks } = JSON.parse(line) as { readonly op: keyof Calls }
  const reply = await WORK[op](asks as never).catch((error: unknown) => ({
    error: error instanceof Error ? error.message : String(error),
  }))
  process.stdout.write(`${JSON.stringify(reply)}\n`)
}
