import { readFileSync } from 'node:fs'
import type { ScanKernel } from '../../ports/scan-kernel.ts'

const KERNEL = new URL('../../../kernel/scan.wasm', import.meta.url)
const PAGE_BYTES = 65_536

/** The SIMD kernel over a memory of its own; undefined where the engine has no SIMD, then the caller falls back. */
export function loadScanKernel(): ScanKernel | undefined {
  const bytes = readFileSync(KERNEL)
  if (!WebAssembly.validate(bytes)) return undefined
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes.length / PAGE_BYTES) })
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } })
  return { ...(instance.exports as unknown as Omit<ScanKernel, 'memory'>), memory }
}
