import { DIMENSIONS, type Kernel, type KernelBuild, loadKernel, WINDOW_TOKENS } from './kernel.ts'
import { readVocabulary } from './model-files.ts'
import { createTokenizer, cutWindows } from './wordpiece.ts'

/** A pass takes windows together up to this many tokens: more gains 2 % and makes a query wait longer. */
const PASS_TOKENS = 128

/** Embeds texts in the thread that calls it, in passes short enough to let something else go first. */
export interface Engine {
  readonly build: KernelBuild
  begin(texts: readonly string[]): EngineTask
}

/** One list of texts on its way. */
export interface EngineTask {
  /** Runs one pass over the kernel; true when it was the last. */
  step(): boolean
  /** The unit vectors of all texts, one after another; complete after the last step. */
  readonly vectors: Float32Array
}

interface Window {
  readonly text: number
  readonly ids: readonly number[]
}

/** Loads model, vocabulary and kernel; about 50 ms. */
export function loadEngine(build?: KernelBuild): Engine {
  const kernel = loadKernel(build)
  const tokenize = createTokenizer(readVocabulary())
  return {
    build: kernel.build,
    begin: (texts) =>
      beginTask(
        kernel,
        texts.map((text) => cutWindows(tokenize(text), WINDOW_TOKENS)),
      ),
  }
}

function beginTask(kernel: Kernel, texts: readonly (readonly (readonly number[])[])[]): EngineTask {
  const windows: Window[] = texts.flatMap((parts, text) => parts.map((ids) => ({ text, ids })))
  const vectors = new Float32Array(texts.length * DIMENSIONS)
  let next = 0

  function step(): boolean {
    const pass = windows.slice(next, endOfPass(kernel, windows, next))
    const found = kernel.embed(pass.map(({ ids }) => ids))
    pass.forEach(({ text, ids }, i) => {
      const vector = found.subarray(i * DIMENSIONS, (i + 1) * DIMENSIONS)
      const target = vectors.subarray(text * DIMENSIONS, (text + 1) * DIMENSIONS)
      if (texts[text]?.length === 1) target.set(vector)
      else addScaled(target, vector, ids.length)
    })
    next += pass.length
    if (next < windows.length) return false
    texts.forEach((parts, text) => {
      if (parts.length > 1) normalize(vectors.subarray(text * DIMENSIONS, (text + 1) * DIMENSIONS))
    })
    return true
  }
  return { step, vectors }
}

function endOfPass(kernel: Kernel, windows: readonly Window[], start: number): number {
  let used = 0
  let end = start
  for (; end < windows.length && end - start < kernel.windows; end++) {
    used += (windows[end]?.ids.length ?? 0) + 2
    if (used > PASS_TOKENS && end > start) break
  }
  return end
}

function addScaled(target: Float32Array, vector: Float32Array, weight: number): void {
  for (let i = 0; i < target.length; i++) target[i] = (target[i] ?? 0) + (vector[i] ?? 0) * weight
}

function normalize(vector: Float32Array): void {
  const length = Math.hypot(...vector)
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) / length
}
