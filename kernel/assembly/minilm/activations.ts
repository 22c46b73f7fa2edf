// Activations: a row of n floats becomes n integers q in 0..255 with value (q - zero) * scale.
//
// The integers of TILE_TOKENS rows are interleaved, four columns at a time:
// [token / TILE_TOKENS][column / 4][token % TILE_TOKENS][4].
//
// Relaxed build: one byte each. The second operand of the relaxed dot product
// counts as unsigned on x86 and as signed on ARM; `byteFlip` is 0x80 where it is
// signed, and the zero point moves by 128 with it. Plain build: two bytes each.
import { constant, MAGIC, ROUND_MAGIC } from "./approximations";
import { maxLanes, minLanes } from "./lanes";
import { ACT_BYTES, actScale, acts, actZero, keysT, scores, TINY } from "./layout";

export const TILE_TOKENS: i32 = ASC_FEATURE_RELAXED_SIMD ? 6 : 4;
export const QUAD_BYTES: usize = <usize>ACT_BYTES * 4; // four columns of one token
export const GROUP_BYTES: usize = QUAD_BYTES * <usize>TILE_TOKENS;

let byteFlip: i32 = 0;

// What the relaxed dot product does with bytes above 127:
// 0 unsigned, 1 signed, 2 something else (16-bit sums that saturate).
export function probe(): i32 {
  if (!ASC_FEATURE_RELAXED_SIMD) return 0;
  v128.store(scores, i8x16.splat(127));
  v128.store(keysT, i8x16.splat(-1));
  const zero = i32x4.splat(0);
  const d = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(scores), v128.load(keysT), zero);
  const r = i32x4.extract_lane(d, 0);
  byteFlip = r == -508 ? 0x80 : 0;
  return r == 4 * 127 * 255 ? 0 : r == -508 ? 1 : 2;
}

// Quantizes one row whose extremes are known into its place in `acts`.
export function quantizeRow(l: i32, row: usize, bytes: usize, lo: v128, hi: v128): void {
  const min = Mathf.min(minLanes(lo), 0);
  const scale = (Mathf.max(maxLanes(hi), TINY) - min) / 255;
  const zero = Mathf.round(-min / scale);
  const slot = <usize>l << 2;
  store<f32>(actScale + slot, scale);
  store<i32>(actZero + slot, <i32>zero - byteFlip);

  const inverse = f32x4.splat(1 / scale);
  const magic = f32x4.splat(ROUND_MAGIC + zero);
  const flip = i8x16.splat(<i8>byteFlip);
  const group = <usize>(l / TILE_TOKENS) * (bytes >> 4) * GROUP_BYTES;
  let out = acts + group + <usize>(l % TILE_TOKENS) * QUAD_BYTES;
  for (const end = row + bytes; row < end; row += 64) {
    const a = i16x8.narrow_i32x4_s(
      toInts(v128.load(row), inverse, magic),
      toInts(v128.load(row, 16), inverse, magic));
    const b = i16x8.narrow_i32x4_s(
      toInts(v128.load(row, 32), inverse, magic),
      toInts(v128.load(row, 48), inverse, magic));
    if (ASC_FEATURE_RELAXED_SIMD) {
      const q = v128.xor(i8x16.narrow_i16x8_u(a, b), flip);
      v128.store32_lane(out, q, 0, 0 * GROUP_BYTES);
      v128.store32_lane(out, q, 1, 1 * GROUP_BYTES);
      v128.store32_lane(out, q, 2, 2 * GROUP_BYTES);
      v128.store32_lane(out, q, 3, 3 * GROUP_BYTES);
    } else {
      const p = clampToByte(a), q = clampToByte(b);
      v128.store64_lane(out, p, 0, 0 * GROUP_BYTES);
      v128.store64_lane(out, p, 1, 1 * GROUP_BYTES);
      v128.store64_lane(out, q, 0, 2 * GROUP_BYTES);
      v128.store64_lane(out, q, 1, 3 * GROUP_BYTES);
    }
    out += 4 * GROUP_BYTES;
  }
}

@inline function clampToByte(v: v128): v128 {
  return i16x8.min_s(i16x8.max_s(v, i16x8.splat(0)), i16x8.splat(255));
}

@inline function toInts(v: v128, inverse: v128, magic: v128): v128 {
  return i32x4.sub(f32x4.add(f32x4.mul(v, inverse), magic), constant(MAGIC));
}
