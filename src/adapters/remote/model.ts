import { defined } from '../../block/text.ts'
import type { LanguageModel, ModelAnswer, ModelRequest, ModelUsage } from '../../engine/ports.ts'
import { attempt } from '../../errors.ts'
import {
  errorIn,
  excerptOf,
  Failed,
  isPassing,
  kindOfStatus,
  LANGUAGE_MODEL,
  type Target,
} from './failure.ts'
import { isLoopback } from './loopback.ts'
import { beginLifetime, postJson, type RetryOptions } from './request.ts'

/** The ways to hold an answer to its schema, the strictest first. */
const FORMATS = ['json_schema', 'json_object', 'text'] as const

/** The parts of a request that an endpoint understands. */
export interface Dialect {
  readonly format: (typeof FORMATS)[number]
  /** The name of the limit of the answer; undefined: none is understood. */
  readonly limit: 'max_tokens' | 'max_completion_tokens' | undefined
  readonly temperature: boolean
}

const NOT_TAKEN =
  /unsupported|not support|n.t support|unknown|unrecogni[sz]ed|unexpected|extra|not permitted|not allowed|instead|deprecated|only the default/i
const OF_FORMAT = /response_?format|json_?schema|json_?object|structured|grammar|schema/i
/** A refusal that no other way of asking lifts. */
const OF_ELSE =
  /context|too (?:long|large|many)|exceed|api.?key|quota|credit|\bmodels?\b[^.]*(?:not (?:found|exist)|n.t exist)/i

/**
 * Returns how to ask again after a refusal with these words; undefined if they are not about how it was asked. Words that
 * name nothing are taken for the format: servers that refuse a field they do not know often say no more.
 */
function nextDialect(dialect: Dialect, said: string): Dialect | undefined {
  const { limit, format } = dialect
  if (limit !== undefined && NOT_TAKEN.test(said) && new RegExp(`\\b${limit}\\b`).test(said))
    return { ...dialect, limit: limit === 'max_tokens' ? 'max_completion_tokens' : undefined }
  if (dialect.temperature && /temperature/i.test(said)) return { ...dialect, temperature: false }
  const weaker = FORMATS[FORMATS.indexOf(format) + 1]
  if (weaker === undefined || (OF_ELSE.test(said) && !OF_FORMAT.test(said))) return undefined
  return { ...dialect, format: weaker }
}

/** Options of every model that is asked over the network. */
export interface RemoteModelOptions extends RetryOptions {
  /** The temperature of sampling; the endpoint's own if it is not given, or the endpoint refuses it. */
  readonly temperature?: number | undefined
  /** The time limit for one attempt with its whole answer, 30,000 ms by default. */
  readonly timeoutMs?: number
  /** Never part of a message, and taken out of what a server says. */
  readonly apiKey?: string | undefined
  /** The variable from which the key was read, named in the recovery when the key is wrong. */
  readonly keyVariable?: string | undefined
}

/** A language model on another machine, or in another program. */
interface RemoteModel extends Pick<LanguageModel, 'model' | 'remote'> {
  /** Asks once in one way; throws `Failed`, with a `refusal` if the request was refused as a whole. */
  readonly ask: (question: ModelRequest, dialect: Dialect, signal: AbortSignal) => Promise<ModelAnswer>
}

/**
 * A language model somewhere else. It is asked for the schema strictly, then for any JSON, then in words, as far as the
 * endpoint understands it, and a refused temperature or limit is left out. The way that worked is remembered for each
 * schema until the model is closed. A failure that may pass is tried again.
 */
export function createRemoteModel({ model, remote, ask }: RemoteModel, retries: RetryOptions): LanguageModel {
  const lifetime = beginLifetime('Asking the language model', 'language model', retries)
  const understood = new Map<string, Dialect>()
  const negotiate = async (question: ModelRequest, signal: AbortSignal) => {
    const { schemaName } = question
    let dialect = understood.get(schemaName) ?? {
      format: 'json_schema',
      limit: 'max_tokens',
      temperature: true,
    }
    let first: Failed | undefined
    for (;;) {
      try {
        const answer = await ask(question, dialect, signal)
        understood.set(schemaName, dialect)
        return answer
      } catch (error) {
        if (!(error instanceof Failed) || error.refusal === undefined) throw error
        // The words of the first refusal are about the question as it was meant.
        first ??= error
        const next = nextDialect(dialect, error.refusal)
        if (next === undefined) throw first
        dialect = next
      }
    }
  }
  return {
    model,
    remote,
    ask: (question, { signal } = {}) => lifetime.run(signal, (either) => negotiate(question, either)),
    close: lifetime.close,
  }
}

/** Returns system and user words of a request. The schema is given in words where the endpoint is not held to it. */
export function messagesOf({ system, prompt, schema }: ModelRequest, { format }: Dialect) {
  const inWords = `Answer with one JSON value and nothing else. It must fit this JSON Schema:\n${JSON.stringify(schema)}`
  return [
    { role: 'system', content: format === 'json_schema' ? system : `${system}\n\n${inWords}` },
    { role: 'user', content: prompt },
  ] as const
}

/** Returns the token counts of a call, without values that are no count. */
export function usageOf(input: unknown, output: unknown): ModelUsage {
  const countOf = (value: unknown) =>
    typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
  return defined({ inputTokens: countOf(input), outputTokens: countOf(output) })
}

/** An answer has some thousand tokens; reasoning beside it may have tens of thousands. */
export const MAX_BYTES = 1_000_000

/** The endpoint and model to ask, besides key, time limit and retries. */
export interface ChatModelOptions extends RemoteModelOptions {
  /** The address that `/chat/completions` is appended to, such as http://localhost:1234/v1. */
  readonly baseUrl: string
  readonly model: string
  readonly fetch?: typeof fetch
}

/** A language model behind an HTTP interface like OpenAI's chat completions (also LM Studio, Ollama, vLLM, llama.cpp). */
export function createChatModel(options: ChatModelOptions): LanguageModel {
  const { model, baseUrl, apiKey, keyVariable, temperature, timeoutMs, fetch } = options
  const host = URL.parse(baseUrl)?.host ?? ''
  const target: Target = { part: LANGUAGE_MODEL, host, model, apiKey, keyVariable }
  const ask: RemoteModel['ask'] = async (question, dialect, signal) => {
    const { schema, schemaName: name, maxOutputTokens } = question
    const { format, limit } = dialect
    const body = {
      model,
      messages: messagesOf(question, dialect),
      ...(limit === undefined ? {} : { [limit]: maxOutputTokens }),
      ...(dialect.temperature && temperature !== undefined ? { temperature } : {}),
      ...(format === 'json_schema'
        ? { response_format: { type: format, json_schema: { name, schema, strict: true } } }
        : format === 'json_object'
          ? { response_format: { type: format } }
          : {}),
    }
    const limits = { timeoutMs, maxBytes: MAX_BYTES, signal, fetch }
    const posted = await postJson(target, { baseUrl, path: '/chat/completions', body, ...limits })
    return readCompletion(target, posted)
  }
  return createRemoteModel({ model, remote: !isLoopback(baseUrl), ask }, options)
}

interface Completion {
  readonly choices?: readonly [
    { readonly message?: ChatMessage | null; readonly finish_reason?: string | null }?,
    ...unknown[],
  ]
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown } | null
  readonly error?: { readonly code?: unknown } | string | null
}

interface ChatMessage {
  readonly content?: string | readonly { readonly text?: unknown }[] | null
  readonly refusal?: string | null
}

/**
 * The answer in the body of a success. A refusal is answered with its words, an empty message with none: both cost
 * tokens that are to be counted. Some servers put an error into a success; it counts as one.
 */
function readCompletion(
  target: Target,
  { text, isJson }: { readonly text: string; readonly isJson: boolean },
): ModelAnswer {
  const completion = attempt(() => JSON.parse(text) as Completion | null)
  const choice = completion?.choices?.[0]
  if (!choice?.message) throw withoutChoice(target, completion, isJson)
  const { content, refusal } = choice.message
  const words = Array.isArray(content)
    ? content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('')
    : content
  return {
    text: typeof words === 'string' && words !== '' ? words : (refusal ?? ''),
    ...(choice.finish_reason === 'length' ? { truncated: true as const } : {}),
    usage: usageOf(completion?.usage?.prompt_tokens, completion?.usage?.completion_tokens),
  }
}

function withoutChoice(target: Target, completion: Completion | null | undefined, isJson: boolean): Failed {
  const { model, part } = target
  const said = `The ${part.server} ${target.host} answered`
  const words = errorIn(completion)
  if (words === undefined) {
    // JSON that breaks off may come whole the next time; a page of HTML is another service.
    const passing = completion === undefined && isJson
    const what = passing ? 'with JSON that breaks off' : 'with no chat completion'
    return new Failed(target, { kind: 'answer', message: `${said} ${what}.`, passing })
  }
  const { error } = completion ?? {}
  const code = typeof error === 'object' ? Number(error?.code) : Number.NaN
  const status = code >= 400 && code < 600 ? code : undefined
  return new Failed(target, {
    kind: status === undefined ? 'answer' : kindOfStatus(status, words, model),
    message: `${said} with an error${excerptOf(words, target)}.`,
    passing: status !== undefined && isPassing(status),
    status,
  })
}
