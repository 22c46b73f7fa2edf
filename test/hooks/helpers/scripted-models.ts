import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** One answer of a scripted model: a command to run, a file to write, a tool of a server to call, or words. */
export type Turn =
  | { readonly command: string }
  | { readonly writes: string; readonly content: string }
  | { readonly tool: string; readonly input: object }
  | { readonly says: string }

/** A model on loopback that answers by a script, and the requests that it got. */
export interface ScriptedModel {
  readonly url: string
  /** The bodies of the requests of the main conversation, as JSON text. */
  readonly requests: readonly string[]
}

type Body = {
  readonly tools?: readonly { readonly name?: string }[]
  readonly stream?: boolean
  readonly model?: string
}
type Send = (type: string, fields: object) => void

/** A model that speaks the Messages API; what has no shell is no main conversation, and gets a word. */
export function messagesModel(script: readonly Turn[]): Promise<ScriptedModel> {
  return scripted(script, 'Bash', ({ send, body, turn, number }) => {
    const message = {
      id: `msg_${number}`,
      type: 'message',
      role: 'assistant',
      model: body.model,
      content: [],
    }
    const usage = { input_tokens: 1, output_tokens: 1 }
    send('message_start', { message: { ...message, stop_reason: null, usage } })
    const tool = 'says' in turn ? undefined : toolOf(turn)
    const text = 'says' in turn ? turn.says : ''
    const block = tool
      ? { type: 'tool_use', id: `toolu_${number}`, name: tool.name, input: {} }
      : { type: 'text', text: '' }
    send('content_block_start', { index: 0, content_block: block })
    const delta = tool
      ? { type: 'input_json_delta', partial_json: JSON.stringify(tool.input) }
      : { type: 'text_delta', text }
    send('content_block_delta', { index: 0, delta })
    send('content_block_stop', { index: 0 })
    send('message_delta', {
      delta: { stop_reason: tool ? 'tool_use' : 'end_turn' },
      usage: { output_tokens: 1 },
    })
    send('message_stop', {})
  })
}

function toolOf(turn: Exclude<Turn, { readonly says: string }>) {
  if ('tool' in turn) return { name: turn.tool, input: turn.input }
  return 'command' in turn
    ? { name: 'Bash', input: { command: turn.command, description: 'a step' } }
    : { name: 'Write', input: { file_path: turn.writes, content: turn.content } }
}

/** A model that speaks the Responses API, and runs commands alone. */
export function responsesModel(script: readonly Turn[]): Promise<ScriptedModel> {
  return scripted(script, undefined, ({ send, body, turn, number }) => {
    const names = (body.tools ?? []).map(({ name }) => name)
    const name = ['exec_command', 'shell_command'].find((each) => names.includes(each)) ?? 'shell'
    const call = (command: string) => (name === 'exec_command' ? { cmd: command } : { command })
    const item =
      'command' in turn
        ? {
            type: 'function_call',
            id: `fc_${number}`,
            call_id: `call_${number}`,
            name,
            arguments: JSON.stringify(call(turn.command)),
          }
        : {
            type: 'message',
            id: `m_${number}`,
            role: 'assistant',
            content: [{ type: 'output_text', text: 'says' in turn ? turn.says : '', annotations: [] }],
          }
    send('response.created', { response: { id: `r_${number}` } })
    send('response.output_item.done', { output_index: 0, item })
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
    send('response.completed', { response: { id: `r_${number}`, usage } })
  })
}

/** A model that speaks the chat completions of OpenAI. */
export function completionsModel(script: readonly Turn[]): Promise<ScriptedModel> {
  return scripted(script, 'bash', ({ response, turn, number }) => {
    const call = 'command' in turn && {
      name: 'bash',
      arguments: JSON.stringify({ command: turn.command, description: 'a step' }),
    }
    const delta = call
      ? { role: 'assistant', tool_calls: [{ index: 0, id: `c${number}`, type: 'function', function: call }] }
      : { role: 'assistant', content: 'says' in turn ? turn.says : '' }
    const chunk = (choice: object) =>
      response.write(
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }] })}\n\n`,
      )
    chunk({ delta, finish_reason: null })
    chunk({ delta: {}, finish_reason: call ? 'tool_calls' : 'stop' })
    response.write('data: [DONE]\n\n')
  })
}

/** A model that speaks the API of Gemini. */
export function geminiModel(script: readonly Turn[]): Promise<ScriptedModel> {
  return scripted(script, 'run_shell_command', ({ response, turn }) => {
    const part =
      'command' in turn
        ? {
            functionCall: {
              name: 'run_shell_command',
              args: { command: turn.command, description: 'a step' },
            },
          }
        : { text: 'says' in turn ? turn.says : '' }
    const candidates = [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }]
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
    response.write(`data: ${JSON.stringify({ candidates, usageMetadata })}\n\n`)
  })
}

interface Asked {
  readonly response: ServerResponse
  readonly send: Send
  readonly body: Body
  readonly turn: Turn
  readonly number: number
}

async function scripted(
  script: readonly Turn[],
  main: string | undefined,
  answer: (asked: Asked) => void,
): Promise<ScriptedModel> {
  const requests: string[] = []
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const text = await textOf(request)
    if (!/\/(?:messages|responses|completions)(?:\?|$)|GenerateContent/i.test(request.url ?? '')) {
      response.writeHead(request.url?.includes('count_tokens') ? 200 : 404, {
        'content-type': 'application/json',
      })
      return response.end('{"input_tokens":1}')
    }
    const body = JSON.parse(text) as Body
    const isMain = main === undefined || JSON.stringify(body.tools ?? []).includes(`"name":"${main}"`)
    const turn = (isMain ? script[requests.length] : undefined) ?? { says: 'Done.' }
    if (isMain) requests.push(text)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send: Send = (type, fields) =>
      void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
    answer({ send, response, body, turn, number: requests.length })
    return response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts).toString()
}
