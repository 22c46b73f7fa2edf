// all-MiniLM-L6-v2 forward pass: int8 weights, 8-bit activations, SIMD128.
//
// Built twice from this source: with relaxed SIMD (one instruction for 16
// multiply-adds) and without. Both builds do the same integer arithmetic and
// the same f32 arithmetic in the same order, so their vectors are identical.
//
// Several texts run as one matrix: their tokens are concatenated, the linear
// layers see only rows, and attention alone knows where a text ends.
import { probe } from "./minilm/activations";
import { attention } from "./minilm/attention";
import { sumLanes } from "./minilm/lanes";
import {
  embeddingNorm, FFN, firstLayer, HIDDEN, ids, init, LAYERS, MAX_TEXTS, MAX_TOKENS, positions, QKV, ROW,
  seek, starts, take, vectors, wordScale, wordTable, x,
} from "./minilm/layout";
import { matmul, nextLinear } from "./minilm/matrix";
import { addRow, dequantizeRow, geluRow, normalizeRow, quantizeContext } from "./minilm/rows";

export { init, probe };
export function idsPtr(): usize { return ids; }
export function startsPtr(): usize { return starts; }
export function vectorsPtr(): usize { return vectors; }
export function maxTokens(): i32 { return MAX_TOKENS; }
export function maxTexts(): i32 { return MAX_TEXTS; }

// In: ids and starts (count + 1 entries). Out: count unit vectors.
export function embed(count: i32): void {
  const tokens = textStart(count);
  for (let t = 0; t < count; t++) embedTokens(textStart(t), textStart(t + 1));
  for (let l = 0; l < tokens; l++) normalizeRow(l, embeddingNorm);
  seek(firstLayer);
  for (let i = 0; i < LAYERS; i++) layer(count, tokens);
  for (let t = 0; t < count; t++) pool(t, textStart(t), textStart(t + 1));
}

@inline function textStart(text: i32): i32 {
  return load<i32>(starts + (<usize>text << 2));
}

// Every matmul reads `acts` and writes `wide`; the row pass after it turns the
// sums into floats, does what the model does next, and quantizes into `acts`.
function layer(count: i32, tokens: i32): void {
  nextLinear(QKV, HIDDEN);
  matmul(tokens, HIDDEN, QKV);
  for (let l = 0; l < tokens; l++) dequantizeRow(l);

  for (let t = 0; t < count; t++) attention(textStart(t), textStart(t + 1));
  for (let l = 0; l < tokens; l++) quantizeContext(l);
  nextLinear(HIDDEN, HIDDEN);
  matmul(tokens, HIDDEN, HIDDEN);
  const attentionNorm = takeNorm();
  for (let l = 0; l < tokens; l++) addRow(l), normalizeRow(l, attentionNorm);

  nextLinear(FFN, HIDDEN);
  matmul(tokens, HIDDEN, FFN);
  for (let l = 0; l < tokens; l++) geluRow(l);
  nextLinear(HIDDEN, FFN);
  matmul(tokens, FFN, HIDDEN);
  const outputNorm = takeNorm();
  for (let l = 0; l < tokens; l++) addRow(l), normalizeRow(l, outputNorm);
}

function takeNorm(): usize {
  const gamma = take(HIDDEN * 4);
  take(HIDDEN * 4);
  return gamma;
}

function embedTokens(start: i32, end: i32): void {
  for (let l = start; l < end; l++) {
    const id = load<i32>(ids + (<usize>l << 2));
    const word = wordTable + <usize>(id * HIDDEN);
    const scale = f32x4.splat(load<f32>(wordScale + (<usize>id << 2)));
    const position = positions + <usize>(l - start) * ROW;
    const out = x + <usize>l * ROW;
    for (let i: usize = 0; i < <usize>HIDDEN; i += 4) {
      const q = i32x4.extend_low_i16x8_s(i16x8.extend_low_i8x16_s(v128.load32_zero(word + i)));
      const w = f32x4.mul(f32x4.convert_i32x4_s(q), scale);
      v128.store(out + (i << 2), f32x4.add(w, v128.load(position + (i << 2))));
    }
  }
}

// Mean over the text's tokens, then unit length.
function pool(text: i32, start: i32, end: i32): void {
  const out = vectors + <usize>text * ROW;
  const last = x + <usize>end * ROW;
  let squares = f32x4.splat(0);
  for (let i: usize = 0; i < ROW; i += 16) {
    let sum = f32x4.splat(0);
    for (let p = x + <usize>start * ROW; p < last; p += ROW) {
      sum = f32x4.add(sum, v128.load(p + i));
    }
    v128.store(out + i, sum);
    squares = f32x4.add(squares, f32x4.mul(sum, sum));
  }
  const inverse = f32x4.splat(1 / Mathf.sqrt(sumLanes(squares)));
  for (let i: usize = 0; i < ROW; i += 16) {
    v128.store(out + i, f32x4.mul(v128.load(out + i), inverse));
  }
}
