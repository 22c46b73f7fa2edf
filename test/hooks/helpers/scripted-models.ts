import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
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

function toolOf(turn: Exclude<Turn, { readonly says: string }>) {
  if ('tool' in turn) return { name: turn.tool, input: turn.input }
  return 'command' in turn
    ? { name: 'Bash', input: { command: turn.command, description: 'a step' } }
    : { name: 'Write', input: { file_path: turn.writes, content: turn.content } }
}

/** The events of one answer in the Messages API. */
function eventsOf(turn: Turn, number: number, model: string): readonly (readonly [string, object])[] {
  const message = { id: `msg_${number}`, type: 'message', role: 'assistant', model, content: [] }
  const usage = { input_tokens: 1, output_tokens: 1 }
  const tool = 'says' in turn ? undefined : toolOf(turn)
  const block = tool
    ? { type: 'tool_use', id: `toolu_${number}`, name: tool.name, input: {} }
    : { type: 'text', text: '' }
  const delta = tool
    ? { type: 'input_json_delta', partial_json: JSON.stringify(tool.input) }
    : { type: 'text_delta', text: 'says' in turn ? turn.says : '' }
  const stopped = { stop_reason: tool ? 'tool_use' : 'end_turn' }
  return [
    ['message_start', { message: { ...message, stop_reason: null, usage } }],
    ['content_block_start', { index: 0, content_block: block }],
    ['content_block_delta', { index: 0, delta }],
    ['content_block_stop', { index: 0 }],
    ['message_delta', { delta: stopped, usage: { output_tokens: 1 } }],
    ['message_stop', {}],
  ]
}

/** A model that speaks the Messages API; what has no shell is no main conversation, and gets a word. */
export async function messagesModel(script: readonly Turn[]): Promise<ScriptedModel> {
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    const asked = await text(request)
    if (!/\/messages(?:\?|$)/.test(request.url ?? '')) {
      const code = request.url?.includes('count_tokens') ? 200 : 404
      response.writeHead(code, { 'content-type': 'application/json' })
      return response.end('{"input_tokens":1}')
    }
    const { tools = [], model } = JSON.parse(asked) as { tools?: object[]; model: string }
    const isMain = JSON.stringify(tools).includes('"name":"Bash"')
    const turn = (isMain ? script[requests.length] : undefined) ?? { says: 'Done.' }
    if (isMain) requests.push(asked)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const [type, fields] of eventsOf(turn, requests.length, model))
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
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
