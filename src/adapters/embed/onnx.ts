import type { Embedder, EmbedOptions } from '../../engine/ports.ts'
import { ElfmemError } from '../../errors.ts'
import { dot, normalise } from '../../index/columns.ts'
import { readVocabulary } from './minilm/model-files.ts'
import { CLASSIFY_ID, createTokenizer, cutWindows, SEPARATOR_ID, type Tokenizer } from './minilm/wordpiece.ts'

/** Tokens of a window besides the special first and last, as in the built-in model. */
const WINDOW_TOKENS = 254
/** Windows in one run: what an abort waits for. */
const RUN_WINDOWS = 8

interface Tensor {
  readonly data: ArrayLike<number>
  readonly dims: readonly number[]
}

/** The part of the package onnxruntime-node that is used. */
export interface OnnxRuntime {
  readonly InferenceSession: {
    create(path: string, options: Readonly<Record<string, unknown>>): Promise<OnnxSession>
  }
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => unknown
}

interface OnnxSession {
  readonly inputNames: readonly string[]
  readonly outputNames: readonly string[]
  run(feeds: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, Tensor | undefined>>>
  release?(): Promise<void>
}

/** The model file of an ONNX embedder, and how it is loaded and run. */
export interface OnnxOptions {
  /** The `.onnx` file of a BERT with the uncased English vocabulary, such as all-MiniLM-L6-v2. */
  readonly modelPath: string
  /** The name the memory remembers the vectors by. */
  readonly model: string
  /** Threads of one run, 1 by default. */
  readonly threads?: number
  /** Loads the runtime; the installed package unless given. */
  readonly load?: () => Promise<OnnxRuntime>
}

interface Loaded {
  readonly runtime: OnnxRuntime
  readonly session: OnnxSession
  readonly tokenize: Tokenizer
}

interface Window {
  readonly text: number
  readonly ids: readonly number[]
}

/**
 * A model file of the user's on the native runtime, if that is installed: mean of the last hidden states, windows of
 * long texts averaged by their tokens, as in the built-in embedder. Runs beside the event loop. Fails with
 * EMBEDDER_FAILED when package or model are missing or unfit, CANCELLED and CLOSED.
 */
export function createOnnxEmbedder(options: OnnxOptions): Embedder {
  let loading: Promise<Loaded> | undefined
  let dimensions: number | undefined
  let closed = false
  const ready = () => {
    loading ??= load(options)
    return loading
  }
  return {
    model: options.model,
    get dimensions() {
      return dimensions
    },
    async embed(texts, { signal, progress }: EmbedOptions = {}) {
      if (texts.length === 0) return []
      const loaded = await ready()
      const windows = texts.flatMap((text, i): Window[] =>
        cutWindows(loaded.tokenize(text), WINDOW_TOKENS).map((ids) => ({ text: i, ids })),
      )
      const sums: Float32Array[] = []
      for (let start = 0; start < windows.length; start += RUN_WINDOWS) {
        if (closed) throw ended('CLOSED', 'The embedder is closed.', 'Create a new embedder.')
        if (signal?.aborted)
          throw ended('CANCELLED', 'Embedding was cancelled.', 'Call again without aborting the signal.')
        const some = windows.slice(start, start + RUN_WINDOWS)
        const means = await run(loaded, some)
        for (const [i, { text, ids }] of some.entries())
          add(sums, text, means[i] as Float32Array, Math.max(1, ids.length))
        progress?.(windows[start + RUN_WINDOWS]?.text ?? texts.length)
      }
      dimensions ??= sums[0]?.length
      return sums.map(unit)
    },
    warm: () => void ready().catch(() => undefined),
    async close() {
      closed = true
      if (loading) await loading.then(({ session }) => session.release?.()).catch(() => undefined)
    },
  }
}

async function load({ modelPath, threads = 1, load: given = loadPackage }: OnnxOptions): Promise<Loaded> {
  const runtime = await given()
  try {
    const session = await runtime.InferenceSession.create(modelPath, {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
    })
    return { runtime, session, tokenize: createTokenizer(readVocabulary()) }
  } catch (cause) {
    throw new ElfmemError('EMBEDDER_FAILED', `The model ${modelPath} cannot be loaded.`, {
      recovery: 'Check that embeddings.model_path names an ONNX file that onnxruntime-node can read.',
      details: { modelPath },
      cause,
    })
  }
}

async function loadPackage(): Promise<OnnxRuntime> {
  // A variable, because the package is there only for those who want it.
  const name = 'onnxruntime-node'
  try {
    const module = (await import(name)) as OnnxRuntime & { readonly default?: OnnxRuntime }
    return module.default ?? module
  } catch (cause) {
    throw new ElfmemError(
      'EMBEDDER_FAILED',
      'The package onnxruntime-node is not installed or does not load.',
      {
        recovery:
          'Run "npm install onnxruntime-node", or set embeddings.provider to local, which needs no package.',
        cause,
      },
    )
  }
}

/** The mean hidden state of each window over its tokens, the special two included. */
async function run({ runtime, session }: Loaded, windows: readonly Window[]): Promise<Float32Array[]> {
  const length = Math.max(...windows.map(({ ids }) => ids.length)) + 2
  const dims = [windows.length, length]
  const [ids, mask, types] = [0, 1, 2].map(() => new BigInt64Array(windows.length * length)) as [
    BigInt64Array,
    BigInt64Array,
    BigInt64Array,
  ]
  windows.forEach((window, i) => {
    const tokens = [CLASSIFY_ID, ...window.ids, SEPARATOR_ID]
    tokens.forEach((id, j) => {
      ids[i * length + j] = BigInt(id)
      mask[i * length + j] = 1n
    })
  })
  const inputs: Readonly<Record<string, BigInt64Array>> = {
    input_ids: ids,
    attention_mask: mask,
    token_type_ids: types,
  }
  const feeds = Object.fromEntries(
    session.inputNames.map((name) => [name, new runtime.Tensor('int64', inputs[name] ?? types, dims)]),
  )
  const output = await runSession(session, feeds)
  const hidden = output[session.outputNames[0] ?? '']
  const width = hidden?.dims[2]
  if (hidden === undefined || width === undefined || hidden.dims[1] !== length)
    throw unfit('its first output is no hidden state for each token')
  return windows.map((window, i) =>
    meanOf(hidden.data, { at: i * length, tokens: window.ids.length + 2, width }),
  )
}

async function runSession(session: OnnxSession, feeds: Readonly<Record<string, unknown>>) {
  try {
    return await session.run(feeds)
  } catch (cause) {
    throw unfit(cause instanceof Error ? cause.message : String(cause), cause)
  }
}

function meanOf(
  data: ArrayLike<number>,
  { at, tokens, width }: { readonly at: number; readonly tokens: number; readonly width: number },
): Float32Array {
  const mean = new Float32Array(width)
  for (let token = 0; token < tokens; token++)
    for (let i = 0; i < width; i++) mean[i] = (mean[i] ?? 0) + (data[(at + token) * width + i] ?? 0) / tokens
  return mean
}

/** Windows of one text count by their tokens, each as a unit vector. */
function add(sums: Float32Array[], text: number, mean: Float32Array, weight: number): void {
  const scaled = unit(mean).map((value) => value * weight)
  const sum = sums[text]
  if (sum === undefined) sums[text] = scaled
  else sums[text] = sum.map((value, i) => value + (scaled[i] ?? 0))
}

function unit(vector: Float32Array): Float32Array {
  const square = dot(vector, vector)
  if (!Number.isFinite(square) || square === 0) throw unfit('it gave a vector that is zero or not finite')
  return normalise(vector)
}

function unfit(reason: string, cause?: unknown): ElfmemError {
  return new ElfmemError('EMBEDDER_FAILED', `The ONNX model is not usable: ${reason}.`, {
    recovery: 'Use a BERT sentence model with the uncased English vocabulary, such as all-MiniLM-L6-v2.',
    cause,
  })
}

function ended(code: 'CLOSED' | 'CANCELLED', message: string, recovery: string): ElfmemError {
  return new ElfmemError(code, message, { recovery })
}
