// The passes over single rows between two matrix products.
import { quantizeRow } from "./activations";
import { gelu } from "./approximations";
import { sumLanes } from "./lanes";
import { actScale, actZero, context, EPSILON, FFN_ROW, HIDDEN, QKV_ROW, ROW, wide, x } from "./layout";
import { rowParams } from "./matrix";

// value = rowScale * actScale * (sum - actZero * rowSum) + bias. The three rows
// of parameters follow one another, `stride` bytes apart.
@inline function value(sum: v128, zero: v128, scale: v128, p: usize, stride: usize): v128 {
  const exact = i32x4.sub(sum, i32x4.mul(zero, v128.load(p + stride)));
  const k = f32x4.mul(scale, v128.load(p));
  return f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(exact), k), v128.load(p + 2 * stride));
}

@inline function rowZero(l: i32): v128 {
  return v128.load32_splat(actZero + (<usize>l << 2));
}

@inline function rowFactor(l: i32): v128 {
  return v128.load32_splat(actScale + (<usize>l << 2));
}

// Query, key and value become floats where they are.
export function dequantizeRow(l: i32): void {
  const row = wide + <usize>l * QKV_ROW;
  const zero = rowZero(l), scale = rowFactor(l);
  const params = rowParams;
  for (let i: usize = 0; i < QKV_ROW; i += 16) {
    v128.store(row + i, value(v128.load(row + i), zero, scale, params + i, QKV_ROW));
  }
}

export function quantizeContext(l: i32): void {
  const row = context + <usize>l * ROW;
  let lo = f32x4.splat(0), hi = f32x4.splat(0);
  for (let i: usize = 0; i < ROW; i += 16) {
    const v = v128.load(row + i);
    lo = f32x4.pmin(lo, v);
    hi = f32x4.pmax(hi, v);
  }
  quantizeRow(l, row, ROW, lo, hi);
}

export function geluRow(l: i32): void {
  const row = wide + <usize>l * FFN_ROW;
  const zero = rowZero(l), scale = rowFactor(l);
  let lo = f32x4.splat(0), hi = f32x4.splat(0);
  const params = rowParams;
  for (let i: usize = 0; i < FFN_ROW; i += 16) {
    const v = gelu(value(v128.load(row + i), zero, scale, params + i, FFN_ROW));
    v128.store(row + i, v);
    lo = f32x4.pmin(lo, v);
    hi = f32x4.pmax(hi, v);
  }
  quantizeRow(l, row, FFN_ROW, lo, hi);
}

// The residual: x += wide.
export function addRow(l: i32): void {
  const row = x + <usize>l * ROW;
  const from = wide + <usize>l * ROW;
  const zero = rowZero(l), scale = rowFactor(l);
  const params = rowParams;
  for (let i: usize = 0; i < ROW; i += 16) {
    const v = value(v128.load(from + i), zero, scale, params + i, ROW);
    v128.store(row + i, f32x4.add(v128.load(row + i), v));
  }
}

// x = (x - mean) / deviation * gamma + beta, in place; beta follows gamma.
export function normalizeRow(l: i32, gamma: usize): void {
  const row = x + <usize>l * ROW;
  const beta = gamma + ROW;
  let s = f32x4.splat(0), s2 = f32x4.splat(0);
  for (let i: usize = 0; i < ROW; i += 16) {
    const v = v128.load(row + i);
    s = f32x4.add(s, v);
    s2 = f32x4.add(s2, f32x4.mul(v, v));
  }
  const mean = sumLanes(s) / <f32>HIDDEN;
  const variance = sumLanes(s2) / <f32>HIDDEN - mean * mean;
  const m = f32x4.splat(mean);
  const r = f32x4.splat(1 / Mathf.sqrt(variance + EPSILON));
  let lo = f32x4.splat(0), hi = f32x4.splat(0);
  for (let i: usize = 0; i < ROW; i += 16) {
    const unit = f32x4.mul(f32x4.sub(v128.load(row + i), m), r);
    const v = f32x4.add(f32x4.mul(unit, v128.load(gamma + i)), v128.load(beta + i));
    v128.store(row + i, v);
    lo = f32x4.pmin(lo, v);
    hi = f32x4.pmax(hi, v);
  }
  quantizeRow(l, row, ROW, lo, hi);
}
