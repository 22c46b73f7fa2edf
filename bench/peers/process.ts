import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { promisify } from 'node:util'

/** A program to start, with its folder. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
}

const run = promisify(execFile)
const END_MS = 60_000
/** A process that is silent for so long is taken to hang. */
const SILENT_MS = 30 * 60_000
const ERRORS_KEPT = 10_000

/** Runs a program to its end, and throws if it fails. */
export async function toEnd({ command, args, env, cwd }: Program): Promise<void> {
  await run(command, args, { env, cwd, timeout: END_MS })
}

/** Returns the line of a program's complaints that most likely says why it failed. */
export function reasonIn(output: string): string {
  const lines = output.split('\n').map((line) => line.trim())
  const telling = lines.find((line) => /\b\w*(error|assertion failed|fatal)\b/i.test(line))
  return telling ?? lines.findLast((line) => line !== '') ?? 'it did not say why'
}

/** A process that is spoken to in lines of JSON, one question at a time. */
export class LineProcess implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #reader: Interface
  readonly #lines: AsyncIterator<string>
  readonly #ended: Promise<unknown>
  #errors = ''

  constructor({ command, args, env, cwd }: Program) {
    this.#child = spawn(command, args, { cwd, env, stdio: 'pipe' })
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-ERRORS_KEPT)
    })
    this.#ended = once(this.#child, 'exit').catch(({ message }: Error) => {
      this.#errors += message
    })
    // A write to a process that ended fails. The missing answer reports it.
    this.#child.stdin.on('error', () => {})
    this.#reader = createInterface({ input: this.#child.stdout })
    this.#lines = this.#reader[Symbol.asyncIterator]()
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  /** Sends the message and returns the first line back that `answers` it. Throws when the process ends without one. */
  async ask<Answer>(message: object, answers: (line: Answer) => boolean = () => true): Promise<Answer> {
    const timeout = setTimeout(() => this.#child.kill('SIGKILL'), SILENT_MS)
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
    this.#child.kill('SIGKILL')
    await this.#ended
  }
}

interface McpAnswer {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message?: string }
}

const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'elfmem-bench', version: '0' },
}

/** A server of MCP over stdio, spoken to in bare JSON-RPC so that no client's own work is in the times. */
export class McpProcess implements AsyncDisposable {
  readonly #process: LineProcess
  #asked = 0

  constructor(program: Program) {
    this.#process = new LineProcess(program)
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  /** Shakes hands, as each client does first. */
  async greet(): Promise<void> {
    await this.#ask('initialize', HELLO)
    this.#process.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }

  /** Returns the tools as they come over the wire. */
  async tools(): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { tools } = (await this.#ask('tools/list')) as { tools: Readonly<Record<string, unknown>>[] }
    return tools
  }

  /** Returns the first text of an answer, and throws when the tool says that it failed. */
  async call(name: string, args: object): Promise<string> {
    const { isError, content } = (await this.#ask('tools/call', { name, arguments: args })) as {
      readonly isError?: boolean
      readonly content?: readonly { readonly text?: string }[]
    }
    const text = content?.[0]?.text ?? ''
    if (isError) throw new Error(`${name} failed: ${reasonIn(text)}`)
    return text
  }

  async #ask(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#asked
    const request = { jsonrpc: '2.0', id, method, params }
    // Notifications come between the answers.
    const answer = await this.#process.ask<McpAnswer>(request, (line) => line.id === id)
    if (answer.error) throw new Error(`${method}: ${answer.error.message ?? 'an error'}`)
    return answer.result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]()
  }
}
