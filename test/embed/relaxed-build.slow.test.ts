import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadKernel, startKernel } from '../../src/adapters/embed/minilm/kernel.ts'
import { readVocabulary } from '../../src/adapters/embed/minilm/model-files.ts'
import { createTokenizer } from '../../src/adapters/embed/minilm/wordpiece.ts'
import { readFixture } from './fixtures.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const tokenize = createTokenizer(readVocabulary())
const { texts } = readFixture<{ texts: string[] }>('embeddings.json.gz')
const windows = texts.slice(100, 140).map((text) => tokenize(text).ids)
const RELAXED = 'i32x4.relaxed_dot_i8x16_i7x16_add_s'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'relaxed-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function vectors(kernel: ReturnType<typeof loadKernel>): Float32Array[] {
  return windows.map((window) => kernel.embed([window]))
}

/** What the relaxed instruction does on a processor that counts the second operand's bytes as told. */
function exactDot(sign: 'u' | 's'): string {
  return `@inline export function exactDot(w: v128, a: v128, sum: v128): v128 {
    const p = i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(w), i16x8.extend_low_i8x16_${sign}(a));
    const q = i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(w), i16x8.extend_high_i8x16_${sign}(a));
    return i32x4.add(sum, i32x4.add(i32x4.shuffle(p, q, 0, 2, 4, 6), i32x4.shuffle(p, q, 1, 3, 5, 7)));
  }`
}

/** The relaxed build with that instruction written out, so that every processor can run it. */
function compileWith(sign: 'u' | 's'): Uint8Array {
  const sources = join(folder, sign)
  cpSync(join(root, 'kernel/assembly'), sources, { recursive: true })
  writeFileSync(join(sources, 'minilm/exact.ts'), exactDot(sign))
  for (const name of ['matrix.ts', 'activations.ts']) {
    const path = join(sources, 'minilm', name)
    const source = readFileSync(path, 'utf8')
    expect(source).toContain(RELAXED)
    writeFileSync(path, `import { exactDot } from "./exact";\n${source.replaceAll(RELAXED, 'exactDot')}`)
  }
  const compiler = join(root, 'node_modules/assemblyscript/bin/asc.js')
  const flags = ['--runtime', 'stub', '--importMemory', '--noAssert', '-O3', '--disableWarning', '112']
  const features = ['--enable', 'simd', '--enable', 'relaxed-simd']
  const output = join(folder, `${sign}.wasm`)
  execFileSync(process.execPath, [compiler, 'minilm.ts', ...flags, ...features, '--outFile', output], {
    cwd: sources,
  })
  return readFileSync(output)
}

describe('the two builds', () => {
  it.each([
    ['unsigned, as on x86', 'u'],
    ['signed, as on ARM', 's'],
  ] as const)('give the same bits where the processor counts activations as %s', (_, sign) => {
    const relaxed = startKernel(compileWith(sign), 'relaxed')
    expect(relaxed).toBeDefined()
    expect(vectors(relaxed!)).toEqual(vectors(loadKernel('simd')))
  })
})
