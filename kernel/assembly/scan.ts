// Exact dot products of int8 vectors: a query, or several, against a matrix of rows.
//
// Nothing is allocated and no memory is touched but what the arguments name. `dimensions` is a
// multiple of 16; the sums are exact for up to 131,071 dimensions.

// The dot product of two vectors.
export function dots(a: usize, b: usize, dimensions: i32): i32 {
  let sum = i32x4.splat(0);
  for (const end = a + <usize>dimensions; a < end; a += 16, b += 16) {
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load_ext<i8>(a), v128.load_ext<i8>(b)));
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load_ext<i8>(a, 8), v128.load_ext<i8>(b, 8)));
  }
  return sumLanes(sum);
}

// out[r] = query . row r, as i32.
export function scan(query: usize, matrix: usize, rows: i32, dimensions: i32, out: usize): void {
  const stride = <usize>dimensions;
  const last = matrix + <usize>rows * stride;
  for (; matrix + 4 * stride <= last; matrix += 4 * stride, out += 16) {
    v128.store(out, dotFour(
      query, matrix, matrix + stride, matrix + 2 * stride, matrix + 3 * stride, stride,
    ));
  }
  for (; matrix < last; matrix += stride, out += 4) {
    store<i32>(out, dots(query, matrix, dimensions));
  }
}

// out[q * rows + r] = query q . row r, as i32. The queries lie one after another.
export function scanMany(
  queries: usize, count: i32, matrix: usize, rows: i32, dimensions: i32, out: usize,
): void {
  const stride = <usize>dimensions;
  const outRow = <usize>rows << 2;
  let left = count;
  for (; left >= 4; left -= 4, queries += 4 * stride, out += 4 * outRow) {
    scanFourQueries(queries, matrix, rows, dimensions, out);
  }
  for (; left > 0; left--, queries += stride, out += outRow) {
    scan(queries, matrix, rows, dimensions, out);
  }
}

// Writes the numbers of the rows whose sum is at least `least` when scaled, in their order. Returns how many.
export function above(sums: usize, scales: usize, rows: i32, least: f32, out: usize): i32 {
  const floor = f32x4.splat(least);
  let found = 0;
  let row = 0;
  for (; row + 4 <= rows; row += 4, sums += 16, scales += 16) {
    const scaled = f32x4.mul(f32x4.convert_i32x4_s(v128.load(sums)), v128.load(scales));
    for (let mask = i32x4.bitmask(f32x4.ge(scaled, floor)); mask !== 0; mask &= mask - 1, found++) {
      store<i32>(out + (<usize>found << 2), row + ctz(mask));
    }
  }
  for (; row < rows; row++, sums += 4, scales += 4) {
    if (<f32>load<i32>(sums) * load<f32>(scales) >= least) {
      store<i32>(out + (<usize>found << 2), row);
      found++;
    }
  }
  return found;
}

// One query against four rows: each part of the query is widened once for all four.
function dotFour(
  query: usize, row: usize, row1: usize, row2: usize, row3: usize, stride: usize,
): v128 {
  let s0 = i32x4.splat(0), s1 = i32x4.splat(0), s2 = i32x4.splat(0), s3 = i32x4.splat(0);
  for (let i: usize = 0; i < stride; i += 16) {
    let q = v128.load_ext<i8>(query + i);
    s0 = dotStep(s0, q, row + i);
    s1 = dotStep(s1, q, row1 + i);
    s2 = dotStep(s2, q, row2 + i);
    s3 = dotStep(s3, q, row3 + i);
    q = v128.load_ext<i8>(query + i, 8);
    s0 = dotStep(s0, q, row + i + 8);
    s1 = dotStep(s1, q, row1 + i + 8);
    s2 = dotStep(s2, q, row2 + i + 8);
    s3 = dotStep(s3, q, row3 + i + 8);
  }
  return sumEach(s0, s1, s2, s3);
}

// Four queries against all rows, two rows at a time: six widened vectors serve eight sums.
function scanFourQueries(queries: usize, matrix: usize, rows: i32, dimensions: i32, out: usize): void {
  const stride = <usize>dimensions;
  const outRow = <usize>rows << 2;
  const last = matrix + <usize>rows * stride;
  for (; matrix + 2 * stride <= last; matrix += 2 * stride, out += 8) {
    scanFourByTwo(queries, matrix, stride, out, outRow);
  }
  if (matrix < last) {
    for (let q: usize = 0; q < 4; q++) {
      store<i32>(out + q * outRow, dots(queries + q * stride, matrix, dimensions));
    }
  }
}

function scanFourByTwo(query: usize, row: usize, stride: usize, out: usize, outRow: usize): void {
  let s0 = i32x4.splat(0), s1 = i32x4.splat(0), s2 = i32x4.splat(0), s3 = i32x4.splat(0);
  let t0 = i32x4.splat(0), t1 = i32x4.splat(0), t2 = i32x4.splat(0), t3 = i32x4.splat(0);
  const query1 = query + stride, query2 = query1 + stride, query3 = query2 + stride;
  const second = row + stride;
  for (let i: usize = 0; i < stride; i += 8) {
    const u = v128.load_ext<i8>(row + i), v = v128.load_ext<i8>(second + i);
    let q = v128.load_ext<i8>(query + i);
    s0 = dotAdd(s0, q, u), t0 = dotAdd(t0, q, v);
    q = v128.load_ext<i8>(query1 + i);
    s1 = dotAdd(s1, q, u), t1 = dotAdd(t1, q, v);
    q = v128.load_ext<i8>(query2 + i);
    s2 = dotAdd(s2, q, u), t2 = dotAdd(t2, q, v);
    q = v128.load_ext<i8>(query3 + i);
    s3 = dotAdd(s3, q, u), t3 = dotAdd(t3, q, v);
  }
  storePairs(sumEach(s0, t0, s1, t1), out, outRow);
  storePairs(sumEach(s2, t2, s3, t3), out + 2 * outRow, outRow);
}

@inline function storePairs(sums: v128, out: usize, outRow: usize): void {
  v128.store64_lane(out, sums, 0);
  v128.store64_lane(out + outRow, sums, 1);
}

@inline function dotStep(sum: v128, widened: v128, from: usize): v128 {
  return dotAdd(sum, widened, v128.load_ext<i8>(from));
}

@inline function dotAdd(sum: v128, a: v128, b: v128): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(a, b));
}

// Lane i of the result is the sum of all lanes of argument i.
@inline function sumEach(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = addPairs(a, b), cd = addPairs(c, d);
  return addPairs(ab, cd);
}

@inline function addPairs(a: v128, b: v128): v128 {
  return i32x4.add(i32x4.shuffle(a, b, 0, 2, 4, 6), i32x4.shuffle(a, b, 1, 3, 5, 7));
}

@inline function sumLanes(v: v128): i32 {
  return i32x4.extract_lane(v, 0) + i32x4.extract_lane(v, 1)
    + i32x4.extract_lane(v, 2) + i32x4.extract_lane(v, 3);
}
