import type { Embedder, LanguageModel, ModelAnswer, ModelRequest } from '../../engine/ports.ts'
import { ElfmemError } from '../../errors.ts'
import {
  EMBEDDER,
  Failed,
  failureFor,
  LANGUAGE_MODEL,
  type RetryOptions,
  type Target,
  TIMEOUT_MS,
} from './client.ts'
import { createRemoteEmbedder } from './embedder.ts'
import {
  createRemoteModel,
  MAX_BYTES,
  messagesOf,
  type RemoteModelOptions,
  usageOf,
  type Way,
} from './model.ts'

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
  /** True if texts leave this machine; true unless you know that they do not. */
  readonly remote?: boolean
}

/**
 * Makes an embedder of an embedding model of the AI SDK, such as `openai.embedding('text-embedding-3-small')`. Needs nothing
 * of the SDK itself. Fails with EMBEDDER_FAILED, CANCELLED and CLOSED like every other embedder; a failure that the SDK
 * calls retryable is tried again.
 */
export function fromAiSdk(sdkModel: AiSdkEmbeddingModel, options: AiSdkOptions = {}): Embedder {
  if (typeof sdkModel?.doEmbed !== 'function') throw noModel('embedding')
  const { provider, modelId } = sdkModel
  const { dimensions, remote = true, model = modelId } = options
  const request = async (texts: readonly string[], abortSignal: AbortSignal) => {
    try {
      const { embeddings, usage } = await sdkModel.doEmbed({ values: [...texts], abortSignal })
      const data = embeddings?.map((embedding) => ({ embedding }))
      return { data, usage: { total_tokens: usage?.tokens } }
    } catch (cause) {
      throw failureFor({ part: EMBEDDER, host: provider, model: modelId }, cause)
    }
  }
  const mostTexts = sdkModel.maxEmbeddingsPerCall
  return createRemoteEmbedder({ model, remote, dimensions, mostTexts, request }, options)
}

function noModel(kind: 'embedding' | 'language'): ElfmemError {
  return new ElfmemError('CONFIG_INVALID', `This is no ${kind} model of the AI SDK.`, {
    recovery: "Pass a model object, such as anthropic('claude-haiku-4-5'), not its name.",
  })
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
  /** The reason is a word in V2; V3 and V4 have it in `unified`, beside the provider's own. */
  readonly finishReason: string | { readonly unified: string }
  readonly usage: { readonly inputTokens?: Tokens; readonly outputTokens?: Tokens }
}

/** A count of tokens: one number in V2; V3 and V4 have kinds of tokens and their total. */
type Tokens = number | { readonly total?: number | undefined } | undefined

/** The options beside a language model of the AI SDK; each may be left out. */
export interface AiSdkModelOptions extends RemoteModelOptions {
  /** The name of the model in results and in the log; the model's own id by default. */
  readonly model?: string
  /** True if texts leave this machine; true unless you know that they do not. */
  readonly remote?: boolean
}

/**
 * Makes a language model of a model object of the AI SDK, such as `anthropic('claude-haiku-4-5')`. Needs nothing of the SDK
 * itself. A failure that the SDK calls retryable is tried again; a schema or a temperature that the model refuses is left
 * out from then on. Throws CONFIG_INVALID for anything else, also for the name of a model.
 */
export function languageModelFromAiSdk(
  sdkModel: AiSdkLanguageModel,
  options: AiSdkModelOptions = {},
): LanguageModel {
  if (typeof sdkModel?.doGenerate !== 'function') throw noModel('language')
  const { apiKey, keyVariable, model = sdkModel.modelId, remote = true, timeoutMs = TIMEOUT_MS } = options
  const target: Target = { part: LANGUAGE_MODEL, host: sdkModel.provider, model, apiKey, keyVariable }
  const ask = async (question: ModelRequest, way: Way, signal: AbortSignal) => {
    const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    // A model may ignore its signal.
    const ended = Promise.withResolvers<never>()
    abortSignal.addEventListener('abort', () => ended.reject(abortSignal.reason), { once: true })
    const call = { ...callOf(question, way, options), abortSignal }
    try {
      return answerIn(target, await Promise.race([sdkModel.doGenerate(call), ended.promise]))
    } catch (error) {
      // Providers wrap the error of an abort; the reason of the signal says more.
      throw error instanceof Failed
        ? error
        : failureFor(target, abortSignal.aborted ? abortSignal.reason : error)
    }
  }
  return createRemoteModel({ model, remote, ask }, options)
}

function callOf(question: ModelRequest, way: Way, { temperature }: AiSdkModelOptions): AiSdkCall {
  const { schema, schemaName: name, maxOutputTokens } = question
  const [system, user] = messagesOf(question, way)
  return {
    prompt: [system, { role: user.role, content: [{ type: 'text', text: user.content }] }],
    ...(way.schema && { responseFormat: { type: 'json', schema, name } }),
    ...(way.limits && { maxOutputTokens, ...(temperature !== undefined && { temperature }) }),
  }
}

function answerIn(target: Target, result: AiSdkResult): ModelAnswer {
  const { content, structuredOutputText, finishReason, usage } = result
  const parts = (content ?? []).filter(({ type, text }) => type === 'text' && typeof text === 'string')
  const text = structuredOutputText ?? parts.map((part) => part.text).join('')
  if (text.length > MAX_BYTES)
    throw new Failed(target, { did: `gave an answer of more than ${MAX_BYTES} characters` })
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
