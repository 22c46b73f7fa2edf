import { withoutEnd } from '../../../block/text.ts'
import type { LanguageModel } from '../../../engine/ports.ts'
import { ElfmemError } from '../../../errors.ts'
import { guardedFetch } from '../transport.ts'
import { type AiSdkLanguageModel, type AiSdkModelOptions, languageModelFromAiSdk } from './sdk-model.ts'

/** The providers that need their package of the AI SDK, with the function that makes one. */
const PROVIDERS = {
  anthropic: { package: '@ai-sdk/anthropic', create: 'createAnthropic' },
  google: { package: '@ai-sdk/google', create: 'createGoogleGenerativeAI' },
  mistral: { package: '@ai-sdk/mistral', create: 'createMistral' },
  groq: { package: '@ai-sdk/groq', create: 'createGroq' },
  xai: { package: '@ai-sdk/xai', create: 'createXai' },
} as const

const MAX_BYTES = 1_000_000

/** A provider whose package is loaded when it is asked for. */
export type SdkProviderName = keyof typeof PROVIDERS

/** The provider, the model's name there and the API key. */
export interface SdkProviderOptions extends AiSdkModelOptions {
  readonly provider: SdkProviderName
  readonly model: string
  readonly apiKey: string
  /** The address that is used instead of the provider's own. */
  readonly baseUrl?: string | undefined
  /** Loads a package by its name. */
  readonly load?: (name: string) => Promise<unknown>
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
  const create = await loadCreate(provider, options.load ?? ((name) => import(name)))
  const make = create({
    apiKey,
    ...(baseUrl === undefined ? {} : { baseURL: withoutEnd(baseUrl, '/') }),
    fetch: guardedFetch(MAX_BYTES),
  })
  return languageModelFromAiSdk(make(model), options)
}

async function loadCreate(
  provider: SdkProviderName,
  load: (name: string) => Promise<unknown>,
): Promise<CreateProvider> {
  const { package: name, create } = PROVIDERS[provider]
  try {
    const made = ((await load(name)) as Readonly<Record<string, unknown>>)[create]
    if (typeof made === 'function') return made as CreateProvider
  } catch (cause) {
    throw unusable(provider, 'is not installed or does not load', cause)
  }
  throw unusable(provider, `has no ${create}`)
}

function unusable(provider: SdkProviderName, why: string, cause?: unknown): ElfmemError {
  const name = PROVIDERS[provider].package
  const message = `The package ${name}, which llm.provider ${provider} needs, ${why}.`
  return new ElfmemError('CONFIG_INVALID', message, {
    recovery: `Run "npm install ${name}" where elfmem is installed, or set llm.base_url to an OpenAI-compatible endpoint.`,
    details: { package: name, provider, passing: false },
    cause,
  })
}
