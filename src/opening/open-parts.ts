import type { AiSdkEmbeddingModel, AiSdkLanguageModel } from '../adapters/remote/sdk/ai-sdk.ts'
import type { Settings } from '../config/settings.ts'
import { ElfmemError } from '../errors.ts'
import type { Embedder } from '../ports/embedder.ts'
import type { LanguageModel } from '../ports/language-model.ts'
import { callOptions } from './open-language-model.ts'

/** An embedder, or an embedding model object of the AI SDK. */
export type AnyEmbedder = Embedder | AiSdkEmbeddingModel

/** A language model, or a model object of the AI SDK. */
export type AnyLanguageModel = LanguageModel | AiSdkLanguageModel

/** The embedder a caller brought; the adapter for one of the AI SDK is loaded only for it. */
export async function embedderOf(
  { embedder }: { readonly embedder?: AnyEmbedder },
  { embeddings }: Settings,
): Promise<Embedder | undefined> {
  if (embedder === undefined || has(embedder, 'embed')) return embedder as Embedder | undefined
  if (!has(embedder, 'doEmbed')) throw unfit('embedder', "openai.embedding('text-embedding-3-small')")
  const { fromAiSdk } = await import('../adapters/remote/sdk/ai-sdk.ts')
  return fromAiSdk(embedder as AiSdkEmbeddingModel, { maxRetries: embeddings.maxRetries })
}

/** The language model a caller brought, asked with the settings' temperature, time limit and retries. */
export async function languageModelOf(
  { languageModel }: { readonly languageModel?: AnyLanguageModel },
  { llm }: Settings,
): Promise<LanguageModel | undefined> {
  if (languageModel === undefined || has(languageModel, 'ask'))
    return languageModel as LanguageModel | undefined
  if (!has(languageModel, 'doGenerate')) throw unfit('languageModel', "anthropic('claude-haiku-4-5')")
  const { languageModelFromAiSdk } = await import('../adapters/remote/sdk/ai-sdk.ts')
  return languageModelFromAiSdk(languageModel as AiSdkLanguageModel, callOptions(llm))
}

function has(part: unknown, method: string): boolean {
  return typeof (part as Readonly<Record<string, unknown>> | null)?.[method] === 'function'
}

function unfit(option: string, example: string): ElfmemError {
  return new ElfmemError(
    'CONFIG_INVALID',
    `The option ${option} is neither elfmem's nor a model of the AI SDK.`,
    {
      recovery: `Pass a model object, such as ${example}, not its name.`,
      details: { option },
    },
  )
}
