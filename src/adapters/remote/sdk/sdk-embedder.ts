import type { Embedder } from '../../../engine/ports.ts'
import { ElfmemError } from '../../../errors.ts'
import { EMBEDDER } from '../failure.ts'
import { BATCH_SIZE, createRemoteEmbedder, type RemoteEmbedding } from '../remote-embedder.ts'
import type { RetryOptions } from '../retries.ts'
import { sdkFailure } from './sdk-failure.ts'

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
  /** Called after each call with the tokens it used, for models that report them. */
  readonly onUsage?: (tokens: number) => void
  /** True if texts leave this machine; true unless you know that they do not. */
  readonly remote?: boolean
}

/**
 * An embedder of any embedding model of the AI SDK, such as `openai.embedding('text-embedding-3-small')`. Needs nothing
 * of the SDK itself. Fails with EMBEDDER_FAILED, CANCELLED and CLOSED like every other embedder; what the SDK calls
 * retryable is tried again.
 */
export function fromAiSdk(model: AiSdkEmbeddingModel, options: AiSdkOptions = {}): Embedder {
  if (typeof model?.doEmbed !== 'function')
    throw new ElfmemError('CONFIG_INVALID', 'This is no embedding model of the AI SDK.', {
      recovery: "Pass a model object, such as openai.embedding('text-embedding-3-small'), not its name.",
    })
  const { onUsage, dimensions, remote = true } = options
  const request: RemoteEmbedding['request'] = async (texts, abortSignal) => {
    try {
      const { embeddings, usage } = await model.doEmbed({ values: [...texts], abortSignal })
      if (usage !== undefined) onUsage?.(usage.tokens)
      const answer = { data: embeddings?.map((embedding) => ({ embedding })) }
      return { ok: true, answer: { answer, tokens: usage?.tokens } }
    } catch (cause) {
      const target = { part: EMBEDDER, host: model.provider, model: model.modelId, apiKey: undefined }
      return { ok: false, ...sdkFailure(target, model.provider, cause) }
    }
  }
  const batchSize = async () =>
    Math.min(options.batchSize ?? BATCH_SIZE, (await model.maxEmbeddingsPerCall) ?? BATCH_SIZE)
  const name = options.model ?? model.modelId
  return createRemoteEmbedder({ model: name, remote, dimensions, batchSize, request }, options)
}
