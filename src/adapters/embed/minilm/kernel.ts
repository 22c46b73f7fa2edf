import { readFileSync } from 'node:fs'
import { ElfmemError, ownFile } from '../../../errors.ts'
import { checkWeights, readWeightsInto } from './model-files.ts'
import { CLASSIFY_ID, SEPARATOR_ID } from './wordpiece.ts'

/** Components of a vector. */
export const DIMENSIONS = 384

/** Tokens a window may have besides the special first and last. */
export const WINDOW_TOKENS = 254

/** The two builds of the kernel compute the same bits; `relaxed` is faster where the processor has 8-bit dot products. */
export type KernelBuild = 'relaxed' | 'simd'

/** The forward pass of the model over windows of tokens. */
export interface Kernel {
  readonly build: KernelBuild
  /** Unit vectors, one after another; all windows with their two special tokens fit into `tokens`. */
  embed(windows: readonly (readonly number[])[]): Float32Array
  /** The number of tokens that one pass takes, and the number of windows. */
  readonly tokens: number
  readonly windows: number
}

interface KernelExports {
  init(weights: number, scratch: number): number
  probe(): number
  embed(count: number): void
  idsPtr(): number
  startsPtr(): number
  vectorsPtr(): number
  maxTokens(): number
  maxTexts(): number
}

const PAGE_BYTES = 65_536
/** The kernel keeps its constants below this address. */
const WEIGHTS_AT = 2048
/** Result of probe() where the relaxed dot product loses bits. */
const SATURATES = 2

/** Starts the wanted or the fastest build that computes exactly here and reads the weights; about 30 ms. */
export function loadKernel(wanted?: KernelBuild): Kernel {
  const builds: readonly KernelBuild[] = wanted === undefined ? ['relaxed', 'simd'] : [wanted]
  for (const build of builds) {
    const url = new URL(`../../../../kernel/minilm.${build}.wasm`, import.meta.url)
    const bytes = ownFile(`minilm.${build}.wasm`, () => readFileSync(url))
    const kernel = startKernel(bytes, build)
    if (kernel !== undefined) return kernel
  }
  throw new ElfmemError(
    'EMBEDDER_FAILED',
    `No build of the embedding kernel runs here (${builds.join(', ')}).`,
    { recovery: 'Use a Node and a processor with WebAssembly SIMD, or configure an HTTP embedder.' },
  )
}

/** Undefined when the engine does not know the instructions or the processor computes them otherwise. */
function startKernel(bytes: Uint8Array, build: KernelBuild): Kernel | undefined {
  if (!WebAssembly.validate(bytes)) return undefined
  const size = checkWeights()
  const scratch = WEIGHTS_AT + Math.ceil(size / 64) * 64
  const memory = new WebAssembly.Memory({ initial: Math.ceil(scratch / PAGE_BYTES) })
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } })
  const exports = instance.exports as unknown as KernelExports
  const end = exports.init(WEIGHTS_AT, scratch)
  memory.grow(Math.ceil((end - memory.buffer.byteLength) / PAGE_BYTES))
  if (exports.probe() === SATURATES) return undefined
  const fetchWords = readWeightsInto(new Uint8Array(memory.buffer, WEIGHTS_AT, size))
  fetchWords([CLASSIFY_ID, SEPARATOR_ID])
  return { build, ...connect(exports, memory, fetchWords) }
}

function connect(
  exports: KernelExports,
  memory: WebAssembly.Memory,
  fetchWords: (words: readonly number[]) => void,
): Omit<Kernel, 'build'> {
  const tokens = exports.maxTokens()
  const windows = exports.maxTexts()
  const ids = new Int32Array(memory.buffer, exports.idsPtr(), tokens)
  const starts = new Int32Array(memory.buffer, exports.startsPtr(), windows + 1)
  const vectors = new Float32Array(memory.buffer, exports.vectorsPtr(), windows * DIMENSIONS)

  function embed(batch: readonly (readonly number[])[]): Float32Array {
    let used = 0
    batch.forEach((window, i) => {
      fetchWords(window)
      starts[i] = used
      ids[used] = CLASSIFY_ID
      ids.set(window, used + 1)
      ids[used + window.length + 1] = SEPARATOR_ID
      used += window.length + 2
    })
    starts[batch.length] = used
    exports.embed(batch.length)
    return vectors.slice(0, batch.length * DIMENSIONS)
  }
  return { embed, tokens, windows }
}
