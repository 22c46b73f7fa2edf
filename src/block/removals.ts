/** Blocks that were removed at once. */
export interface Removal {
  /** Of the store, as the removal left it. */
  readonly generation: number
  /** The newest sequence number without them; numbers after it are given again. */
  readonly sequence: number
  readonly ids: readonly string[]
}

/** The blocks that a reader has to drop, and the sequence number after which it has to read again. */
export type Removed = Omit<Removal, 'generation'>

/** Ids that are kept for readers, some 20 kB; a reader so far behind had better read everything. */
const MOST_IDS = 1_000

/** The removals to keep, oldest first: the newest that hold at most `MOST_IDS` ids. */
export function withRemoval(kept: readonly Removal[], removal: Removal): Removal[] {
  const all = [...kept, removal]
  let ids = 0
  const first = all.findLastIndex((each) => {
    ids += Math.max(1, each.ids.length)
    return ids > MOST_IDS
  })
  return all.slice(first + 1)
}

/** All removals between two generations as one; undefined if something else made one of them, or it is no longer kept. */
export function removedBetween(kept: readonly Removal[], from: number, to: number): Removed | undefined {
  const between = kept.filter(({ generation }) => generation > from && generation <= to)
  if (between.length === 0 || between.length < to - from) return undefined
  return {
    ids: between.flatMap(({ ids }) => ids),
    sequence: Math.min(...between.map(({ sequence }) => sequence)),
  }
}
