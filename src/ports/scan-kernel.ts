/**
 * Exact integer dot products over int8 rows lying in one WebAssembly memory, and what spares most of them.
 *
 * What must hold: all implementations give the same integers; nothing outside the named places is touched;
 * `dimensions` is a multiple of 16 and every address a multiple of 16. Addresses are byte offsets into `memory`.
 */
export interface ScanKernel {
  readonly memory: WebAssembly.Memory
  dots(a: number, b: number, dimensions: number): number
  /** out[r] = query · row r, as i32. */
  scan(query: number, matrix: number, rows: number, dimensions: number, out: number): void
  /** out[q · rows + r] = query q · row r; the queries lie one after another. */
  scanMany(
    queries: number,
    count: number,
    matrix: number,
    rows: number,
    dimensions: number,
    out: number,
  ): void
  /** out[i] = query · row places[i]. */
  dotsAt(query: number, matrix: number, places: number, count: number, dimensions: number, out: number): void
  /** Numbers of the rows with sums[r] · scales[r] ≥ least, reckoned as f32, to `out`; returns how many. */
  above(sums: number, scales: number, rows: number, least: number, out: number): number
  /** Absent where there is no SIMD: then every row is looked at. */
  readonly sketching?: SketchKernel
}

/** Signs of rows that were mixed at random: the share in which two rows differ is about their angle / π. */
export interface SketchKernel {
  /**
   * The sketch of a row times 2^shift less a centre times factor / 128: 512 signs to `first` and as many to `second`.
   * `signs` are bytes, 0 or −1: one a dimension and 1,024 more; `scratch` has 2,048 bytes.
   */
  sketch(
    row: number,
    centre: number,
    dimensions: number,
    shift: number,
    factor: number,
    signs: number,
    scratch: number,
    first: number,
    second: number,
  ): void
  /**
   * Numbers of the rows whose sketch differs from the query's, whose halves lie together, in no more signs than the limits
   * of their group: i32 in three tables of 64, for the first 256 signs, the first half and all. `groups` has a byte a row.
   * To `out`, which has 8 bytes a row; returns how many.
   */
  resembling(
    query: number,
    first: number,
    second: number,
    groups: number,
    rows: number,
    limits: number,
    out: number,
  ): number
}
