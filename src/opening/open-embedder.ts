import { basename, resolve } from 'node:path'
import { lateEmbedder, MINILM_SCRIPTS } from '../adapters/embed/embedder-wrappers.ts'
import type { WithheldKeys } from '../adapters/project/trust/key-sources.ts'
import type { Settings } from '../config/settings.ts'
import { isLoopback } from '../domain/safety/loopback.ts'
import { ElfmemError } from '../errors.ts'
import type { Embedder } from '../ports/embedder.ts'

/** The embedder the settings ask for. Its code and its model are loaded by the first text, or by `warm`. */
export function openEmbedder(
  settings: Settings['embeddings'],
  env: Readonly<Record<string, string | undefined>>,
  withheld: WithheldKeys = {},
): Embedder {
  switch (settings.provider) {
    case 'local':
      return lateEmbedder(
        { model: 'all-MiniLM-L6-v2-int8', dimensions: 384, scripts: MINILM_SCRIPTS },
        async () => {
          const { createMiniLmEmbedder } = await import('../adapters/embed/minilm/minilm.ts')
          return createMiniLmEmbedder({ workers: settings.workers })
        },
      )
    case 'hashing': {
      const dimensions = settings.dimensions ?? 384
      return lateEmbedder({ model: `hashing-${dimensions}`, dimensions }, async () => {
        const { createHashingEmbedder } = await import('../adapters/embed/hashing.ts')
        return createHashingEmbedder({ dimensions })
      })
    }
    case 'http':
      return openHttpEmbedder(settings, withheld.embeddings === undefined ? env : {})
    case 'onnx':
      return openOnnxEmbedder(settings)
  }
}

function openOnnxEmbedder({ modelPath, model, dimensions, workers }: Settings['embeddings']): Embedder {
  if (modelPath === undefined)
    throw new ElfmemError('CONFIG_INVALID', 'embeddings.provider is onnx, but model_path is missing.', {
      recovery: 'Set embeddings.model_path to an ONNX file, or provider: local, which needs none.',
    })
  const name = model ?? basename(modelPath)
  return lateEmbedder({ model: name, dimensions }, async () => {
    const { createOnnxEmbedder } = await import('../adapters/embed/onnx.ts')
    return createOnnxEmbedder({ modelPath: resolve(modelPath), model: name, threads: workers })
  })
}

/** Times that a request is sent again, with growing pauses, for failures that may pass. */
export const EMBEDDING_RETRIES = 3

function openHttpEmbedder(
  settings: Settings['embeddings'],
  env: Readonly<Record<string, string | undefined>>,
): Embedder {
  const { baseUrl, model, dimensions, apiKeyEnv, timeoutSeconds } = settings
  if (baseUrl === undefined || model === undefined)
    throw new ElfmemError(
      'CONFIG_INVALID',
      'embeddings.provider is http, but base_url or model is missing.',
      {
        recovery: 'Set embeddings.base_url and embeddings.model, or provider: local, which needs neither.',
      },
    )
  const apiKey = apiKeyEnv === undefined ? undefined : env[apiKeyEnv]
  return lateEmbedder({ model, dimensions, remote: !isLoopback(baseUrl) }, async () => {
    const { createHttpEmbedder } = await import('../adapters/remote/http-embedder.ts')
    return createHttpEmbedder({
      baseUrl,
      model,
      timeoutMs: timeoutSeconds * 1000,
      maxRetries: EMBEDDING_RETRIES,
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(dimensions === undefined ? {} : { dimensions }),
    })
  })
}
