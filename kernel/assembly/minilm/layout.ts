// Sizes of the model, and where its weights and the scratch space lie.
//
// The weights file lies at `weights`, in the order scripts/pack-model.ts wrote it; scratch follows.

export const LAYERS: i32 = 6;
export const HIDDEN: i32 = 384;
export const FFN: i32 = 1536;
export const HEADS: i32 = 12;
export const HEAD_DIM: i32 = 32;
export const VOCAB: i32 = 30522;
export const POSITIONS: i32 = 256;
export const QKV: i32 = 3 * HIDDEN;

export const MAX_TOKENS: i32 = 256; // in one batch, all texts together
export const MAX_TEXTS: i32 = 128;
export const SCRATCH_ROWS: i32 = MAX_TOKENS + 8; // a tile may run past the last token
export const HEADER_BYTES: usize = 64;

export const ROW: usize = <usize>HIDDEN * 4; // bytes of one f32 row of HIDDEN
export const QKV_ROW: usize = <usize>QKV * 4;
export const FFN_ROW: usize = <usize>FFN * 4;
export const HEAD_ROW: usize = <usize>HEAD_DIM * 4;
export const KEYS_ROW: usize = <usize>MAX_TOKENS * 4;
export const EPSILON: f32 = 1e-12;
export const TINY: f32 = 1e-9;

export const ACT_BYTES: i32 = ASC_FEATURE_RELAXED_SIMD ? 1 : 2; // of one activation, see activations.ts
export const QUERIES: i32 = 4; // of attention, scored together

// The cursor of whichever of the two is being laid out or read.
let at: usize = 0;

// Lays the sections out from `address` on.
export function seek(address: usize): void {
  at = address;
}

// The start of the next section; each is padded to 64 bytes.
export function take(bytes: i32): usize {
  const start = at;
  at += (bytes + 63) & ~63;
  return start;
}

export let wordTable: usize = 0; // i8 [VOCAB][HIDDEN]
export let wordScale: usize = 0; // f32 [VOCAB]
export let positions: usize = 0; // f32 [POSITIONS][HIDDEN], segment vector included
export let embeddingNorm: usize = 0;
export let firstLayer: usize = 0;

export let ids: usize = 0; // i32 [MAX_TOKENS]
export let starts: usize = 0; // i32 [MAX_TEXTS + 1]: where each text begins
export let vectors: usize = 0; // f32 [MAX_TEXTS][HIDDEN]
export let x: usize = 0; // f32 [SCRATCH_ROWS][HIDDEN]: the residual stream
export let wide: usize = 0; // [SCRATCH_ROWS][up to FFN]: i32 sums, then floats in place
export let context: usize = 0; // f32 [SCRATCH_ROWS][HIDDEN]: what attention gathered
export let acts: usize = 0; // quantized rows, see quantizeRow()
export let actScale: usize = 0; // f32 [MAX_TOKENS]
export let actZero: usize = 0; // i32 [MAX_TOKENS]
export let keysT: usize = 0; // f32 [HEAD_DIM][MAX_TOKENS]: one head's keys, transposed
export let scores: usize = 0; // f32 [QUERIES][MAX_TOKENS]

// Lays out weights and scratch, touches nothing, and returns where the scratch ends.
export function init(weights: usize, scratch: usize): usize {
  at = weights + HEADER_BYTES;
  wordTable = take(VOCAB * HIDDEN);
  wordScale = take(VOCAB * 4);
  positions = take(POSITIONS * HIDDEN * 4);
  embeddingNorm = take(HIDDEN * 4);
  take(HIDDEN * 4);
  firstLayer = at;

  at = scratch;
  ids = take(MAX_TOKENS * 4);
  starts = take((MAX_TEXTS + 1) * 4);
  vectors = take(MAX_TEXTS * HIDDEN * 4);
  x = take(SCRATCH_ROWS * HIDDEN * 4);
  wide = take(SCRATCH_ROWS * FFN * 4);
  context = take(SCRATCH_ROWS * HIDDEN * 4);
  acts = take(SCRATCH_ROWS * FFN * ACT_BYTES);
  actScale = take(MAX_TOKENS * 4);
  actZero = take(MAX_TOKENS * 4);
  keysT = take(HEAD_DIM * MAX_TOKENS * 4);
  scores = take(QUERIES * MAX_TOKENS * 4);
  return at;
}
