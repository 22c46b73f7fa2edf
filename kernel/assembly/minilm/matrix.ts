// Integer matrix products, the bulk of the work.
//
// Relaxed build: tiles of 6 tokens by 8 weight rows. 12 accumulators, 2 weight vectors and one
// activation fill the 15 registers V8 hands out, and 12 independent chains hide the latency of the
// dot product. The last 1 to 3 tokens take 16 rows at a time instead, again 12 accumulators.
//
// Plain build: tiles of 4 tokens by 4 weight rows. Its two-step dot product needs a register more
// for what lies between the steps, and six tokens would spill: 4 are 12 % faster.
import { GROUP_BYTES, TILE_TOKENS } from "./activations";
import { acts, take, wide } from "./layout";

let weights: usize = 0; // of the current linear layer
export let rowParams: usize = 0; // its f32 scales, i32 weight sums and f32 biases

export function nextLinear(rows: i32, columns: i32): void {
  weights = take(rows * columns);
  rowParams = take(3 * rows * 4);
}

// wide[l][n] = the integer dot product of activation row l and weight row n.
export function matmul(tokens: i32, columns: i32, rows: i32): void {
  const quads = <usize>columns >> 2;
  const group = quads * GROUP_BYTES;
  const tile = <usize>columns * 8; // bytes of 8 weight rows
  const stride = <usize>rows << 2;
  const rest = tokens % TILE_TOKENS;
  const narrow = rest > 0 && rest <= 3;
  const whole = narrow ? tokens - rest : tokens;
  let w = weights;
  for (let n: usize = 0; n < stride; n += 64) {
    let a = acts;
    let out = wide + n;
    for (let l = 0; l < whole; l += TILE_TOKENS) {
      dotTile(a, w, quads, out, stride);
      dotTile(a, w + tile, quads, out + 32, stride);
      a += group;
      out += stride * TILE_TOKENS;
    }
    if (narrow) dotNarrow(a, w, w + tile, quads, out, stride);
    w += 2 * tile;
  }
}

@inline function dotTile(a: usize, w: usize, quads: usize, out: usize, stride: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) {
    dotTileRelaxed(a, w, quads, out, stride);
  } else {
    dotHalfPlain(a, w, quads, out, stride);
    dotHalfPlain(a, w + 16, quads, out + 16, stride);
  }
}

@inline function dotNarrow(
  a: usize, w: usize, v: usize, quads: usize, out: usize, stride: usize,
): void {
  if (ASC_FEATURE_RELAXED_SIMD) {
    dotNarrowRelaxed(a, w, v, quads, out, stride);
  } else {
    for (let i: usize = 0; i < 32; i += 16) {
      dotNarrowPlain(a, w + i, quads, out + i, stride);
      dotNarrowPlain(a, v + i, quads, out + 32 + i, stride);
    }
  }
}

// Weights signed, activations as the probe found them.
@inline function dot4(weights: v128, activations: v128, sum: v128): v128 {
  return i32x4.relaxed_dot_i8x16_i7x16_add_s(weights, activations, sum);
}

// 6 tokens by 8 rows. An accumulator holds 4 rows: p3 is token 3, rows 0..3,
// and q3 token 3, rows 4..7.
function dotTileRelaxed(a: usize, w: usize, quads: usize, out: usize, stride: usize): void {
  let p0 = i32x4.splat(0), p1 = i32x4.splat(0), p2 = i32x4.splat(0);
  let p3 = i32x4.splat(0), p4 = i32x4.splat(0), p5 = i32x4.splat(0);
  let q0 = i32x4.splat(0), q1 = i32x4.splat(0), q2 = i32x4.splat(0);
  let q3 = i32x4.splat(0), q4 = i32x4.splat(0), q5 = i32x4.splat(0);
  for (const end = a + quads * GROUP_BYTES; a < end; a += GROUP_BYTES, w += 32) {
    const u = v128.load(w), v = v128.load(w, 16);
    let t = v128.load32_splat(a, 0);
    p0 = dot4(u, t, p0), q0 = dot4(v, t, q0);
    t = v128.load32_splat(a, 4);
    p1 = dot4(u, t, p1), q1 = dot4(v, t, q1);
    t = v128.load32_splat(a, 8);
    p2 = dot4(u, t, p2), q2 = dot4(v, t, q2);
    t = v128.load32_splat(a, 12);
    p3 = dot4(u, t, p3), q3 = dot4(v, t, q3);
    t = v128.load32_splat(a, 16);
    p4 = dot4(u, t, p4), q4 = dot4(v, t, q4);
    t = v128.load32_splat(a, 20);
    p5 = dot4(u, t, p5), q5 = dot4(v, t, q5);
  }
  out = store2(out, p0, q0, stride);
  out = store2(out, p1, q1, stride);
  out = store2(out, p2, q2, stride);
  out = store2(out, p3, q3, stride);
  out = store2(out, p4, q4, stride);
  store2(out, p5, q5, stride);
}

// 3 tokens by 16 rows, 8 at w and 8 at v.
function dotNarrowRelaxed(
  a: usize, w: usize, v: usize, quads: usize, out: usize, stride: usize,
): void {
  let p0 = i32x4.splat(0), p1 = i32x4.splat(0), p2 = i32x4.splat(0);
  let q0 = i32x4.splat(0), q1 = i32x4.splat(0), q2 = i32x4.splat(0);
  let r0 = i32x4.splat(0), r1 = i32x4.splat(0), r2 = i32x4.splat(0);
  let s0 = i32x4.splat(0), s1 = i32x4.splat(0), s2 = i32x4.splat(0);
  for (const end = a + quads * GROUP_BYTES; a < end; a += GROUP_BYTES, w += 32, v += 32) {
    const t0 = v128.load32_splat(a, 0);
    const t1 = v128.load32_splat(a, 4);
    const t2 = v128.load32_splat(a, 8);
    let u = v128.load(w);
    p0 = dot4(u, t0, p0), p1 = dot4(u, t1, p1), p2 = dot4(u, t2, p2);
    u = v128.load(w, 16);
    q0 = dot4(u, t0, q0), q1 = dot4(u, t1, q1), q2 = dot4(u, t2, q2);
    u = v128.load(v);
    r0 = dot4(u, t0, r0), r1 = dot4(u, t1, r1), r2 = dot4(u, t2, r2);
    u = v128.load(v, 16);
    s0 = dot4(u, t0, s0), s1 = dot4(u, t1, s1), s2 = dot4(u, t2, s2);
  }
  store2(out + 32, r0, s0, stride);
  out = store2(out, p0, q0, stride);
  store2(out + 32, r1, s1, stride);
  out = store2(out, p1, q1, stride);
  store2(out + 32, r2, s2, stride);
  store2(out, p2, q2, stride);
}

@inline function store2(out: usize, p: v128, q: v128, stride: usize): usize {
  v128.store(out, p);
  v128.store(out, q, 16);
  return out + stride;
}

// 4 tokens by 4 rows, two steps a turn (2 % faster). An accumulator holds 2 rows as two partial sums each:
// p3 is token 3, rows 0 and 1, and q3 token 3, rows 2 and 3.
function dotHalfPlain(a: usize, w: usize, quads: usize, out: usize, stride: usize): void {
  let p0 = i32x4.splat(0), p1 = i32x4.splat(0), p2 = i32x4.splat(0);
  let p3 = i32x4.splat(0);
  let q0 = i32x4.splat(0), q1 = i32x4.splat(0), q2 = i32x4.splat(0);
  let q3 = i32x4.splat(0);
  for (const end = a + quads * GROUP_BYTES; a < end; a += 2 * GROUP_BYTES, w += 64) {
    let u = v128.load_ext<i8>(w), v = v128.load_ext<i8>(w, 8);
    let t = v128.load64_splat(a, 0);
    p0 = dot2(u, t, p0), q0 = dot2(v, t, q0);
    t = v128.load64_splat(a, 8);
    p1 = dot2(u, t, p1), q1 = dot2(v, t, q1);
    t = v128.load64_splat(a, 16);
    p2 = dot2(u, t, p2), q2 = dot2(v, t, q2);
    t = v128.load64_splat(a, 24);
    p3 = dot2(u, t, p3), q3 = dot2(v, t, q3);
    u = v128.load_ext<i8>(w, 32), v = v128.load_ext<i8>(w, 40);
    t = v128.load64_splat(a, 32);
    p0 = dot2(u, t, p0), q0 = dot2(v, t, q0);
    t = v128.load64_splat(a, 40);
    p1 = dot2(u, t, p1), q1 = dot2(v, t, q1);
    t = v128.load64_splat(a, 48);
    p2 = dot2(u, t, p2), q2 = dot2(v, t, q2);
    t = v128.load64_splat(a, 56);
    p3 = dot2(u, t, p3), q3 = dot2(v, t, q3);
  }
  v128.store(out, addPairs(p0, q0)), out += stride;
  v128.store(out, addPairs(p1, q1)), out += stride;
  v128.store(out, addPairs(p2, q2)), out += stride;
  v128.store(out, addPairs(p3, q3)), out += stride;
}

// 3 tokens by 4 rows.
function dotNarrowPlain(a: usize, w: usize, quads: usize, out: usize, stride: usize): void {
  let p0 = i32x4.splat(0), p1 = i32x4.splat(0), p2 = i32x4.splat(0);
  let q0 = i32x4.splat(0), q1 = i32x4.splat(0), q2 = i32x4.splat(0);
  for (const end = a + quads * GROUP_BYTES; a < end; a += GROUP_BYTES, w += 32) {
    const u = v128.load_ext<i8>(w), v = v128.load_ext<i8>(w, 8);
    let t = v128.load64_splat(a, 0);
    p0 = dot2(u, t, p0), q0 = dot2(v, t, q0);
    t = v128.load64_splat(a, 8);
    p1 = dot2(u, t, p1), q1 = dot2(v, t, q1);
    t = v128.load64_splat(a, 16);
    p2 = dot2(u, t, p2), q2 = dot2(v, t, q2);
  }
  v128.store(out, addPairs(p0, q0)), out += stride;
  v128.store(out, addPairs(p1, q1)), out += stride;
  v128.store(out, addPairs(p2, q2));
}

@inline function dot2(weights: v128, activations: v128, sum: v128): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(weights, activations));
}

@inline function addPairs(a: v128, b: v128): v128 {
  return i32x4.add(
    i32x4.shuffle(a, b, 0, 2, 4, 6),
    i32x4.shuffle(a, b, 1, 3, 5, 7));
}
