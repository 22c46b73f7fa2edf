import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface, type Interface } from 'node:readline'
import { reasonIn } from '../reason.ts'
import type { Program } from './program.ts'

interface Answer {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message?: string }
}

/** A server that answers nothing for so long is taken to hang. */
const TIMEOUT_MS = 60_000
const ERRORS_KEPT = 10_000
const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'elfmem-bench', version: '0' },
}

/** A server of MCP over stdio, spoken to in bare JSON-RPC so that no client's own work is in the times. */
export class McpProcess implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #reader: Interface
  readonly #lines: AsyncIterator<string>
  readonly #ended: Promise<void>
  #asked = 0
  #errors = ''

  constructor({ command, args, env, cwd }: Program) {
    this.#child = spawn(command, args, { env, cwd, stdio: 'pipe' })
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
    // A server that ended does not read; the missing answer tells.
    this.#child.stdin.on('error', () => {})
    this.#reader = createInterface({ input: this.#child.stdout })
    this.#lines = this.#reader[Symbol.asyncIterator]()
  }

  /** Shakes hands, as each client does first. */
  async greet(): Promise<void> {
    await this.#ask('initialize', HELLO)
    this.#send({ method: 'notifications/initialized' })
  }

  /** The tools as they come over the wire. */
  async tools(): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { tools } = (await this.#ask('tools/list')) as { tools: Readonly<Record<string, unknown>>[] }
    return tools
  }

  /** Throws when the tool says that it failed. */
  async call(name: string, args: object): Promise<void> {
    const answer = (await this.#ask('tools/call', { name, arguments: args })) as {
      readonly isError?: boolean
      readonly content?: readonly { readonly text?: string }[]
    }
    if (answer.isError) throw new Error(`${name} failed: ${reasonIn(answer.content?.[0]?.text ?? '')}`)
  }

  async #ask(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#asked
    const timeout = setTimeout(() => this.#child.kill('SIGKILL'), TIMEOUT_MS)
    try {
      this.#send({ id, method, params })
      for (;;) {
        const line = await this.#lines.next()
        if (line.done) throw new Error(`its server ended: ${reasonIn(this.#errors)}`)
        const answer = JSON.parse(line.value) as Answer
        // Notifications come between the answers.
        if (answer.id !== id) continue
        if (answer.error) throw new Error(`${method}: ${answer.error.message ?? 'an error'}`)
        return answer.result
      }
    } finally {
      clearTimeout(timeout)
    }
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#reader.close()
    this.#child.kill('SIGKILL')
    await this.#ended
  }
}
