import { type ChildProcessWithoutNullStreams, type SpawnOptions, spawn } from 'node:child_process'
import { createInterface, type Interface } from 'node:readline'
import { reasonIn } from './reason.ts'

const ERRORS_KEPT = 10_000

/** A process that is spoken to in lines of JSON, one question at a time. */
export class LineProcess implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #reader: Interface
  readonly #lines: AsyncIterator<string>
  readonly #ended: Promise<void>
  readonly #timeoutMs: number
  readonly #partingMs: number
  #errors = ''

  /** `timeoutMs`: silent for so long, it is taken to hang. `partingMs`: told to end, it has so long to do it. */
  constructor(
    command: string,
    args: readonly string[],
    options: Pick<SpawnOptions, 'cwd' | 'env'> & { readonly timeoutMs: number; readonly partingMs: number },
  ) {
    const { cwd, env, timeoutMs, partingMs } = options
    this.#timeoutMs = timeoutMs
    this.#partingMs = partingMs
    this.#child = spawn(command, args, { cwd, env, stdio: 'pipe' })
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
    // A process that ended does not read; the missing answer tells.
    this.#child.stdin.on('error', () => {})
    this.#reader = createInterface({ input: this.#child.stdout })
    this.#lines = this.#reader[Symbol.asyncIterator]()
  }

  send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  /** Sends the message; the first line back that `answers` it. Throws when the process ends without one. */
  async ask<Answer>(message: object, answers: (line: Answer) => boolean = () => true): Promise<Answer> {
    const timeout = setTimeout(() => this.#child.kill('SIGKILL'), this.#timeoutMs)
    try {
      this.send(message)
      for (;;) {
        const line = await this.#lines.next()
        if (line.done) throw new Error(`its process ended: ${reasonIn(this.#errors)}`)
        const answer = JSON.parse(line.value) as Answer
        if (answers(answer)) return answer
      }
    } finally {
      clearTimeout(timeout)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#reader.close()
    this.#child.stdin.end()
    const timeout = setTimeout(() => this.#child.kill('SIGKILL'), this.#partingMs)
    await this.#ended
    clearTimeout(timeout)
  }
}
