/**
 * The degree from which a faded block counts as a bridge and is kept (Python elfmem, block archival):
 * the value at `quantile` of the nonzero degrees in ascending order; 0 when no block has an edge.
 */
export function bridgeThreshold(degrees: readonly number[], quantile = 0.8): number {
  const linked = degrees.filter((degree) => degree > 0).sort((a, b) => a - b)
  return linked[Math.min(Math.floor(linked.length * quantile), linked.length - 1)] ?? 0
}

/** True if a block of this degree holds parts of the graph together; nothing does while there are no edges. */
export function isBridge(degree: number, threshold: number): boolean {
  return threshold > 0 && degree >= threshold
}
