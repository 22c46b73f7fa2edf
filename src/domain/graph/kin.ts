import type { BlockFacts } from '../block/block.ts'
import { isIdentity, isLessTrusted, isOwn, SOURCE_CLASSES, type SourceClass } from '../block/source-class.ts'

/** Two blocks. */
export interface Pair {
  readonly one: BlockFacts
  readonly other: BlockFacts
}

/** Blocks of one class that read alike. */
export interface Kin {
  /** Directly, or through others that are trusted as much or more. */
  readonly own: readonly BlockFacts[]
  /** Some of them, each with one trusted more that it reads like itself. */
  readonly across: readonly { readonly less: BlockFacts; readonly more: BlockFacts }[]
}

/**
 * Blocks that read alike, class by class, the most trusted first, so that what is trusted less joins nothing that is
 * trusted more. What others say is not taken for the agent's own.
 */
export function kinOf(pairs: readonly Pair[]): Kin[] {
  const alike = pairs.filter(
    ({ one, other }) => isOwn(one) === isOwn(other) && isIdentity(one) === isIdentity(other),
  )
  const byClass = Map.groupBy(alike, ({ one, other }) => lessOf({ one, other }).sourceClass)
  const sets = new Sets()
  return SOURCE_CLASSES.flatMap((sourceClass) =>
    kinOfClass(sourceClass, byClass.get(sourceClass) ?? [], sets),
  )
}

/** @param pairs of which the less trusted is of this class */
function kinOfClass(sourceClass: SourceClass, pairs: readonly Pair[], sets: Sets): Kin[] {
  for (const { one, other } of pairs) sets.join(one, other)
  const across = Map.groupBy(
    pairs.filter(({ one, other }) => one.sourceClass !== other.sourceClass),
    ({ one }) => sets.of(one),
  )
  return [...new Set(pairs.map(({ one }) => sets.of(one)))].map((set) => ({
    own: set.filter((facts) => facts.sourceClass === sourceClass),
    across: (across.get(set) ?? []).map((pair) => {
      const less = lessOf(pair)
      return { less, more: less === pair.one ? pair.other : pair.one }
    }),
  }))
}

function lessOf({ one, other }: Pair): BlockFacts {
  return isLessTrusted(one.sourceClass, other.sourceClass) ? one : other
}

/** Sets of blocks while they are joined. */
class Sets {
  readonly #byId = new Map<string, BlockFacts[]>()

  of(block: BlockFacts): BlockFacts[] {
    return this.#byId.get(block.id) ?? [block]
  }

  join(one: BlockFacts, other: BlockFacts): void {
    const [first, second] = [this.of(one), this.of(other)]
    if (first === second) return
    const [more, fewer] = first.length < second.length ? [second, first] : [first, second]
    more.push(...fewer)
    for (const { id } of [one, other, ...fewer]) this.#byId.set(id, more)
  }
}
