import { fileURLToPath } from 'node:url'
import type { Contender } from './contenders.ts'
import type { Installed } from './install.ts'
import { LineProcess } from './line-process.ts'
import type { Added, Answer, Closed, Filled, Opened, Request, Searched } from './protocol.ts'

interface Answers {
  readonly open: Opened
  readonly fill: Filled
  readonly add: Added
  readonly search: Searched
  readonly close: Closed
}

const NODE_DRIVER = fileURLToPath(new URL('node-driver.ts', import.meta.url))
const PYTHON_DRIVER = fileURLToPath(new URL('python-driver.py', import.meta.url))
const TIMES = { timeoutMs: 30 * 60_000, partingMs: 5_000 }

/** A contender in a process of its own, asked one thing at a time. */
export class PeerDriver implements AsyncDisposable {
  readonly #process: LineProcess

  constructor({ key, install }: Contender, { command }: Extract<Installed, { command: string }>) {
    const args =
      install.from === 'pypi'
        ? [PYTHON_DRIVER]
        : ['--no-warnings', '--max-old-space-size=8192', NODE_DRIVER, key]
    this.#process = new LineProcess(command, args, TIMES)
  }

  /** Throws what the driver reports as an error, and when it ends without an answer. */
  async ask<Op extends Request['op']>(request: Extract<Request, { op: Op }>): Promise<Answers[Op]> {
    const answer = await this.#process.ask<Answer>(request)
    if ('error' in answer) throw new Error(answer.error)
    return answer as Answers[Op]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]()
  }
}
