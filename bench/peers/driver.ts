import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Contender } from './contenders.ts'
import type { Installed } from './install.ts'
import type { Added, Answer, Closed, Filled, Opened, Request, Searched } from './protocol.ts'
import { reasonIn } from './reason.ts'

interface Answers {
  readonly open: Opened
  readonly fill: Filled
  readonly add: Added
  readonly search: Searched
  readonly close: Closed
}

const NODE_DRIVER = fileURLToPath(new URL('node-driver.ts', import.meta.url))
const PYTHON_DRIVER = fileURLToPath(new URL('python-driver.py', import.meta.url))
/** A driver that says nothing for so long is taken to hang. */
const TIMEOUT_MS = 30 * 60_000
/** A driver that was told to end has so long to do it. */
const PARTING_MS = 5_000
const ERRORS_KEPT = 10_000

/** A contender in a process of its own, asked one thing at a time. */
export class PeerDriver implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>
  readonly #reader: Interface
  readonly #ended: Promise<void>
  #errors = ''

  constructor({ key, install }: Contender, { command }: Extract<Installed, { command: string }>) {
    const args =
      install.from === 'pypi'
        ? [PYTHON_DRIVER]
        : ['--no-warnings', '--max-old-space-size=8192', NODE_DRIVER, key]
    this.#child = spawn(command, args, { stdio: 'pipe' })
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-ERRORS_KEPT)
    })
    this.#ended = new Promise((resolve) => {
      this.#child.once('exit', () => resolve())
      this.#child.once('error', ({ message }) => {
        this.#errors += message
        resolve()
      })
    })
    // A child that ended does not read; the missing answer tells.
    this.#child.stdin.on('error', () => {})
    this.#reader = createInterface({ input: this.#child.stdout })
    this.#lines = this.#reader[Symbol.asyncIterator]()
  }

  /** Throws what the driver reports as an error, and when it ends without an answer. */
  async ask<Op extends Request['op']>(request: Extract<Request, { op: Op }>): Promise<Answers[Op]> {
    const timeout = setTimeout(() => this.#child.kill('SIGKILL'), TIMEOUT_MS)
    try {
      this.#child.stdin.write(`${JSON.stringify(request)}\n`)
      const line = await this.#lines.next()
      if (line.done) throw new Error(`its driver ended: ${reasonIn(this.#errors)}`)
      const answer = JSON.parse(line.value) as Answer
      if ('error' in answer) throw new Error(answer.error)
      return answer as Answers[Op]
    } finally {
      clearTimeout(timeout)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#reader.close()
    this.#child.stdin.end()
    const timeout = setTimeout(() => this.#child.kill('SIGKILL'), PARTING_MS)
    await this.#ended
    clearTimeout(timeout)
  }
}
