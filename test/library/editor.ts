import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '../..')
const HEAD_END = '\r\n\r\n'

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly items?: readonly unknown[] }
  readonly result?: unknown
}

/** Where something stands in a text, both from 0. */
export interface Position {
  readonly line: number
  readonly character: number
}

/** The compiler as an editor talks to it: over the language server protocol. */
export class Editor {
  readonly #server: ChildProcess
  readonly #waiting = new Map<number, (result: unknown) => void>()
  #received = Buffer.alloc(0)
  #lastId = 0

  constructor() {
    const compiler = join(root, 'node_modules/.bin/tsc')
    this.#server = spawn(compiler, ['--lsp', '--stdio'], { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] })
    this.#server.stdout?.on('data', (data: Buffer) => this.#receive(data))
  }

  async begin(): Promise<void> {
    const hover = { contentFormat: ['markdown'] }
    await this.#ask('initialize', {
      processId: process.pid,
      rootUri: String(pathToFileURL(root)),
      capabilities: { textDocument: { hover } },
    })
    this.#send({ method: 'initialized', params: {} })
  }

  /** Opens a text as if it stood in that file; only for one that is there the settings of the project hold. */
  open(file: string, text: string): void {
    const textDocument = { uri: uriOf(file), languageId: 'typescript', version: 1, text }
    this.#send({ method: 'textDocument/didOpen', params: { textDocument } })
  }

  /** The text that the editor shows over a place. */
  async hover(file: string, position: Position): Promise<string> {
    const answer = await this.#ask('textDocument/hover', { textDocument: { uri: uriOf(file) }, position })
    const { contents } = (answer ?? {}) as { readonly contents?: { readonly value: string } }
    return contents?.value ?? ''
  }

  /** What the compiler has against an open text. */
  async problems(file: string): Promise<readonly string[]> {
    const answer = await this.#ask('textDocument/diagnostic', { textDocument: { uri: uriOf(file) } })
    const { items } = answer as {
      readonly items: readonly { readonly message: string; readonly severity: number }[]
    }
    return items.filter(({ severity }) => severity === 1).map(({ message }) => message)
  }

  close(): void {
    this.#server.kill()
  }

  #ask(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#lastId
    const answered = new Promise<unknown>((resolve) => this.#waiting.set(id, resolve))
    this.#send({ id, method, params })
    return answered
  }

  #send(message: object): void {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    this.#server.stdin?.write(`Content-Length: ${Buffer.byteLength(text)}${HEAD_END}${text}`)
  }

  #receive(data: Buffer): void {
    this.#received = Buffer.concat([this.#received, data])
    for (let message = this.#next(); message !== undefined; message = this.#next()) this.#take(message)
  }

  /** The next message that is there as a whole. */
  #next(): Message | undefined {
    const headEnd = this.#received.indexOf(HEAD_END)
    if (headEnd < 0) return undefined
    const length = Number(/Content-Length: (\d+)/.exec(this.#received.toString('utf8', 0, headEnd))?.[1])
    const begin = headEnd + HEAD_END.length
    if (this.#received.length < begin + length) return undefined
    const text = this.#received.toString('utf8', begin, begin + length)
    this.#received = this.#received.subarray(begin + length)
    return JSON.parse(text) as Message
  }

  #take({ id, method, params, result }: Message): void {
    if (id === undefined) return
    // What the server asks of an editor has no answer here.
    if (method !== undefined) this.#send({ id, result: params?.items?.map(() => null) ?? null })
    else this.#waiting.get(id)?.(result)
  }
}

function uriOf(file: string): string {
  return String(pathToFileURL(join(root, file)))
}
