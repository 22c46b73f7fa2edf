import { readFileSync } from 'node:fs'
import { ElfmemError, ownFile } from '../../errors.ts'
import type { ScanKernel } from '../../index/columns.ts'

const KERNEL = new URL('../../../kernel/scan.wasm', import.meta.url)

/** Compiled once for all indexes of a process. */
let compiled: WebAssembly.Module | undefined

/** Returns the SIMD kernel over a memory of its own; throws CONFIG_INVALID where the engine has no SIMD. */
export function loadScanKernel(): ScanKernel {
  compiled ??= compile(ownFile('scan.wasm', () => readFileSync(KERNEL)))
  const memory = new WebAssembly.Memory({ initial: 1 })
  const instance = new WebAssembly.Instance(compiled, { env: { memory } })
  return { ...(instance.exports as unknown as Omit<ScanKernel, 'memory'>), memory }
}

function compile(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  if (WebAssembly.validate(bytes)) return new WebAssembly.Module(bytes)
  throw new ElfmemError('CONFIG_INVALID', 'WebAssembly has no SIMD here, by which vectors are compared.', {
    recovery: 'Use a runtime and a processor with WebAssembly SIMD.',
  })
}
