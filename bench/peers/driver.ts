import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Contender } from './contenders.ts'
import { type Corpus, writeCorpus } from './corpus.ts'
import type { Installed } from './install.ts'
import { LineProcess } from './process.ts'

/** The questions to a driver, one JSON object a line, and its answers, one line each. Times are in milliseconds. */
export interface Calls {
  /** Opens a system in an empty folder. */
  readonly open: {
    readonly asks: { readonly corpus: string; readonly folder: string; readonly packages: string }
    readonly answers: { readonly version: string }
  }
  /** Takes in the texts `from` to `until`, as quickly as it can, and makes them findable. */
  readonly fill: {
    readonly asks: { readonly from: number; readonly until: number }
    /** The time to make the texts findable; 0 if that is no step of its own. */
    readonly answers: { readonly settleMs: number }
  }
  /** Takes in each of the texts by itself. */
  readonly add: {
    readonly asks: { readonly from: number; readonly until: number }
    readonly answers: { readonly ms: readonly number[] }
  }
  /** Asks questions `from` to `until`; with effects it notes what it returned, where it does so by default. */
  readonly search: {
    readonly asks: {
      readonly from: number
      readonly until: number
      readonly topK: number
      readonly effects: boolean
    }
    /** Places of the texts found for each question, best first. */
    readonly answers: { readonly ms: readonly number[]; readonly found: readonly (readonly number[])[] }
  }
  readonly close: { readonly asks: object; readonly answers: { readonly peakMegabytes?: number } }
}

const NODE_DRIVER = fileURLToPath(new URL('node-driver.ts', import.meta.url))
const PYTHON_DRIVER = fileURLToPath(new URL('python-driver.py', import.meta.url))

/** A contender in a process of its own, asked one thing at a time. */
export class PeerDriver implements AsyncDisposable {
  readonly #process: LineProcess

  private constructor(process: LineProcess) {
    this.#process = process
  }

  /** Writes a corpus and opens a contender on it, both in an empty folder. */
  static async open(
    { key, install }: Contender,
    { command, packages }: Installed,
    home: string,
    corpus: Corpus,
  ): Promise<PeerDriver & { readonly version: string }> {
    const [texts, folder] = [join(home, 'corpus'), join(home, 'memory')]
    for (const path of [texts, folder]) mkdirSync(path, { recursive: true })
    writeCorpus(texts, corpus)
    const args =
      install?.from === 'pypi'
        ? [PYTHON_DRIVER]
        : ['--no-warnings', '--max-old-space-size=8192', NODE_DRIVER, key]
    const driver = new PeerDriver(new LineProcess({ command, args }))
    const { version } = await driver.ask('open', { corpus: texts, folder, packages })
    return Object.assign(driver, { version })
  }

  /** Throws what the driver reports as an error, and when it ends without an answer. */
  async ask<Op extends keyof Calls>(op: Op, asks: Calls[Op]['asks']): Promise<Calls[Op]['answers']> {
    const answer = await this.#process.ask<Calls[Op]['answers'] & { readonly error?: string }>({
      op,
      ...asks,
    })
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]()
  }
}
