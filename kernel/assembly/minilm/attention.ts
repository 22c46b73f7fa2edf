// Attention within one text, head by head, in f32. QUERIES queries are scored together; those past
// the end are ignored.
import { expNegative } from "./approximations";
import { maxLanes, sumLanes } from "./lanes";
import {
  context, HEAD_DIM, HEAD_ROW, HEADS, KEYS_ROW, keysT, QKV_ROW, QUERIES, ROW, scores, wide,
} from "./layout";

export function attention(start: i32, end: i32): void {
  const count = end - start;
  for (let h = 0; h < HEADS; h++) {
    const head = wide + <usize>h * HEAD_ROW;
    transposeKeys(head + ROW, start, end);
    for (let l = start; l < end; l += QUERIES) {
      scoreQueries(head + <usize>l * QKV_ROW, count);
      const stop = l + QUERIES < end ? l + QUERIES : end;
      for (let i = l; i < stop; i++) {
        const row = scores + <usize>(i - l) * KEYS_ROW;
        const total = exponentials(row, count);
        const out = context + <usize>i * ROW + <usize>h * HEAD_ROW;
        mixValues(head + 2 * ROW, start, end, row, total, out);
      }
    }
  }
}

// keysT[d][j] = key j of the text, dimension d.
function transposeKeys(keys: usize, start: i32, end: i32): void {
  for (let j = start; j < end; j++) {
    const key = keys + <usize>j * QKV_ROW;
    let to = keysT + (<usize>(j - start) << 2);
    for (let d: usize = 0; d < <usize>HEAD_DIM; d++) {
      store<f32>(to, load<f32>(key + (d << 2)));
      to += KEYS_ROW;
    }
  }
}

// scores[i][j] = query i . key j
function scoreQueries(query: usize, count: i32): void {
  const bytes = <usize>count << 2;
  for (let j: usize = 0; j < bytes; j += 16) {
    let s0 = f32x4.splat(0), s1 = f32x4.splat(0), s2 = f32x4.splat(0), s3 = f32x4.splat(0);
    let k = keysT + j;
    for (let q = query, end = query + HEAD_ROW; q < end; q += 4, k += KEYS_ROW) {
      const key = v128.load(k);
      s0 = f32x4.add(s0, f32x4.mul(key, v128.load32_splat(q)));
      s1 = f32x4.add(s1, f32x4.mul(key, v128.load32_splat(q, QKV_ROW)));
      s2 = f32x4.add(s2, f32x4.mul(key, v128.load32_splat(q, 2 * QKV_ROW)));
      s3 = f32x4.add(s3, f32x4.mul(key, v128.load32_splat(q, 3 * QKV_ROW)));
    }
    v128.store(scores + j, s0, 0 * KEYS_ROW);
    v128.store(scores + j, s1, 1 * KEYS_ROW);
    v128.store(scores + j, s2, 2 * KEYS_ROW);
    v128.store(scores + j, s3, 3 * KEYS_ROW);
  }
}

// row[j] = exp(row[j] - highest); returns the sum.
function exponentials(row: usize, count: i32): f32 {
  const bytes = <usize>count << 2;
  // Lanes past the end must neither win nor count.
  for (let j = bytes; j & 15; j += 4) store<f32>(row + j, -1e30);
  let highest = f32x4.splat(-1e30);
  for (let j: usize = 0; j < bytes; j += 16) highest = f32x4.pmax(highest, v128.load(row + j));
  const top = f32x4.splat(maxLanes(highest));
  let total = f32x4.splat(0);
  for (let j: usize = 0; j < bytes; j += 16) {
    const e = expNegative(f32x4.sub(v128.load(row + j), top));
    v128.store(row + j, e);
    total = f32x4.add(total, e);
  }
  return sumLanes(total);
}

// out = sum of s[j] * value j, over total.
function mixValues(
  values: usize, start: i32, end: i32, s: usize, total: f32, out: usize,
): void {
  let c0 = f32x4.splat(0), c1 = f32x4.splat(0), c2 = f32x4.splat(0), c3 = f32x4.splat(0);
  let c4 = f32x4.splat(0), c5 = f32x4.splat(0), c6 = f32x4.splat(0), c7 = f32x4.splat(0);
  const last = values + <usize>end * QKV_ROW;
  for (let v = values + <usize>start * QKV_ROW; v < last; v += QKV_ROW) {
    const p = v128.load32_splat(s);
    s += 4;
    c0 = f32x4.add(c0, f32x4.mul(p, v128.load(v, 0)));
    c1 = f32x4.add(c1, f32x4.mul(p, v128.load(v, 16)));
    c2 = f32x4.add(c2, f32x4.mul(p, v128.load(v, 32)));
    c3 = f32x4.add(c3, f32x4.mul(p, v128.load(v, 48)));
    c4 = f32x4.add(c4, f32x4.mul(p, v128.load(v, 64)));
    c5 = f32x4.add(c5, f32x4.mul(p, v128.load(v, 80)));
    c6 = f32x4.add(c6, f32x4.mul(p, v128.load(v, 96)));
    c7 = f32x4.add(c7, f32x4.mul(p, v128.load(v, 112)));
  }
  const r = f32x4.splat(1 / total);
  v128.store(out, f32x4.mul(c0, r), 0), v128.store(out, f32x4.mul(c1, r), 16);
  v128.store(out, f32x4.mul(c2, r), 32), v128.store(out, f32x4.mul(c3, r), 48);
  v128.store(out, f32x4.mul(c4, r), 64), v128.store(out, f32x4.mul(c5, r), 80);
  v128.store(out, f32x4.mul(c6, r), 96), v128.store(out, f32x4.mul(c7, r), 112);
}
