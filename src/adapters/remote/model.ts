import { defined } from '../../block/text.ts'
import type { LanguageModel, ModelAnswer, ModelRequest, ModelUsage } from '../../engine/ports.ts'
import {
  beginLifetime,
  errorIn,
  Failed,
  LANGUAGE_MODEL,
  postJson,
  type RetryOptions,
  type Target,
} from './client.ts'
import { isLoopback } from './loopback.ts'

/** Says which fields a request has besides its words: the schema of the answer, and its limits. */
export interface Way {
  readonly schema: boolean
  readonly limits: boolean
}

/** The ways to ask, the strictest first. Some models take no temperature or another limit, some endpoints no schema. */
const WAYS: readonly Way[] = [
  { schema: true, limits: true },
  { schema: true, limits: false },
  { schema: false, limits: true },
  { schema: false, limits: false },
]

/** Options of every model that is asked over the network. */
export interface RemoteModelOptions extends RetryOptions {
  /** The temperature of sampling; the endpoint's own if it is not given, or the endpoint refuses it. */
  readonly temperature?: number | undefined
  /** The time limit for one attempt with its whole answer, 30,000 ms by default. */
  readonly timeoutMs?: number
  /** The key, which is in no message and is taken out of what a server says. */
  readonly apiKey?: string | undefined
  /** The variable from which the key was read, named in the recovery when the key is wrong. */
  readonly keyVariable?: string | undefined
  /** True if the endpoint takes a schema but does not keep to it; the schema is then given in words. */
  readonly ignoresSchema?: boolean | undefined
}

/** A language model on another machine, or in another program. */
interface RemoteModel extends Pick<LanguageModel, 'model' | 'remote'> {
  /** Asks once in one way; throws `Failed`. */
  readonly ask: (question: ModelRequest, way: Way, signal: AbortSignal) => Promise<ModelAnswer>
}

/**
 * Makes a remote language model. A refused request is made in the next way; the way that worked is remembered
 * until the model is closed. A failure that may pass is tried again.
 */
export function createRemoteModel(
  { model, remote, ask }: RemoteModel,
  options: RemoteModelOptions,
): LanguageModel {
  const lifetime = beginLifetime(LANGUAGE_MODEL, options)
  let known = options.ignoresSchema ? 2 : 0
  const askInWays = async (question: ModelRequest, signal: AbortSignal) => {
    let first: Failed | undefined
    for (const [at, way] of WAYS.entries()) {
      if (at < known) continue
      try {
        const answer = await ask(question, way, signal)
        known = at
        return answer
      } catch (error) {
        if (!(error instanceof Failed && error.isRefusal)) throw error
        // The first refusal is thrown, because it is about the complete request.
        first ??= error
      }
    }
    throw first
  }
  return {
    model,
    remote,
    ask: (question, { signal } = {}) => lifetime.run(signal, (either) => askInWays(question, either)),
    close: lifetime.close,
  }
}

/** Returns system and user words of a request. The schema is given in words where the endpoint is not held to it. */
export function messagesOf({ system, prompt, schema }: ModelRequest, way: Way) {
  const inWords = `Answer with one JSON value and nothing else. It must fit this JSON Schema:\n${JSON.stringify(schema)}`
  return [
    { role: 'system', content: way.schema ? system : `${system}\n\n${inWords}` },
    { role: 'user', content: prompt },
  ] as const
}

/** Returns the token counts of a call, without values that are no count. */
export function usageOf(input: unknown, output: unknown): ModelUsage {
  const countOf = (value: unknown) =>
    Number.isFinite(value) && Number(value) >= 0 ? Number(value) : undefined
  return defined({ inputTokens: countOf(input), outputTokens: countOf(output) })
}

/** The most bytes of an answer. It has some thousand tokens; reasoning beside it may have tens of thousands. */
export const MAX_BYTES = 1_000_000

/** The endpoint and model to ask, besides key, time limit and retries. */
export interface ChatModelOptions extends RemoteModelOptions {
  /** The address that `/chat/completions` is appended to, such as http://localhost:1234/v1. */
  readonly baseUrl: string
  readonly model: string
  readonly fetch?: typeof fetch
}

/** Makes a language model behind an HTTP interface like OpenAI's chat completions (also LM Studio, Ollama, vLLM, llama.cpp). */
export function createChatModel(options: ChatModelOptions): LanguageModel {
  const { model, baseUrl, apiKey, keyVariable, temperature, timeoutMs, fetch } = options
  const host = URL.parse(baseUrl)?.host ?? ''
  const target: Target = { part: LANGUAGE_MODEL, host, model, apiKey, keyVariable }
  const ask: RemoteModel['ask'] = async (question, way, signal) => {
    const { schema, schemaName: name, maxOutputTokens } = question
    const body = {
      model,
      messages: messagesOf(question, way),
      ...(way.limits && { max_tokens: maxOutputTokens, temperature }),
      ...(way.schema && {
        response_format: { type: 'json_schema', json_schema: { name, schema, strict: true } },
      }),
    }
    const limits = { timeoutMs, maxBytes: MAX_BYTES, signal, fetch }
    return answerIn(target, await postJson(target, { baseUrl, path: '/chat/completions', body, ...limits }))
  }
  return createRemoteModel({ model, remote: !isLoopback(baseUrl), ask }, options)
}

/** The fields of a chat completion that are read; nothing of them is checked yet. */
interface Completion {
  readonly choices?: readonly [{ readonly message?: ChatMessage | null; readonly finish_reason?: unknown }?]
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown } | null
}

interface ChatMessage {
  readonly content?: string | readonly { readonly text?: unknown }[] | null
  readonly refusal?: string | null
}

/** Returns the answer in a chat completion: the words of a refusal count as one, since their tokens are to be counted. */
function answerIn(target: Target, body: unknown): ModelAnswer {
  const completion = body as Completion | null | undefined
  const choice = completion?.choices?.[0]
  if (!choice?.message) throw new Failed(target, { did: 'gave no chat completion', said: errorIn(body) })
  const { content, refusal } = choice.message
  const parts = [content].flat().map((part) => Object(part).text ?? part)
  return {
    text: parts.filter((part) => typeof part === 'string').join('') || (refusal ?? ''),
    ...(choice.finish_reason === 'length' ? { truncated: true as const } : {}),
    usage: usageOf(completion?.usage?.prompt_tokens, completion?.usage?.completion_tokens),
  }
}
