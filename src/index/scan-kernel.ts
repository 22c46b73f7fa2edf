/**
 * Exact integer dot products over int8 rows in one WebAssembly memory.
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
  /** Numbers of the rows with sums[r] · scales[r] ≥ least, reckoned as f32, to `out`; returns how many. */
  above(sums: number, scales: number, rows: number, least: number, out: number): number
}
