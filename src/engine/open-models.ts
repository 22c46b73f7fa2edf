import { basename, resolve } from 'node:path'
import { lateEmbedder, MINILM_SCRIPTS } from '../adapters/embed/embedder-wrappers.ts'
import type { WithheldKeys } from '../adapters/project/trust/key-sources.ts'
import { isLoopback } from '../adapters/remote/loopback.ts'
import type { SdkProviderName } from '../adapters/remote/sdk/sdk-provider.ts'
import { defined } from '../block/text.ts'
import { ElfmemError } from '../errors.ts'
import type { KeyVariable } from './engine.ts'
import type { Embedder, LanguageModel } from './ports.ts'
import type { Settings } from './settings.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Times that a request is sent again, with growing pauses, for failures that may pass. */
export const EMBEDDING_RETRIES = 3

/** The embedder the settings ask for. Its code and its model are loaded by the first text, or by `warm`. */
export function openEmbedder(
  { provider, workers, baseUrl, model, modelPath, dimensions, ...http }: Settings['embeddings'],
  env: Environment,
  withheld: WithheldKeys = {},
): Embedder {
  switch (provider) {
    case 'local':
      return lateEmbedder(
        { model: 'all-MiniLM-L6-v2-int8', dimensions: 384, scripts: MINILM_SCRIPTS },
        async () => (await import('../adapters/embed/minilm/minilm.ts')).createMiniLmEmbedder({ workers }),
      )
    case 'hashing': {
      const size = { dimensions: dimensions ?? 384 }
      return lateEmbedder({ model: `hashing-${size.dimensions}`, ...size }, async () =>
        (await import('../adapters/embed/hashing.ts')).createHashingEmbedder(size),
      )
    }
    case 'http': {
      if (baseUrl === undefined || model === undefined)
        throw lacking(
          'embeddings.provider is http, but base_url or model is missing.',
          'Set embeddings.base_url and embeddings.model, or provider: local, which needs neither.',
        )
      const apiKey = http.apiKeyEnv && withheld.embeddings === undefined ? env[http.apiKeyEnv] : undefined
      const options = { baseUrl, model, timeoutMs: http.timeoutSeconds * 1000, maxRetries: EMBEDDING_RETRIES }
      return lateEmbedder({ model, dimensions, remote: !isLoopback(baseUrl) }, async () => {
        const { createHttpEmbedder } = await import('../adapters/remote/http-embedder.ts')
        return createHttpEmbedder({ ...options, ...defined({ apiKey, dimensions }) })
      })
    }
    case 'onnx': {
      if (modelPath === undefined)
        throw lacking(
          'embeddings.provider is onnx, but model_path is missing.',
          'Set embeddings.model_path to an ONNX file, or provider: local, which needs none.',
        )
      const named = { model: model ?? basename(modelPath) }
      return lateEmbedder({ ...named, dimensions }, async () => {
        const { createOnnxEmbedder } = await import('../adapters/embed/onnx.ts')
        return createOnnxEmbedder({ modelPath: resolve(modelPath), ...named, threads: workers })
      })
    }
  }
}

function lacking(message: string, recovery: string): ElfmemError {
  return new ElfmemError('CONFIG_INVALID', message, { recovery })
}

type ModelSettings = Settings['llm']
type Provider = 'http' | 'openai' | SdkProviderName

/** Where a provider's key usually is. An endpoint of one's own has no such place: no key may go to somebody else. */
const KEY_VARIABLES: Readonly<Record<Exclude<Provider, 'http'>, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  openai: 'OPENAI_API_KEY',
  mistral: 'MISTRAL_API_KEY',
  groq: 'GROQ_API_KEY',
  xai: 'XAI_API_KEY',
}

const OPENAI_URL = 'https://api.openai.com/v1'

const PROMPT_VARIABLES = ['{self_context}', '{blocks}']

/** The language model the settings ask for, or none. Its code and its key are looked for by the first question. */
export function openLanguageModel(
  settings: ModelSettings,
  env: Environment,
  withheld: WithheldKeys = {},
): LanguageModel | undefined {
  const { model, baseUrl } = settings
  const provider = model === undefined ? undefined : providerOf(model, settings)
  if (model === undefined || provider === undefined) return undefined
  if (provider === 'http' && baseUrl === undefined)
    throw lacking(
      'llm.provider is http, but base_url is missing.',
      'Set llm.base_url to an OpenAI-compatible endpoint, such as http://localhost:1234/v1.',
    )
  const address = baseUrl ?? (provider === 'openai' ? OPENAI_URL : undefined)
  const identity = { model, remote: address === undefined || !isLoopback(address) }
  return lateLanguageModel(identity, async () => {
    if (withheld.llm !== undefined)
      throw new ElfmemError('MODEL_FAILED', `The language model ${model} is not asked. ${withheld.llm}`, {
        recovery: 'Set llm.base_url and llm.api_key_env in the same file, or both in the environment.',
        details: { passing: false, kind: 'key', model },
      })
    return load(provider, { ...settings, model, baseUrl: address }, env)
  })
}

/** The environment variables in which keys are looked for, and whether they are set; never what they hold. */
export function keyVariables(
  { embeddings, llm }: Pick<Settings, 'embeddings' | 'llm'>,
  env: Environment,
  withheld: WithheldKeys = {},
): KeyVariable[] {
  const provider = llm.model === undefined ? undefined : providerOf(llm.model, llm)
  const found = {
    embeddings: embeddings.provider === 'http' ? embeddings.apiKeyEnv : undefined,
    llm: provider && keyVariableOf(provider, llm),
  }
  return (['embeddings', 'llm'] as const).flatMap((use) => {
    const variable = found[use]
    if (variable === undefined) return []
    return { use, variable, isSet: withheld[use] === undefined && (env[variable] ?? '').trim() !== '' }
  })
}

/** Returns the owner's words for how blocks are judged; throws `CONFIG_INVALID` if a placeholder is missing. */
export function openPrompt({ processBlock }: Settings['prompts']): string | undefined {
  const missing = PROMPT_VARIABLES.filter((variable) => processBlock?.includes(variable) === false)
  if (missing.length === 0) return processBlock
  throw lacking(
    `The prompt in prompts.process_block has no place for ${missing.join(' and ')}.`,
    `Write ${PROMPT_VARIABLES.join(' and ')} where the identity and the numbered texts are to stand.`,
  )
}

/** Who serves a model when the settings leave it to its name; undefined when no model is wanted. */
export function providerOf(
  model: string,
  { provider, baseUrl }: Pick<ModelSettings, 'provider' | 'baseUrl'>,
): Provider | undefined {
  if (provider === 'none') return undefined
  if (provider !== 'auto') return provider
  if (baseUrl !== undefined) return 'http'
  if (/^claude/i.test(model)) return 'anthropic'
  return /^gemini/i.test(model) ? 'google' : 'openai'
}

/** The environment variable that holds the key of a model; undefined for an endpoint that wants none. */
function keyVariableOf(provider: Provider, { apiKeyEnv }: ModelSettings): string | undefined {
  return apiKeyEnv ?? (provider === 'http' ? undefined : KEY_VARIABLES[provider])
}

async function load(
  provider: Provider,
  settings: ModelSettings & { readonly model: string },
  env: Environment,
): Promise<LanguageModel> {
  const { model, baseUrl } = settings
  const keyVariable = keyVariableOf(provider, settings)
  const apiKey = keyVariable === undefined ? undefined : env[keyVariable]?.trim() || undefined
  if (apiKey === undefined && keyVariable !== undefined) {
    const message = `The language model ${model} needs a key, and ${keyVariable} is not set.`
    throw new ElfmemError('MODEL_FAILED', message, {
      recovery: `Set the environment variable ${keyVariable}, or name another one in llm.api_key_env.`,
      details: { passing: false, kind: 'key', model, variable: keyVariable },
    })
  }
  const common = { model, apiKey, keyVariable, ...callOptions(settings) }
  if (provider === 'http' || provider === 'openai') {
    const { createChatModel } = await import('../adapters/remote/chat-model.ts')
    return createChatModel({ ...common, baseUrl: baseUrl ?? OPENAI_URL })
  }
  const { openSdkProvider } = await import('../adapters/remote/sdk/sdk-provider.ts')
  const remote = baseUrl === undefined || !isLoopback(baseUrl)
  return openSdkProvider({ ...common, provider, apiKey: apiKey ?? '', baseUrl, remote })
}

/** How any model is called, whoever brings it. */
export function callOptions({ timeoutSeconds, maxRetries }: ModelSettings) {
  // The same text deserves the same judgement.
  return { temperature: 0, timeoutMs: timeoutSeconds * 1000, maxRetries }
}

function lateLanguageModel(
  identity: Pick<LanguageModel, 'model' | 'remote'>,
  load: () => Promise<LanguageModel>,
): LanguageModel {
  let loading: Promise<LanguageModel> | undefined
  let closed = false
  return {
    ...identity,
    async ask(request, options) {
      if (closed)
        throw new ElfmemError('CLOSED', 'The language model is closed.', {
          recovery: 'Open the memory again.',
        })
      loading ??= load().catch((error) => {
        loading = undefined
        throw error
      })
      return (await loading).ask(request, options)
    },
    async close() {
      closed = true
      const loaded = await loading?.catch(() => undefined)
      await loaded?.close?.()
    },
  }
}
