import type { BlockFacts } from '../domain/block/block.ts'
import type { IndexParts } from './index/index-parts.ts'
import { Top } from './top.ts'

/** A block that is compared with those of its scope; of no scope when it has none. */
export interface Compared extends Pick<BlockFacts, 'scope'> {
  readonly vector: Float32Array
  readonly session?: string
  readonly tags?: readonly string[]
}

/** Arguments of `nearestBlocks`. */
export interface NearestOptions {
  /** Most that are returned for being like it, and most for being like it and kin. */
  readonly count: number
  /** Cosine from which on a block is near. */
  readonly floor: number
  /** Cosine from which on kin are near: blocks that share the session or a tag. `floor` unless given. */
  readonly kinFloor?: number
}

/** A block near another one. */
export interface Near {
  readonly id: string
  /** Cosine of the two contents. */
  readonly cosine: number
  /** True if they share the session or a tag. */
  readonly isKin: boolean
}

/** A block while those near it are looked for. */
interface Looked {
  readonly near: Top
  readonly kin: Top
  readonly isAllowed: (slot: number) => boolean
  readonly isKin: (slot: number) => boolean
}

/**
 * Returns for each block the `count` most similar active ones of its scope at or above `floor`, and the `count` most similar kin at or
 * above `kinFloor`, best first. One pass over all vectors, which calls back only for those that may still be among the most similar.
 */
export function nearestBlocks(
  parts: IndexParts,
  asked: readonly Compared[],
  { count, floor, kinFloor = floor }: NearestOptions,
): Near[][] {
  const { blocks, vectors } = parts
  const looked = asked.map(
    (each): Looked => ({
      near: new Top(count, blocks.precedes),
      kin: new Top(count, blocks.precedes),
      isAllowed: blocks.inScope(each.scope),
      isKin: kinTest(parts, each),
    }),
  )
  const floorOf = (query: number) => {
    const { near, kin } = looked[query] as Looked
    return Math.min(Math.max(floor, near.least), Math.max(kinFloor, kin.least))
  }
  vectors.eachAbove(
    asked.map(({ vector }) => vector),
    { slots: blocks.end, floorOf },
    (query, slot, cosine) => {
      const { near, kin, isAllowed, isKin } = looked[query] as Looked
      const isNear = cosine >= floor && near.wants(slot, cosine)
      const mayBeKin = cosine >= kinFloor && kin.wants(slot, cosine)
      if (!(isNear || mayBeKin) || !isAllowed(slot)) return
      if (isNear) near.take(slot, cosine)
      if (mayBeKin && isKin(slot)) kin.take(slot, cosine)
    },
  )
  return looked.map(({ near, kin, isKin }) => {
    const all = new Map([near, kin].flatMap(({ slots, values }) => slots.map((slot, i) => [slot, values[i]])))
    const nearest = [...all].map(([slot, cosine]) => ({ slot, cosine: cosine as number }))
    return nearest
      .sort((a, b) => b.cosine - a.cosine || (blocks.precedes(a.slot, b.slot) ? -1 : 1))
      .map(({ slot, cosine }) => ({ id: blocks.idOf(slot), cosine, isKin: isKin(slot) }))
  })
}

/** Returns a test for slots in use that share the block's session or a tag. Each combination of tags is judged once. */
function kinTest(
  { blocks, chains }: IndexParts,
  { scope, session, tags = [] }: Compared,
): (slot: number) => boolean {
  const chain = session === undefined ? undefined : blocks.chainOf({ session, ...(scope && { scope }) })
  const own = new Set(tags)
  const known = new Map<readonly string[], boolean>()
  return (slot) => {
    if (chains.sessionOf(blocks.partsOf(slot)[0] as number) === chain) return true
    if (own.size === 0) return false
    const others = blocks.tagsOf(slot)
    const judged = known.get(others) ?? others.some((tag) => own.has(tag))
    known.set(others, judged)
    return judged
  }
}
