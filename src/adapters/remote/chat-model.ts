import type { LanguageModel, ModelRequest } from '../../engine/ports.ts'
import { readCompletion } from './chat-answer.ts'
import {
  type Asked,
  createRemoteModel,
  type Dialect,
  messagesOf,
  type RemoteModelOptions,
} from './dialect.ts'
import { LANGUAGE_MODEL, type Target } from './failure.ts'
import { isLoopback } from './loopback.ts'
import { serverMessage } from './server-words.ts'
import { endpoint, postJson } from './transport.ts'

/** An answer has some thousand tokens; reasoning beside it may have tens of thousands. */
const MAX_BYTES = 1_000_000

/** The endpoint and model to ask, besides key, time limit and retries. */
export interface ChatModelOptions extends RemoteModelOptions {
  /** The address that `/chat/completions` is appended to, such as http://localhost:1234/v1. */
  readonly baseUrl: string
  readonly model: string
  /** The most bytes of an answer, 1 MB by default; a longer one is broken off. */
  readonly maxBytes?: number
  readonly fetch?: typeof fetch
}

/**
 * A language model behind an HTTP interface like OpenAI's chat completions (also LM Studio, Ollama, vLLM, llama.cpp).
 *
 * It asks for the schema strictly, then for any JSON, then in words, as far as the endpoint understands it, and drops a
 * temperature or renames a limit that the endpoint refuses; what worked is remembered until it is closed.
 */
export function createChatModel(options: ChatModelOptions): LanguageModel {
  const { model, baseUrl, apiKey, keyVariable } = options
  const target: Target = {
    part: LANGUAGE_MODEL,
    host: URL.parse(baseUrl)?.host ?? '',
    model,
    apiKey,
    keyVariable,
  }
  const ask = async (question: ModelRequest, dialect: Dialect, signal: AbortSignal): Promise<Asked> => {
    const address = endpoint(target, baseUrl, '/chat/completions')
    if (!address.ok) return address
    const posted = await postJson({
      target,
      address: address.answer,
      body: bodyOf(options, question, dialect),
      timeoutMs: options.timeoutMs,
      maxBytes: options.maxBytes ?? MAX_BYTES,
      signal,
      fetch: options.fetch,
    })
    if (posted.ok) return readCompletion(target, posted.answer)
    const { refusal, ...failure } = posted
    const { status } = posted.error.details
    return status === 400 || status === 422 ? { ...failure, refusal: serverMessage(refusal ?? '') } : failure
  }
  return createRemoteModel({ model, remote: !isLoopback(baseUrl), limit: 'max_tokens', ask }, options)
}

function bodyOf({ model, temperature }: ChatModelOptions, question: ModelRequest, dialect: Dialect) {
  const { schema, schemaName: name, maxOutputTokens } = question
  return {
    model,
    messages: messagesOf(question, dialect.format),
    ...(dialect.limit === undefined ? {} : { [dialect.limit]: maxOutputTokens }),
    ...(dialect.temperature && temperature !== undefined ? { temperature } : {}),
    ...(dialect.format === 'json_schema'
      ? { response_format: { type: 'json_schema', json_schema: { name, schema, strict: true } } }
      : dialect.format === 'json_object'
        ? { response_format: { type: 'json_object' } }
        : {}),
  }
}
