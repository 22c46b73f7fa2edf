// Sketches of int8 vectors: 1,024 signs each, made so that the share of signs in which two of them
// differ is about the angle between the vectors divided by pi, whatever the vectors look like.
//
// A vector is mixed until every value depends on all of them, then only signs are kept: random signs,
// Hadamard transform, twice. The second turn is made twice, with other signs, for 512 more values.
// Saturating 16-bit sums: what leaves the range keeps its sign.

const WIDTH: usize = 512;
const HALF: usize = WIDTH >> 3;
const MIXED: usize = WIDTH * 2;

// Writes the sketches of `rows` vectors, half of each to `first`, half to `second`, 64 bytes a row.
// `signs` are bytes, 0 or -1: one for each dimension, then twice 512. `scratch` has room for 3,072 bytes.
export function sketch(
  matrix: usize, rows: i32, dimensions: i32, signs: usize, scratch: usize, first: usize, second: usize,
): void {
  const stride = <usize>dimensions;
  const mixed = scratch, work = scratch + MIXED;
  const ownSigns = signs + stride;
  for (let row = 0; row < rows; row++, matrix += stride, first += HALF, second += HALF) {
    fold(matrix, stride, signs, mixed);
    // An odd number of passes ends in the other buffer.
    mix(mixed, work);
    half(work, ownSigns, mixed, work + MIXED, first);
    half(work, ownSigns + WIDTH, mixed, work + MIXED, second);
  }
}

// The vector with its signs, as 512 sums of every 512th value.
function fold(row: usize, stride: usize, signs: usize, out: usize): void {
  memory.fill(out, 0, MIXED);
  for (let i: usize = 0; i < stride; i += 8) {
    const at = out + ((i & (WIDTH - 1)) << 1);
    const value = signed(v128.load_ext<i8>(row + i), v128.load_ext<i8>(signs + i));
    v128.store(at, i16x8.add_sat_s(v128.load(at), value));
  }
}

function half(mixed: usize, signs: usize, from: usize, to: usize, out: usize): void {
  // Smaller, so that the sums of the second turn stay in range; rounded, so that they lean to no side.
  const rounding = i16x8.splat(4);
  for (let i: usize = 0; i < WIDTH; i += 8) {
    const small = i16x8.shr_s(i16x8.add_sat_s(v128.load(mixed + (i << 1)), rounding), 3);
    v128.store(from + (i << 1), signed(small, v128.load_ext<i8>(signs + i)));
  }
  mix(from, to);
  for (let i: usize = 0; i < WIDTH; i += 16) {
    const pair = i8x16.narrow_i16x8_s(v128.load(to + (i << 1)), v128.load(to + (i << 1), 16));
    store<u16>(out + (i >> 3), <u16>i8x16.bitmask(pair));
  }
}

@inline function signed(value: v128, mask: v128): v128 {
  return i16x8.sub(v128.xor(value, mask), mask);
}

// Nine passes of sums and differences of neighbours, back and forth; the result is in `b`.
function mix(a: usize, b: usize): void {
  for (let pass = 0; pass < 9; pass++) {
    const half = b + WIDTH;
    for (let i: usize = 0; i < WIDTH; i += 16) {
      const x = v128.load(a + (i << 1)), y = v128.load(a + (i << 1), 16);
      const even = i16x8.shuffle(x, y, 0, 2, 4, 6, 8, 10, 12, 14);
      const odd = i16x8.shuffle(x, y, 1, 3, 5, 7, 9, 11, 13, 15);
      v128.store(b + i, i16x8.add_sat_s(even, odd));
      v128.store(half + i, i16x8.sub_sat_s(even, odd));
    }
    const other = a;
    a = b;
    b = other;
  }
}

// Writes the numbers of the rows whose sketch differs from the query's in at most `most` signs, and in at
// most `mostHalf` of the first half, which spares the second for most rows. Returns how many. `out` has
// room for 8 bytes a row.
//
// Words of the query are held: `out` might be among them, for all the compiler knows. One popcnt a word is
// faster than i8x16.popcnt, which x86 lacks: 2.9 ns a row against 4.5. What is found is written always and
// kept if it fits: a branch would often be guessed wrongly.
export function resembling(
  query: usize, first: usize, second: usize, rows: i32, mostHalf: i32, most: i32, out: usize,
): i32 {
  const half = resemblingHalf(query, first, rows, mostHalf, out);
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
    end += <usize>(differing <= most) << 2;
  }
  return <i32>((end - out) >> 2);
}

// Writes the number of each row that may pass, and in how many signs of the first half it differs; returns
// where what was written ends.
function resemblingHalf(query: usize, sketches: usize, rows: i32, most: i32, out: usize): usize {
  const q0 = load<u64>(query), q1 = load<u64>(query, 8), q2 = load<u64>(query, 16), q3 = load<u64>(query, 24);
  const q4 = load<u64>(query, 32), q5 = load<u64>(query, 40), q6 = load<u64>(query, 48), q7 = load<u64>(query, 56);
  for (let row = 0; row < rows; row++, sketches += HALF) {
    const all = <i32>(popcnt(q0 ^ load<u64>(sketches)) + popcnt(q1 ^ load<u64>(sketches, 8))
      + popcnt(q2 ^ load<u64>(sketches, 16)) + popcnt(q3 ^ load<u64>(sketches, 24))
      + popcnt(q4 ^ load<u64>(sketches, 32)) + popcnt(q5 ^ load<u64>(sketches, 40))
      + popcnt(q6 ^ load<u64>(sketches, 48)) + popcnt(q7 ^ load<u64>(sketches, 56)));
    store<i32>(out, row);
    store<i32>(out, all, 4);
    out += <usize>(all <= most) << 3;
  }
  return out;
}
