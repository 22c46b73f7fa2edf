import type { Embedder } from '../../src/engine/ports.ts'
import { ElfmemError } from '../../src/errors.ts'
import { normalise } from '../../src/index/columns.ts'

const DIMENSIONS = 32

export interface PlacedEmbedder extends Embedder {
  /** Every text it was asked for, in order. */
  readonly asked: string[]
  /** From now on every call fails, until it is called with false. */
  fail(failing: boolean): void
}

/**
 * An embedder whose similarities a test decides: texts that begin with the same word share an axis, and a number of
 * degrees after `@` turns them apart, so "tea @20 …" and "tea @0 …" have the cosine of 20 degrees.
 */
export function createPlacedEmbedder(model = 'placed'): PlacedEmbedder {
  const asked: string[] = []
  const axes = new Map<string, number>()
  let failing = false
  return {
    model,
    dimensions: DIMENSIONS,
    asked,
    fail: (now) => {
      failing = now
    },
    embed: async (texts) => {
      asked.push(...texts)
      if (failing) throw new ElfmemError('EMBEDDER_FAILED', 'The embedder is down.', { recovery: 'Wait.' })
      return texts.map((text) => place(text, axes))
    },
    close: async () => undefined,
  }
}

function place(text: string, axes: Map<string, number>): Float32Array {
  const subject = /^\w+/.exec(text.toLowerCase())?.[0] ?? ''
  const axis = axes.get(subject) ?? axes.size
  axes.set(subject, axis)
  const degrees = Number(/@(\d+(?:\.\d+)?)/.exec(text)?.[1] ?? 0)
  const radians = (degrees * Math.PI) / 180
  const vector = new Float32Array(DIMENSIONS)
  vector[(2 * axis) % DIMENSIONS] = Math.cos(radians)
  vector[(2 * axis + 1) % DIMENSIONS] = Math.sin(radians)
  return normalise(vector)
}
