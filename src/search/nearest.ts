import type { BlockFacts } from '../domain/block/block.ts'
import type { IndexParts } from './index/index-parts.ts'
import type { Scan } from './index/vectors.ts'
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
  /** Which blocks are looked at: all unless said. */
  readonly scan?: Scan
}

/** A block near another one. */
export interface Near {
  readonly id: string
  /** Cosine of the two contents. */
  readonly cosine: number
  /** True if they share the session or a tag. */
  readonly isKin: boolean
}

/** Kin are looked up one by one where they are at most one block in this many; else all blocks are looked at for kin. */
const KIN_SHARE = 64

/** A block while those near it are looked for. */
interface Looked {
  readonly near: Top
  readonly kin: Top
  readonly isAllowed: (slot: number) => boolean
  readonly isKin: (slot: number) => boolean
  /** All kin, if they are few. */
  readonly fewKin: readonly number[] | undefined
}

/**
 * For each block the `count` most similar active ones of its scope at or above `floor`, and the `count` most similar kin at or above
 * `kinFloor`, best first. One pass for all; of each block only those are looked at that may still be among its most similar.
 * Few kin are looked up one by one, because their floor is low.
 */
export function nearestBlocks(
  parts: IndexParts,
  asked: readonly Compared[],
  { count, floor, kinFloor = floor, scan = 'exact' }: NearestOptions,
): Near[][] {
  const { blocks, vectors } = parts
  const mostKin = Math.ceil(blocks.end / KIN_SHARE)
  const looked = asked.map(
    (each): Looked => ({
      ...{ isAllowed: blocks.inScope(each.scope), isKin: kinTest(parts, each) },
      ...{ near: new Top(count, blocks.precedes), kin: new Top(count, blocks.precedes) },
      fewKin: kinOf(parts, each, mostKin),
    }),
  )
  for (const [query, { fewKin, isAllowed, kin }] of looked.entries()) {
    if (fewKin === undefined) continue
    const cosines = vectors.cosinesAt((asked[query] as Compared).vector, fewKin)
    for (const [i, slot] of fewKin.entries()) {
      const cosine = cosines[i] as number
      if (cosine >= kinFloor && kin.wants(slot, cosine) && isAllowed(slot)) kin.take(slot, cosine)
    }
  }
  vectors.eachAbove(
    asked.map(({ vector }) => vector),
    { slots: blocks.end, floorOf: (query) => floorOf(looked[query] as Looked, { floor, kinFloor }), scan },
    (query, slot, cosine) => {
      const { near, kin, isAllowed, isKin, fewKin } = looked[query] as Looked
      const isNear = cosine >= floor && near.wants(slot, cosine)
      const mayBeKin = fewKin === undefined && cosine >= kinFloor && kin.wants(slot, cosine)
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

/** The least cosine that is still wanted: one below the last of those found is not. */
function floorOf(
  { near, kin, fewKin }: Looked,
  { floor, kinFloor }: { readonly floor: number; readonly kinFloor: number },
): number {
  const wanted = Math.max(floor, near.least)
  return fewKin === undefined ? Math.min(wanted, Math.max(kinFloor, kin.least)) : wanted
}

/** Slots that share the block's session or a tag, each once; undefined if they are more than `most`. */
function kinOf(
  { blocks, chains }: IndexParts,
  { scope, session, tags = [] }: Compared,
  most: number,
): readonly number[] | undefined {
  const chain = session === undefined ? undefined : blocks.chainOf({ session, ...(scope && { scope }) })
  const ofSession = chain === undefined ? [] : chains.slotsOf(chain, most)?.map(blocks.headOf)
  const ofTags = tags.length === 0 ? [] : blocks.sharing(tags, most)
  return ofSession && ofTags && [...new Set([...ofSession, ...ofTags])]
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
