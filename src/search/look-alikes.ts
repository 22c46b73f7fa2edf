/** The options for blocks that look alike. */
interface LookAlikeOptions<Block> {
  readonly isAlike: (one: Block, other: Block) => boolean
  /** Share of the question's words that a block has itself, 0..1. */
  readonly coverageOf: (block: Block) => number
  /** Loss of rank for having none of the words that a look-alike has. */
  readonly penalty: number
}

/** So many of the best are looked at. */
const LOOKED_AT = 24

/**
 * The loss in rank of each block to those that look like it and have more of the question's own words: penalty · (m² − c²),
 * where c is its coverage and m the greatest of those alike. Nothing gains by it, so that no chance word brings a block
 * forward. Cost: a comparison for each two of the first 24.
 *
 * @param blocks best first
 * @returns a loss for each, at least 0
 */
export function lostToLookAlikes<Block>(
  blocks: readonly Block[],
  { isAlike, coverageOf, penalty }: LookAlikeOptions<Block>,
): readonly number[] {
  const best = blocks.slice(0, LOOKED_AT).map((block) => ({ block, coverage: coverageOf(block) ** 2 }))
  return blocks.map((block, place) => {
    const own = best[place]?.coverage
    if (own === undefined) return 0
    const most = best.reduce(
      (greatest, other) =>
        other.coverage > greatest && isAlike(block, other.block) ? other.coverage : greatest,
      own,
    )
    return penalty * (most - own)
  })
}
