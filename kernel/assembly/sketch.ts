// Sketches of int8 vectors as they lie around a centre: 1,024 signs each, made so that the share of signs in
// which two of them differ is about the angle between the vectors divided by pi, whatever the vectors look like.
//
// A vector is mixed until every value depends on all of them, then only signs are kept: random signs,
// Hadamard transform, twice. The second turn is made twice, with other signs, for 512 more values.
// Saturating 16-bit sums: what leaves the range keeps its sign.

const WIDTH: usize = 512;
const HALF: usize = WIDTH >> 3;
const MIXED: usize = WIDTH * 2;
// Limits of 64 groups.
const TABLE: usize = 64 << 2;

// Writes the sketch of a vector less a centre, half of it to `first`, half to `second`, 64 bytes each. The vector
// counts 2^shift, the centre factor / 128; with a factor of 0 there is none. `signs` are bytes, 0 or -1: one for
// each dimension, then twice 512. `scratch` has room for 2,048 bytes.
export function sketch(
  row: usize, centre: usize, dimensions: i32, shift: i32, factor: i32, signs: usize, scratch: usize,
  first: usize, second: usize,
): void {
  const stride = <usize>dimensions;
  const mixed = scratch, work = scratch + MIXED;
  const ownSigns = signs + stride;
  fold(row, centre, stride, shift, factor, signs, mixed);
  mix(mixed);
  half(mixed, ownSigns, work, first);
  half(mixed, ownSigns + WIDTH, work, second);
}

// The vector less the centre with its signs, as 512 sums of every 512th value.
function fold(
  row: usize, centre: usize, stride: usize, shift: i32, factor: i32, signs: usize, out: usize,
): void {
  const times = i16x8.splat(<i16>factor);
  memory.fill(out, 0, MIXED);
  for (let i: usize = 0; i < stride; i += 8) {
    const at = out + ((i & (WIDTH - 1)) << 1);
    const middle = i16x8.q15mulr_sat_s(i16x8.shl(v128.load_ext<i8>(centre + i), 8), times);
    const away = i16x8.sub_sat_s(i16x8.shl(v128.load_ext<i8>(row + i), shift), middle);
    const value = signed(away, v128.load_ext<i8>(signs + i));
    v128.store(at, i16x8.add_sat_s(v128.load(at), value));
  }
}

function half(mixed: usize, signs: usize, work: usize, out: usize): void {
  // Smaller, so that the sums of the second turn stay in range; rounded, so that they lean to no side.
  const rounding = i16x8.splat(4);
  for (let i: usize = 0; i < WIDTH; i += 8) {
    const small = i16x8.shr_s(i16x8.add_sat_s(v128.load(mixed + (i << 1)), rounding), 3);
    v128.store(work + (i << 1), signed(small, v128.load_ext<i8>(signs + i)));
  }
  mix(work);
  for (let i: usize = 0; i < WIDTH; i += 16) {
    const pair = i8x16.narrow_i16x8_s(v128.load(work + (i << 1)), v128.load(work + (i << 1), 16));
    store<u16>(out + (i >> 3), <u16>i8x16.bitmask(pair));
  }
}

@inline function signed(value: v128, mask: v128): v128 {
  return i16x8.sub(v128.xor(value, mask), mask);
}

// A Hadamard transform of 512 values where they lie, in an order of its own: nine passes of sums and differences,
// three at a time in registers. The last three are of lanes, which change places with the vectors for that.
function mix(values: usize): void {
  for (let at = values, end = values + 128; at < end; at += 16) {
    let v0 = v128.load(at), v1 = v128.load(at, 128), v2 = v128.load(at, 256), v3 = v128.load(at, 384);
    let v4 = v128.load(at, 512), v5 = v128.load(at, 640), v6 = v128.load(at, 768), v7 = v128.load(at, 896);
    let t: v128;
    t = v0; v0 = sum(v0, v4); v4 = difference(t, v4); t = v1; v1 = sum(v1, v5); v5 = difference(t, v5);
    t = v2; v2 = sum(v2, v6); v6 = difference(t, v6); t = v3; v3 = sum(v3, v7); v7 = difference(t, v7);
    t = v0; v0 = sum(v0, v2); v2 = difference(t, v2); t = v1; v1 = sum(v1, v3); v3 = difference(t, v3);
    t = v4; v4 = sum(v4, v6); v6 = difference(t, v6); t = v5; v5 = sum(v5, v7); v7 = difference(t, v7);
    t = v0; v0 = sum(v0, v1); v1 = difference(t, v1); t = v2; v2 = sum(v2, v3); v3 = difference(t, v3);
    t = v4; v4 = sum(v4, v5); v5 = difference(t, v5); t = v6; v6 = sum(v6, v7); v7 = difference(t, v7);
    v128.store(at, v0); v128.store(at, v1, 128); v128.store(at, v2, 256); v128.store(at, v3, 384);
    v128.store(at, v4, 512); v128.store(at, v5, 640); v128.store(at, v6, 768); v128.store(at, v7, 896);
  }
  for (let at = values, end = values + MIXED; at < end; at += 128) {
    let v0 = v128.load(at), v1 = v128.load(at, 16), v2 = v128.load(at, 32), v3 = v128.load(at, 48);
    let v4 = v128.load(at, 64), v5 = v128.load(at, 80), v6 = v128.load(at, 96), v7 = v128.load(at, 112);
    let t: v128;
    t = v0; v0 = sum(v0, v4); v4 = difference(t, v4); t = v1; v1 = sum(v1, v5); v5 = difference(t, v5);
    t = v2; v2 = sum(v2, v6); v6 = difference(t, v6); t = v3; v3 = sum(v3, v7); v7 = difference(t, v7);
    t = v0; v0 = sum(v0, v2); v2 = difference(t, v2); t = v1; v1 = sum(v1, v3); v3 = difference(t, v3);
    t = v4; v4 = sum(v4, v6); v6 = difference(t, v6); t = v5; v5 = sum(v5, v7); v7 = difference(t, v7);
    t = v0; v0 = sum(v0, v1); v1 = difference(t, v1); t = v2; v2 = sum(v2, v3); v3 = difference(t, v3);
    t = v4; v4 = sum(v4, v5); v5 = difference(t, v5); t = v6; v6 = sum(v6, v7); v7 = difference(t, v7);
    const a0 = low16(v0, v1), a1 = high16(v0, v1), a2 = low16(v2, v3), a3 = high16(v2, v3);
    const a4 = low16(v4, v5), a5 = high16(v4, v5), a6 = low16(v6, v7), a7 = high16(v6, v7);
    const b0 = low32(a0, a2), b1 = high32(a0, a2), b2 = low32(a1, a3), b3 = high32(a1, a3);
    const b4 = low32(a4, a6), b5 = high32(a4, a6), b6 = low32(a5, a7), b7 = high32(a5, a7);
    v0 = low64(b0, b4), v1 = high64(b0, b4), v2 = low64(b1, b5), v3 = high64(b1, b5);
    v4 = low64(b2, b6), v5 = high64(b2, b6), v6 = low64(b3, b7), v7 = high64(b3, b7);
    t = v0; v0 = sum(v0, v4); v4 = difference(t, v4); t = v1; v1 = sum(v1, v5); v5 = difference(t, v5);
    t = v2; v2 = sum(v2, v6); v6 = difference(t, v6); t = v3; v3 = sum(v3, v7); v7 = difference(t, v7);
    t = v0; v0 = sum(v0, v2); v2 = difference(t, v2); t = v1; v1 = sum(v1, v3); v3 = difference(t, v3);
    t = v4; v4 = sum(v4, v6); v6 = difference(t, v6); t = v5; v5 = sum(v5, v7); v7 = difference(t, v7);
    t = v0; v0 = sum(v0, v1); v1 = difference(t, v1); t = v2; v2 = sum(v2, v3); v3 = difference(t, v3);
    t = v4; v4 = sum(v4, v5); v5 = difference(t, v5); t = v6; v6 = sum(v6, v7); v7 = difference(t, v7);
    v128.store(at, v0); v128.store(at, v1, 16); v128.store(at, v2, 32); v128.store(at, v3, 48);
    v128.store(at, v4, 64); v128.store(at, v5, 80); v128.store(at, v6, 96); v128.store(at, v7, 112);
  }
}

@inline function sum(a: v128, b: v128): v128 {
  return i16x8.add_sat_s(a, b);
}

@inline function difference(a: v128, b: v128): v128 {
  return i16x8.sub_sat_s(a, b);
}

@inline function low16(a: v128, b: v128): v128 {
  return i16x8.shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

@inline function high16(a: v128, b: v128): v128 {
  return i16x8.shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

@inline function low32(a: v128, b: v128): v128 {
  return i32x4.shuffle(a, b, 0, 4, 1, 5);
}

@inline function high32(a: v128, b: v128): v128 {
  return i32x4.shuffle(a, b, 2, 6, 3, 7);
}

@inline function low64(a: v128, b: v128): v128 {
  return i64x2.shuffle(a, b, 0, 2);
}

@inline function high64(a: v128, b: v128): v128 {
  return i64x2.shuffle(a, b, 1, 3);
}

// Writes the numbers of the rows whose sketch differs from the query's in at most as many signs as the limits say:
// of the first 256, of the first half, and of all. Most rows are spared the rest by the first. Returns how many.
// `groups` has a byte a row; limits are i32, one for each group, in three tables of 64. `out` has room for 8 bytes a row.
//
// Words of the query are held: `out` might be among them, for all the compiler knows. One popcnt a word is
// faster than i8x16.popcnt, which x86 lacks. What is found is written always and kept if it fits: a branch would
// often be guessed wrongly.
export function resembling(
  query: usize, first: usize, second: usize, groups: usize, rows: i32, limits: usize, out: usize,
): i32 {
  const halfLimits = limits + TABLE, allLimits = halfLimits + TABLE;
  const quarter = resemblingQuarter(query, first, groups, rows, limits, out);
  const half = resemblingHalf(query, first, groups, halfLimits, out, quarter);
  const q0 = load<u64>(query, 64), q1 = load<u64>(query, 72), q2 = load<u64>(query, 80), q3 = load<u64>(query, 88);
  const q4 = load<u64>(query, 96), q5 = load<u64>(query, 104), q6 = load<u64>(query, 112), q7 = load<u64>(query, 120);
  let end = out;
  for (let at = out; at < half; at += 8) {
    const row = load<i32>(at);
    const s = second + <usize>row * HALF;
    const all = popcnt(q0 ^ load<u64>(s)) + popcnt(q1 ^ load<u64>(s, 8))
      + popcnt(q2 ^ load<u64>(s, 16)) + popcnt(q3 ^ load<u64>(s, 24))
      + popcnt(q4 ^ load<u64>(s, 32)) + popcnt(q5 ^ load<u64>(s, 40))
      + popcnt(q6 ^ load<u64>(s, 48)) + popcnt(q7 ^ load<u64>(s, 56));
    const differing = load<i32>(at, 4) + <i32>all;
    store<i32>(end, row);
    end += <usize>(differing <= limitOf(allLimits, groups + <usize>row)) << 2;
  }
  return <i32>((end - out) >> 2);
}

// Writes the number of each row that may pass, and in how many of the first signs it differs; returns where what
// was written ends.
function resemblingQuarter(
  query: usize, sketches: usize, groups: usize, rows: i32, limits: usize, out: usize,
): usize {
  const q0 = load<u64>(query), q1 = load<u64>(query, 8), q2 = load<u64>(query, 16), q3 = load<u64>(query, 24);
  for (let row = 0; row < rows; row++, sketches += HALF) {
    const all = <i32>(popcnt(q0 ^ load<u64>(sketches)) + popcnt(q1 ^ load<u64>(sketches, 8))
      + popcnt(q2 ^ load<u64>(sketches, 16)) + popcnt(q3 ^ load<u64>(sketches, 24)));
    store<u64>(out, (<u64>all << 32) | <u64>row);
    out += <usize>(all <= limitOf(limits, groups + <usize>row)) << 3;
  }
  return out;
}

// Keeps of what was written the rows that may still pass.
function resemblingHalf(
  query: usize, sketches: usize, groups: usize, limits: usize, out: usize, quarter: usize,
): usize {
  const q4 = load<u64>(query, 32), q5 = load<u64>(query, 40), q6 = load<u64>(query, 48), q7 = load<u64>(query, 56);
  let end = out;
  for (let at = out; at < quarter; at += 8) {
    const row = load<i32>(at);
    const s = sketches + <usize>row * HALF;
    const all = load<i32>(at, 4) + <i32>(popcnt(q4 ^ load<u64>(s, 32)) + popcnt(q5 ^ load<u64>(s, 40))
      + popcnt(q6 ^ load<u64>(s, 48)) + popcnt(q7 ^ load<u64>(s, 56)));
    store<u64>(end, (<u64>all << 32) | <u64>row);
    end += <usize>(all <= limitOf(limits, groups + <usize>row)) << 3;
  }
  return end;
}

@inline function limitOf(limits: usize, group: usize): i32 {
  return load<i32>(limits + (<usize>load<u8>(group) << 2));
}
