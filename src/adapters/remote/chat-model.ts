import { isLoopback } from '../../domain/safety/loopback.ts'
import type { LanguageModel, ModelAnswer, ModelRequest } from '../../ports/language-model.ts'
import { readCompletion } from './chat-answer.ts'
import { type Asked, createKnownDialect, type Dialect, messagesOf, negotiate } from './dialect.ts'
import { LANGUAGE_MODEL, type Target } from './failure.ts'
import { beginLifetime, type RetryOptions, withRetries } from './retries.ts'
import { serverMessage } from './server-words.ts'
import { endpoint, postJson } from './transport.ts'

const TIMEOUT_MS = 30_000
/** An answer has some thousand tokens; reasoning beside it may have tens of thousands. */
const MAX_BYTES = 1_000_000

export interface ChatModelOptions extends RetryOptions {
  /** The address that `/chat/completions` is appended to, such as http://localhost:1234/v1. */
  readonly baseUrl: string
  readonly model: string
  /** Sent as a bearer token; never part of a message. */
  readonly apiKey?: string | undefined
  /** Where the key was read from, for what to do when it is wrong. */
  readonly keyVariable?: string | undefined
  /** Left to the endpoint when it is not given, or the endpoint refuses it. */
  readonly temperature?: number | undefined
  /** For one attempt with its whole answer, 30,000 ms by default. */
  readonly timeoutMs?: number
  /** Of an answer at most, 1 MB by default; a longer one is broken off. */
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
  const known = createKnownDialect()
  const lifetime = beginLifetime('Asking the language model', 'language model')
  const target: Target = {
    part: LANGUAGE_MODEL,
    host: URL.parse(baseUrl)?.host ?? '',
    model,
    apiKey,
    keyVariable,
  }
  return {
    model,
    remote: !isLoopback(baseUrl),
    ask: (question, { signal } = {}) =>
      lifetime.run(signal, (either) =>
        withRetries(
          () =>
            negotiate(known, question.schemaName, (dialect) =>
              post({ options, target, question }, dialect, either),
            ),
          options,
          either,
        ),
      ),
    close: async () => lifetime.close(),
  }
}

interface Asking {
  readonly options: ChatModelOptions
  readonly target: Target
  readonly question: ModelRequest
}

async function post(
  { options, target, question }: Asking,
  dialect: Dialect,
  signal: AbortSignal,
): Promise<Asked<ModelAnswer>> {
  const address = endpoint(target, options.baseUrl, '/chat/completions')
  if (!address.ok) return address
  const posted = await postJson({
    target,
    address: address.answer,
    body: bodyOf(options, question, dialect),
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    maxBytes: options.maxBytes ?? MAX_BYTES,
    signal,
    fetch: options.fetch,
  })
  if (posted.ok) return readCompletion(target, posted.answer)
  const { refusal, ...failure } = posted
  const { status } = posted.error.details
  return status === 400 || status === 422 ? { ...failure, refusal: serverMessage(refusal ?? '') } : failure
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
