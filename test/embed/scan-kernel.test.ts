import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createScanFallback, loadScanKernel } from '../../src/adapters/system/scan-kernel.ts'
import type { ScanKernel } from '../../src/index/columns.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

describe('scan kernel', () => {
  const memory = new WebAssembly.Memory({ initial: 2 })
  const module = new WebAssembly.Module(readFileSync(join(root, 'kernel/scan.wasm')))
  const kernel = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Omit<
    ScanKernel,
    'memory'
  >
  const cases = fc.record({
    seed: fc.integer(),
    rows: fc.integer({ min: 0, max: 13 }),
    count: fc.integer({ min: 1, max: 9 }),
    dimensions: fc.integer({ min: 1, max: 26 }).map((n) => n * 16),
  })

  function place(values: readonly number[], at: number): Int8Array {
    const target = new Int8Array(memory.buffer, at, values.length)
    target.set(values)
    return target
  }

  function noise(seed: number, length: number): number[] {
    let state = seed | 0
    return Array.from({ length }, () => {
      state = Math.imul(state, 1_664_525) + 1_013_904_223
      return state >> 24
    })
  }

  function naive(a: Int8Array, b: Int8Array): number {
    return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
  }

  it('gives exact dot products for any number of rows and queries and touches nothing else', () => {
    fc.assert(
      fc.property(cases, ({ seed, rows, count, dimensions }) => {
        const queries = place(noise(seed, count * dimensions), 0)
        const at = queries.length
        const matrix = place(noise(seed + 1, rows * dimensions), at)
        const outAt = Math.ceil((at + matrix.length) / 16) * 16
        const out = new Int32Array(memory.buffer, outAt, count * rows + 1)
        const row = (of: Int8Array, i: number) => of.subarray(i * dimensions, (i + 1) * dimensions)
        const expected = Array.from({ length: count * rows }, (_, i) =>
          naive(row(queries, Math.floor(i / rows)), row(matrix, i % rows)),
        )
        out.fill(-7)
        kernel.scanMany(0, count, at, rows, dimensions, outAt)
        expect([...out]).toEqual([...expected, -7])
        out.fill(-7)
        kernel.scan(0, at, rows, dimensions, outAt)
        expect([...out.subarray(0, rows + 1)]).toEqual([...expected.slice(0, rows), -7])
        if (rows > 0) expect(kernel.dots(0, at, dimensions)).toBe(expected[0])
      }),
    )
  })

  it('finds the same rows at or above a floor as plain JavaScript', () => {
    const kernels = [loadScanKernel(), createScanFallback()] as ScanKernel[]
    fc.assert(
      fc.property(cases, fc.integer({ min: -90_000, max: 90_000 }), ({ seed, rows, dimensions }, least) => {
        const [values, scales] = [noise(seed, (rows + 1) * dimensions), noise(seed + 1, rows)]
        const at = dimensions
        const end = Math.ceil(((rows + 1) * dimensions) / 16) * 16
        const answers = kernels.map(({ memory: own, scan, above }) => {
          new Int8Array(own.buffer).set(values)
          new Float32Array(own.buffer, end, rows).set(scales.map((scale) => Math.abs(scale) / 64))
          scan(0, at, rows, dimensions, end + 64)
          const found = above(end + 64, end, rows, least, end + 128)
          return [...new Int32Array(own.buffer, end + 128, found)]
        })
        expect(answers[0]).toEqual(answers[1])
      }),
    )
  })
})
