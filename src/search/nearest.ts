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
  /** The same for kin: blocks that share the session or a tag. The same floor unless given. */
  readonly kinFloor?: number
}

/** A block near another one. */
export interface Near {
  readonly id: string
  /** Of the two contents. */
  readonly cosine: number
  /** True if they share the session or a tag. */
  readonly isKin: boolean
}

/**
 * For each block the `count` likest active ones of its scope at or above `floor`, and the `count` likest kin at or above
 * `kinFloor`, best first. One pass for all; tags are looked at only of what is alike enough.
 */
export function nearestBlocks(
  parts: IndexParts,
  asked: readonly Compared[],
  { count, floor, kinFloor = floor }: NearestOptions,
): Near[][] {
  const { blocks, vectors } = parts
  const looked = asked.map((each) => ({
    ...{ isAllowed: blocks.inScope(each.scope), isKin: kinTest(parts, each) },
    ...{ near: new Top(count, blocks.precedes), kin: new Top(count, blocks.precedes) },
  }))
  vectors.eachAbove(
    asked.map(({ vector }) => vector),
    { slots: blocks.end, floor: Math.min(floor, kinFloor) },
    (query, slot, cosine) => {
      const { near, kin, isAllowed, isKin } = looked[query] as (typeof looked)[number]
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
    if (chains.sessionOf(slot) === chain) return true
    if (own.size === 0) return false
    const others = blocks.tagsOf(slot)
    const judged = known.get(others) ?? others.some((tag) => own.has(tag))
    known.set(others, judged)
    return judged
  }
}
