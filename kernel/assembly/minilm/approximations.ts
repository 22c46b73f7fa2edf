// exp and gelu as polynomials, and the constants of the vector loops.

// gelu(v) = max(v, 0) - g(|v|), with g(t) = t * P(normal > t), a polynomial on
// [0, 4.5] (error below 5e-5) and all but 0 beyond. u = t / 2.25 - 1.
@inline export function gelu(v: v128): v128 {
  const t = f32x4.pmin(f32x4.abs(v), constant(GELU_END));
  const u = f32x4.sub(f32x4.mul(t, constant(GELU_HALF)), constant(ONE));
  let g = constant(GELU_POLY);
  g = step(g, u, GELU_POLY + 4), g = step(g, u, GELU_POLY + 8);
  g = step(g, u, GELU_POLY + 12), g = step(g, u, GELU_POLY + 16);
  g = step(g, u, GELU_POLY + 20), g = step(g, u, GELU_POLY + 24);
  g = step(g, u, GELU_POLY + 28), g = step(g, u, GELU_POLY + 32);
  g = step(g, u, GELU_POLY + 36), g = step(g, u, GELU_POLY + 40);
  return f32x4.sub(f32x4.pmax(v, f32x4.splat(0)), g);
}

// One step of Horner's rule.
@inline function step(p: v128, u: v128, c: usize): v128 {
  return f32x4.add(f32x4.mul(p, u), constant(c));
}

// V8 rebuilds a vector constant from two 64-bit immediates at every use inside a
// loop; broadcasting it from memory is one load. Hence these addresses. The data
// lies below 2048, where the loader puts no weights.
@inline export function constant(address: usize): v128 {
  return v128.load32_splat(address);
}

export const ROUND_MAGIC: f32 = 12582912; // 1.5 * 2^23: adding it rounds to an integer
const ONE: usize = memory.data<f32>([1]);
export const MAGIC: usize = memory.data<f32>([ROUND_MAGIC]); // its bits serve as an integer, too
const GELU_END: usize = memory.data<f32>([4.5]);
const GELU_HALF: usize = memory.data<f32>([1 / 2.25]);
// Highest power first.
const GELU_POLY: usize = memory.data<f32>([
  -0.045808986, 0.021125295, 0.18390442, -0.1750521, -0.21097831, 0.43399428,
  -0.20100397, -0.14704064, 0.24637562, -0.13304951, 0.027500812,
]);
const EXP_LOG2E: usize = memory.data<f32>([1.44269504]);
const EXP_LEAST: usize = memory.data<f32>([-126]);
const EXP_POLY: usize = memory.data<f32>([
  0.0013395341, 0.0096708152, 0.055503405, 0.24022211, 0.6931472, 1,
]);

// e^v for v <= 0: 2^whole by the exponent bits, 2^fraction by a polynomial.
@inline export function expNegative(v: v128): v128 {
  const y = f32x4.pmax(f32x4.mul(v, constant(EXP_LOG2E)), constant(EXP_LEAST));
  const rounded = f32x4.add(y, constant(MAGIC));
  const f = f32x4.sub(y, f32x4.sub(rounded, constant(MAGIC)));
  let p = constant(EXP_POLY);
  p = step(p, f, EXP_POLY + 4), p = step(p, f, EXP_POLY + 8), p = step(p, f, EXP_POLY + 12);
  p = step(p, f, EXP_POLY + 16), p = step(p, f, EXP_POLY + 20);
  // The low bits of `rounded` are the whole part; adding them to p's exponent scales it.
  return i32x4.add(p, i32x4.shl(rounded, 23));
}
