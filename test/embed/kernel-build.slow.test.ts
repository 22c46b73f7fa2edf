import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const kernels = ['minilm.relaxed.wasm', 'minilm.simd.wasm', 'scan.wasm']

it('the checked-in kernels are what their sources compile to', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kernels-'))
  try {
    execFileSync(process.execPath, [join(root, 'scripts/build-kernels.ts'), folder], { stdio: 'pipe' })
    const same = kernels.filter((name) =>
      readFileSync(join(folder, name)).equals(readFileSync(join(root, 'kernel', name))),
    )
    expect(same).toEqual(kernels)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
