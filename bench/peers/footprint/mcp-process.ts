import { LineProcess } from '../line-process.ts'
import { reasonIn } from '../reason.ts'
import type { Program } from './program.ts'

interface Answer {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message?: string }
}

const TIMES = { timeoutMs: 60_000, partingMs: 0 }
const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'elfmem-bench', version: '0' },
}

/** A server of MCP over stdio, spoken to in bare JSON-RPC so that no client's own work is in the times. */
export class McpProcess implements AsyncDisposable {
  readonly #process: LineProcess
  #asked = 0

  constructor({ command, args, env, cwd }: Program) {
    this.#process = new LineProcess(command, args, { env, cwd, ...TIMES })
  }

  /** Shakes hands, as each client does first. */
  async greet(): Promise<void> {
    await this.#ask('initialize', HELLO)
    this.#process.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
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
    const request = { jsonrpc: '2.0', id, method, params }
    // Notifications come between the answers.
    const answer = await this.#process.ask<Answer>(request, (line) => line.id === id)
    if (answer.error) throw new Error(`${method}: ${answer.error.message ?? 'an error'}`)
    return answer.result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]()
  }
}
