/**
 * Compiles the WebAssembly kernels from their AssemblyScript sources.
 *
 *   node scripts/build-kernels.ts [folder]     (default: kernel/)
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Warning 112 is about vectors crossing to the host; none does: only entry files export. */
const COMMON = [
  '--runtime',
  'stub',
  '--importMemory',
  '--noAssert',
  '-O3',
  '--converge',
  '--enable',
  'simd',
  '--disableWarning',
  '112',
]

const KERNELS = [
  { source: 'minilm.ts', output: 'minilm.relaxed.wasm', flags: ['--enable', 'relaxed-simd'] },
  { source: 'minilm.ts', output: 'minilm.simd.wasm', flags: [] },
  { source: 'scan.ts', output: 'scan.wasm', flags: [] },
]

function main(): void {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const compiler = resolve(root, 'node_modules/assemblyscript/bin/asc.js')
  const folder = resolve(process.argv[2] ?? resolve(root, 'kernel'))
  for (const { source, output, flags } of KERNELS) {
    const path = resolve(folder, output)
    const args = [compiler, `kernel/assembly/${source}`, ...COMMON, ...flags, '--outFile', path]
    execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
    console.log(`${output}: ${readFileSync(path).length} bytes`)
  }
}

main()
