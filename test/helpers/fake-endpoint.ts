import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** What a test may make the endpoint do instead of answering well. */
export type Fault =
  /** 429 with `Retry-After: 0`. */
  | 'rate-limit'
  /** 500. */
  | 'server-error'
  /** Takes the question and never answers. */
  | 'silence'
  /** Stops within the JSON of the answer, with `finish_reason: length`. */
  | 'truncated'
  /** The right JSON between ```json fences and words. */
  | 'fenced'
  /** JSON that has nothing to do with the schema. */
  | 'wrong-schema'
  /** A message without text. */
  | 'empty'
  /** A byte now and then, without end. */
  | 'drip'
  /** Closes the connection instead of answering. */
  | 'reset'
  /** Exactly this; `body` is sent as JSON unless it is text. */
  | {
      readonly status: number
      readonly body?: unknown
      readonly headers?: Readonly<Record<string, string>>
    }

/** The body of a request to chat/completions, as far as tests look at it. */
export interface ChatRequest {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly response_format?: {
    readonly type: string
    readonly json_schema?: Readonly<Record<string, unknown>>
  }
  readonly [name: string]: unknown
}

interface FakeCall {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: ChatRequest
}

export interface Script {
  /** What the model answers: text as it is, anything else as JSON. `{}` unless given. `call` counts from 1. */
  readonly answer?: (request: ChatRequest, call: number) => unknown
  /** Which call (from 1) goes wrong, and how. */
  readonly faults?:
    | Readonly<Record<number, Fault>>
    | ((call: number, request: ChatRequest) => Fault | undefined)
  /** Before every answer, in ms. */
  readonly latencyMs?: number
  /** What the answer says it used; by default a token for every four characters. `null` says nothing. */
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null
}

export interface FakeEndpoint {
  /** The base URL, up to /v1. */
  readonly url: string
  readonly calls: readonly FakeCall[]
  /** Most requests that were open at once. */
  readonly concurrency: number
  /** What all answers together said they used. */
  readonly tokens: number
  /** From now on, other answers. Calls go on counting. */
  play(script: Script): void
  close(): Promise<void>
}

/** A language model's endpoint on the loopback, as well or as badly behaved as the script says; closed with the test. */
export async function fakeEndpoint(first: Script = {}): Promise<FakeEndpoint> {
  let script = first
  const calls: FakeCall[] = []
  const seen = { open: 0, most: 0, tokens: 0 }
  const server = createServer((request, response) => {
    seen.open++
    seen.most = Math.max(seen.most, seen.open)
    response.once('close', () => void seen.open--)
    void respond(request, response).catch(() => response.destroy())
  })

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    const call = calls.push({ path: request.url ?? '', headers: request.headers, body })
    const { latencyMs = 0 } = script
    const fault = faultOf(script, call, body)
    if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs))
    if (fault === 'silence') return
    if (fault === 'reset') return void request.socket.destroy()
    if (fault === 'drip') return drip(response)
    const reply = fault === undefined ? undefined : plainReply(fault)
    if (reply !== undefined) return send(response, reply)
    const answer = await script.answer?.(body, call)
    const completion = completionOf(body, textOf(answer, fault), script.usage, fault === 'truncated')
    seen.tokens += (completion.usage?.prompt_tokens ?? 0) + (completion.usage?.completion_tokens ?? 0)
    send(response, { status: 200, body: completion })
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(close)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    get concurrency() {
      return seen.most
    },
    get tokens() {
      return seen.tokens
    },
    play: (next) => {
      script = next
    },
    close,
  }
}

function faultOf({ faults }: Script, call: number, body: ChatRequest): Fault | undefined {
  return typeof faults === 'function' ? faults(call, body) : faults?.[call]
}

async function bodyOf(request: IncomingMessage): Promise<ChatRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return (text === '' ? {} : JSON.parse(text)) as ChatRequest
}

type Reply = Exclude<Fault, string>

/** The faults that are no answer of a model. */
function plainReply(fault: Fault): Reply | undefined {
  if (typeof fault === 'object') return fault
  if (fault === 'rate-limit')
    return { status: 429, body: { error: { message: 'Slow down.' } }, headers: { 'retry-after': '0' } }
  if (fault === 'server-error') return { status: 500, body: { error: { message: 'Something broke.' } } }
  return undefined
}

/** The answer as a model gives it, with the fault that is in the text. */
function textOf(answer: unknown, fault: Fault | undefined): string {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer ?? {})
  if (fault === 'truncated') return text.slice(0, Math.max(1, Math.floor(text.length / 2)))
  if (fault === 'fenced') return `Here is the JSON:\n\`\`\`json\n${text}\n\`\`\`\nI hope it helps.`
  if (fault === 'wrong-schema') return '{"nonsense":[1,"two"]}'
  return fault === 'empty' ? '' : text
}

function completionOf(request: ChatRequest, content: string, usage: Script['usage'], cut: boolean) {
  const estimated = {
    prompt_tokens: Math.ceil(JSON.stringify(request.messages ?? '').length / 4),
    completion_tokens: Math.ceil(content.length / 4),
  }
  return {
    object: 'chat.completion',
    model: request.model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: cut ? 'length' : 'stop' }],
    ...(usage === null ? {} : { usage: usage ?? estimated }),
  }
}

function send(response: ServerResponse, { status, body = '', headers = {} }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 5)
  response.once('close', () => clearInterval(timer))
}
