import { withoutEnd } from '../../block/text.ts'
import type {
  Embedder,
  LanguageModel,
  ModelAnswer,
  ModelFailureKind,
  ModelRequest,
} from '../../engine/ports.ts'
import { ElfmemError } from '../../errors.ts'
import { BATCH_SIZE, createRemoteEmbedder } from './embedder.ts'
import {
  EMBEDDER,
  excerptOf,
  Failed,
  isPassing,
  isTimeout,
  kindOfStatus,
  LANGUAGE_MODEL,
  systemCode,
  type Target,
} from './failure.ts'
import {
  createRemoteModel,
  type Dialect,
  MAX_BYTES,
  messagesOf,
  type RemoteModelOptions,
  usageOf,
} from './model.ts'
import { guardedFetch, isTooLong, type RetryOptions, TIMEOUT_MS } from './request.ts'

/** The part of an AI SDK embedding model that elfmem uses (`EmbeddingModelV2`, `V3` and `V4`). */
export interface AiSdkEmbeddingModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined
  doEmbed(options: { values: string[]; abortSignal?: AbortSignal }): PromiseLike<{
    readonly embeddings: readonly (readonly number[])[]
    readonly usage?: { readonly tokens: number } | undefined
  }>
}

/** The options beside an embedding model of the AI SDK; each may be left out. */
export interface AiSdkOptions extends RetryOptions {
  /** The name the memory remembers the vectors by; the model's own id unless given. */
  readonly model?: string
  /** Components of a vector; if absent, the first answer decides. */
  readonly dimensions?: number
  /** The most texts of one call, 96 by default; the model's own limit (96 if none) if that is lower. */
  readonly batchSize?: number
  /** True if texts leave this machine; true unless you know that they do not. */
  readonly remote?: boolean
}

/**
 * An embedder of any embedding model of the AI SDK, such as `openai.embedding('text-embedding-3-small')`. Needs nothing
 * of the SDK itself. Fails with EMBEDDER_FAILED, CANCELLED and CLOSED like every other embedder; a failure that the SDK
 * calls retryable is tried again.
 */
export function fromAiSdk(sdkModel: AiSdkEmbeddingModel, options: AiSdkOptions = {}): Embedder {
  if (typeof sdkModel?.doEmbed !== 'function')
    throw new ElfmemError('CONFIG_INVALID', 'This is no embedding model of the AI SDK.', {
      recovery: "Pass a model object, such as openai.embedding('text-embedding-3-small'), not its name.",
    })
  const { provider, modelId } = sdkModel
  const { dimensions, remote = true, model = modelId } = options
  const request = async (texts: readonly string[], abortSignal: AbortSignal) => {
    try {
      const { embeddings, usage } = await sdkModel.doEmbed({ values: [...texts], abortSignal })
      const data = embeddings?.map((embedding) => ({ embedding }))
      return { data, usage: { total_tokens: usage?.tokens } }
    } catch (cause) {
      throw sdkFailure({ part: EMBEDDER, host: provider, model: modelId }, cause)
    }
  }
  const batchSize = async () =>
    Math.min(options.batchSize ?? BATCH_SIZE, (await sdkModel.maxEmbeddingsPerCall) ?? BATCH_SIZE)
  return createRemoteEmbedder({ model, remote, dimensions, batchSize, request }, options)
}

/** The part of an AI SDK language model that elfmem uses (`LanguageModelV2`, `V3` and `V4`). */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  doGenerate(options: AiSdkCall): PromiseLike<AiSdkResult>
}

type TextPart = { type: 'text'; text: string }

interface AiSdkCall {
  prompt: ({ role: 'system'; content: string } | { role: 'user' | 'assistant'; content: TextPart[] })[]
  responseFormat?: { type: 'json'; schema?: object; name?: string }
  maxOutputTokens?: number
  temperature?: number
  abortSignal?: AbortSignal
}

interface AiSdkResult {
  readonly content: readonly { readonly type: string; readonly text?: unknown }[]
  /** V4: the part to parse, where it is not all of the text. */
  readonly structuredOutputText?: string
  /** V2 says it in a word; V3 and V4 beside the provider's own. */
  readonly finishReason: string | { readonly unified: string }
  readonly usage: { readonly inputTokens?: Tokens; readonly outputTokens?: Tokens }
}

/** V2 counts once; V3 and V4 count kinds of tokens and their total. */
type Tokens = number | { readonly total?: number | undefined } | undefined

/** The options beside a language model of the AI SDK; each may be left out. */
export interface AiSdkModelOptions extends RemoteModelOptions {
  /** The name of the model in results and in the log; the model's own id by default. */
  readonly model?: string
  /** True if texts leave this machine; true unless you know that they do not. */
  readonly remote?: boolean
}

/**
 * A language model of any model object of the AI SDK, such as `anthropic('claude-haiku-4-5')`. Needs nothing of the SDK
 * itself. A failure that the SDK calls retryable is tried again; a schema or a temperature that the model refuses is left
 * out from then on. Throws CONFIG_INVALID for anything that is no such model, a name among them.
 */
export function languageModelFromAiSdk(
  sdkModel: AiSdkLanguageModel,
  options: AiSdkModelOptions = {},
): LanguageModel {
  if (typeof sdkModel?.doGenerate !== 'function')
    throw new ElfmemError('CONFIG_INVALID', 'This is no language model of the AI SDK.', {
      recovery: "Pass a model object, such as anthropic('claude-haiku-4-5'), not its name.",
    })
  const { apiKey, keyVariable, model = sdkModel.modelId, remote = true } = options
  const target: Target = { part: LANGUAGE_MODEL, host: sdkModel.provider, model, apiKey, keyVariable }
  const ask = async (question: ModelRequest, dialect: Dialect, signal: AbortSignal) => {
    try {
      return answerIn(
        target,
        await generate(sdkModel, callOf(question, dialect, options), { signal, options }),
      )
    } catch (cause) {
      throw cause instanceof Failed ? cause : sdkFailure(target, cause)
    }
  }
  return createRemoteModel({ model, remote, ask }, options)
}

function callOf(question: ModelRequest, dialect: Dialect, { temperature }: AiSdkModelOptions): AiSdkCall {
  const { schema, schemaName: name, maxOutputTokens } = question
  const [system, user] = messagesOf(question, dialect)
  const format = { json_schema: { schema, name }, json_object: {}, text: undefined }[dialect.format]
  return {
    prompt: [system, { role: user.role, content: [{ type: 'text', text: user.content }] }],
    ...(format === undefined ? {} : { responseFormat: { type: 'json', ...format } }),
    maxOutputTokens,
    ...(dialect.temperature && temperature !== undefined ? { temperature } : {}),
  }
}

/** Makes one call within the time limit, even of a model that ignores its signal. */
async function generate(
  sdkModel: AiSdkLanguageModel,
  call: AiSdkCall,
  { signal, options }: { readonly signal: AbortSignal; readonly options: AiSdkModelOptions },
): Promise<AiSdkResult> {
  const limit = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS)
  const abortSignal = AbortSignal.any([signal, limit])
  const ended = Promise.withResolvers<never>()
  abortSignal.addEventListener('abort', () => ended.reject(abortSignal.reason), { once: true })
  ended.promise.catch(() => undefined)
  try {
    return await Promise.race([sdkModel.doGenerate({ ...call, abortSignal }), ended.promise])
  } catch (cause) {
    // Providers wrap what ended them; the limit's own error says more.
    throw limit.aborted && !signal.aborted ? limit.reason : cause
  }
}

function answerIn(target: Target, result: AiSdkResult): ModelAnswer {
  const { content, structuredOutputText, finishReason, usage } = result
  const parts = (content ?? []).filter(({ type, text }) => type === 'text' && typeof text === 'string')
  const text = structuredOutputText ?? parts.map((part) => part.text).join('')
  if (text.length > MAX_BYTES) {
    const message = `The ${target.part.server} ${target.host} gave an answer of more than ${MAX_BYTES} characters.`
    throw new Failed(target, { kind: 'answer', message })
  }
  const reason = typeof finishReason === 'string' ? finishReason : finishReason?.unified
  return {
    text,
    ...(reason === 'length' ? { truncated: true as const } : {}),
    usage: usageOf(total(usage?.inputTokens), total(usage?.outputTokens)),
  }
}

function total(tokens: Tokens): number | undefined {
  return typeof tokens === 'object' ? tokens?.total : tokens
}

/** The fields of the SDK's `APICallError`; other errors have none of them. */
interface CallError {
  readonly name?: string
  readonly message?: string
  readonly statusCode?: number
  readonly isRetryable?: boolean
  readonly responseHeaders?: Readonly<Record<string, string>>
}

/** Returns the failure for an error that a model object of the AI SDK threw. */
function sdkFailure(target: Target, cause: unknown): Failed {
  const { statusCode, isRetryable, responseHeaders, message = String(cause), name }: CallError = Object(cause)
  const { model, host, part } = target
  const status = statusCode !== undefined && statusCode >= 300 ? statusCode : undefined
  const code = systemCode(cause)
  const named: ModelFailureKind | undefined = isTooLong(cause)
    ? 'answer'
    : isTimeout(cause)
      ? 'timeout'
      : NAMED.find(([pattern]) => pattern.test(name ?? ''))?.[1]
  const plain = status === undefined ? undefined : kindOfStatus(status, message, model)
  return new Failed(target, {
    kind: named ?? plain ?? (code === undefined ? 'answer' : 'host'),
    message: `The ${part.name} ${model} of ${host} failed${excerptOf(message, target)}.`,
    passing: (isRetryable ?? (status !== undefined && isPassing(status))) || isTimeout(cause),
    status,
    code,
    retryAfter: responseHeaders?.['retry-after'],
    refusal: status === 400 || status === 422 ? message : undefined,
    cause,
  })
}

/** The errors of the SDK that say by their name what failed. */
const NAMED: readonly (readonly [RegExp, ModelFailureKind])[] = [
  [/LoadAPIKey/, 'key'],
  [/NoSuchModel/, 'model'],
]

/** The providers that need their package of the AI SDK, with the function that makes one. */
const PROVIDERS = {
  anthropic: { package: '@ai-sdk/anthropic', create: 'createAnthropic' },
  google: { package: '@ai-sdk/google', create: 'createGoogleGenerativeAI' },
  mistral: { package: '@ai-sdk/mistral', create: 'createMistral' },
  groq: { package: '@ai-sdk/groq', create: 'createGroq' },
  xai: { package: '@ai-sdk/xai', create: 'createXai' },
} as const

/** A provider whose package is loaded when it is asked for. */
export type SdkProviderName = keyof typeof PROVIDERS

/** The provider, the model's name there and the API key. */
interface SdkProviderOptions extends AiSdkModelOptions {
  readonly provider: SdkProviderName
  readonly model: string
  readonly apiKey: string
  /** The address that is used instead of the provider's own. */
  readonly baseUrl?: string | undefined
}

type CreateProvider = (options: {
  apiKey: string
  baseURL?: string
  fetch: typeof fetch
}) => (model: string) => AiSdkLanguageModel

/**
 * A language model of a provider's AI SDK package. Throws CONFIG_INVALID with the command that installs it when it is
 * missing. Its answers are capped and its redirects are not followed, like those of the chat adapter.
 */
export async function openSdkProvider(options: SdkProviderOptions): Promise<LanguageModel> {
  const { provider, model, apiKey, baseUrl } = options
  const create = await loadCreate(provider)
  const make = create({
    apiKey,
    ...(baseUrl === undefined ? {} : { baseURL: withoutEnd(baseUrl, '/') }),
    fetch: guardedFetch(MAX_BYTES),
  })
  return languageModelFromAiSdk(make(model), options)
}

async function loadCreate(provider: SdkProviderName): Promise<CreateProvider> {
  const { package: name, create } = PROVIDERS[provider]
  try {
    const made = ((await import(name)) as Readonly<Record<string, unknown>>)[create]
    if (typeof made === 'function') return made as CreateProvider
    throw new TypeError(`${name} has no ${create}.`)
  } catch (cause) {
    const message = `The package ${name}, which llm.provider ${provider} needs, is not installed or does not load.`
    throw new ElfmemError('CONFIG_INVALID', message, {
      recovery: `Run "npm install ${name}" where elfmem is installed, or set llm.base_url to an OpenAI-compatible endpoint.`,
      details: { package: name, provider, passing: false },
      cause,
    })
  }
}
