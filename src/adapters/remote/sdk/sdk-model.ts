import type { LanguageModel, ModelAnswer, ModelRequest } from '../../../engine/ports.ts'
import { ElfmemError } from '../../../errors.ts'
import { usageFrom } from '../chat-answer.ts'
import {
  type Asked,
  createRemoteModel,
  type Dialect,
  messagesOf,
  type RemoteModelOptions,
} from '../dialect.ts'
import { LANGUAGE_MODEL, type Target } from '../failure.ts'
import type { Outcome } from '../retries.ts'
import { TIMEOUT_MS, timeLimit, tooLong } from '../transport.ts'
import { sdkFailure, sdkRefusal } from './sdk-failure.ts'

/** The SDK has read it by then; a provider of ours breaks off before. */
const MAX_CHARACTERS = 1_000_000

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
  /** V4: what to parse, where it is not all of the text. */
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
 * itself. What the SDK calls retryable is tried again; a schema or a temperature that the model refuses is left out
 * from then on. Throws CONFIG_INVALID for anything that is no such model, a name among them.
 */
export function languageModelFromAiSdk(
  model: AiSdkLanguageModel,
  options: AiSdkModelOptions = {},
): LanguageModel {
  if (typeof model?.doGenerate !== 'function')
    throw new ElfmemError('CONFIG_INVALID', 'This is no language model of the AI SDK.', {
      recovery: "Pass a model object, such as anthropic('claude-haiku-4-5'), not its name.",
    })
  const { apiKey, keyVariable } = options
  const name = options.model ?? model.modelId
  const target: Target = { part: LANGUAGE_MODEL, host: model.provider, model: name, apiKey, keyVariable }
  const ask = async (question: ModelRequest, dialect: Dialect, signal: AbortSignal): Promise<Asked> => {
    try {
      return read(target, await generate({ model, options, question }, dialect, signal))
    } catch (cause) {
      return { ok: false, ...sdkFailure(target, model.provider, cause), refusal: sdkRefusal(cause) }
    }
  }
  return createRemoteModel({ model: name, remote: options.remote ?? true, limit: undefined, ask }, options)
}

interface Asking {
  readonly model: AiSdkLanguageModel
  readonly options: AiSdkModelOptions
  readonly question: ModelRequest
}

/** Makes one call within the time limit, even of a model that ignores its signal. */
async function generate(
  { model, options, question }: Asking,
  dialect: Dialect,
  signal: AbortSignal,
): Promise<AiSdkResult> {
  const limit = timeLimit(options.timeoutMs ?? TIMEOUT_MS)
  const abortSignal = AbortSignal.any([signal, limit.signal])
  const { schema, schemaName, maxOutputTokens } = question
  const { temperature } = options
  const ended = new Promise<never>((_, reject) => {
    abortSignal.addEventListener('abort', () => reject(abortSignal.reason), { once: true })
  })
  ended.catch(() => undefined)
  try {
    const called = model.doGenerate({
      prompt: promptOf(question, dialect.format),
      ...(dialect.format === 'text'
        ? {}
        : {
            responseFormat:
              dialect.format === 'json_schema'
                ? { type: 'json', schema, name: schemaName }
                : { type: 'json' },
          }),
      maxOutputTokens,
      ...(dialect.temperature && temperature !== undefined ? { temperature } : {}),
      abortSignal,
    })
    return await Promise.race([called, ended])
  } catch (cause) {
    // Providers wrap what ended them; the limit's own error says more.
    throw limit.signal.aborted && !signal.aborted ? limit.signal.reason : cause
  } finally {
    limit.end()
  }
}

function promptOf(question: ModelRequest, format: Dialect['format']): AiSdkCall['prompt'] {
  return messagesOf(question, format).map(({ role, content }) =>
    role === 'system' ? { role, content } : { role, content: [{ type: 'text', text: content }] },
  )
}

function read(target: Target, result: AiSdkResult): Outcome<ModelAnswer> {
  const { content, structuredOutputText, finishReason, usage } = result
  const parts = (content ?? []).map(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? text : '',
  )
  const text = structuredOutputText ?? parts.join('')
  if (text.length > MAX_CHARACTERS) return { ok: false, ...tooLong(target, MAX_CHARACTERS) }
  const reason = typeof finishReason === 'string' ? finishReason : finishReason?.unified
  return {
    ok: true,
    answer: {
      text,
      ...(reason === 'length' ? { truncated: true } : {}),
      usage: usageFrom(total(usage?.inputTokens), total(usage?.outputTokens)),
    },
  }
}

function total(tokens: Tokens): number | undefined {
  return typeof tokens === 'object' ? tokens?.total : tokens
}
