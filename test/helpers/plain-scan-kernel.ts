import type { ScanKernel } from '../../src/index/columns.ts'

/** Creates a scan kernel in plain JavaScript, which computes the integers of the SIMD kernel about ten times slower. */
export function createPlainScanKernel(): ScanKernel {
  const memory = new WebAssembly.Memory({ initial: 1 })
  const dots = (a: number, b: number, dimensions: number): number => {
    const bytes = new Int8Array(memory.buffer)
    let sum = 0
    for (let i = 0; i < dimensions; i++) sum += (bytes[a + i] as number) * (bytes[b + i] as number)
    return sum
  }
  const scan: ScanKernel['scan'] = (query, matrix, rows, dimensions, out) => {
    const sums = new Int32Array(memory.buffer, out, rows)
    for (let row = 0; row < rows; row++) sums[row] = dots(query, matrix + row * dimensions, dimensions)
  }
  return {
    memory,
    dots,
    scan,
    scanMany: (queries, count, matrix, rows, dimensions, out) => {
      for (let q = 0; q < count; q++)
        scan(queries + q * dimensions, matrix, rows, dimensions, out + q * rows * 4)
    },
    above: (sums, scales, rows, least, out) => {
      const values = new Int32Array(memory.buffer, sums)
      const units = new Float32Array(memory.buffer, scales)
      const found = new Int32Array(memory.buffer, out)
      const floor = Math.fround(least)
      let count = 0
      for (let row = 0; row < rows; row++) {
        const scaled = Math.fround(Math.fround(values[row] as number) * (units[row] as number))
        if (scaled >= floor) found[count++] = row
      }
      return count
    },
  }
}
