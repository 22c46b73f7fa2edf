import type { BlockFacts } from '../../domain/block/block.ts'
import type { Kin } from '../../domain/graph/kin.ts'
import type { Ties } from '../../domain/versions/versions.ts'
import type { Candidate } from './rank.ts'

/**
 * Why an entry does not stand where its score would put it: versions of one fact stand in the best place of them all; of what reads
 * alike the question names more of one, one is trusted more, one has a number of the question, one is the newer word; or one held at
 * the time asked about, and the other did not.
 */
export type MovedWhy = 'version' | 'named' | 'trusted' | 'number' | 'newer' | 'held'

/** The entry that another was put before or behind; of a version the one whose place it has. */
export interface Moved {
  readonly why: MovedWhy
  readonly before?: string
  readonly behind?: string
}

/** The entries that moved, each with the last rule that moved it. */
export type Moves = ReadonlyMap<string, Moved>

/** Notes of two orders, of which the later was made by a rule, what the rule moved up. */
export function noteMoved(
  moves: Map<string, Moved>,
  why: MovedWhy,
  [before, after]: readonly [readonly Candidate[], readonly Candidate[]],
): readonly Candidate[] {
  if (before === after) return after
  const was = new Map(before.map(({ facts }, at) => [facts.id, at]))
  for (const [at, { facts }] of after.entries()) {
    const next = after[at + 1]?.facts.id
    const [own = before.length, others = -1] = [was.get(facts.id), was.get(next ?? '')]
    // Only what was put before something can stand directly before what it was behind, or what made way for it.
    if (next !== undefined && own > others && own > at) moves.set(facts.id, { why, before: next })
  }
  return after
}

/** Notes of blocks that changed their places among each other which took the place of which. */
export function noteSwapped(
  moves: Map<string, Moved>,
  [before, after]: readonly [readonly Candidate[], readonly Candidate[]],
): readonly Candidate[] {
  const was = new Map(before.map(({ facts }, at) => [facts.id, at]))
  for (const [at, { facts }] of after.entries()) {
    const [own, other] = [was.get(facts.id), before[at]?.facts.id]
    if (own === at) continue
    const taker = own === undefined ? undefined : after[own]?.facts.id
    if ((own === undefined || own > at) && other !== undefined)
      moves.set(facts.id, { why: 'named', before: other })
    else if (taker !== undefined) moves.set(facts.id, { why: 'named', behind: taker })
  }
  return after
}

/** Puts a block before an entry that it stands behind, even where it was not found itself. */
export function putBefore(
  entries: readonly Candidate[],
  facts: BlockFacts,
  other: string,
): readonly Candidate[] {
  const [at, known] = [other, facts.id].map((id) => entries.findIndex((entry) => entry.facts.id === id))
  const behind = entries[at ?? -1]
  if (at === undefined || known === undefined || behind === undefined || (known >= 0 && known < at))
    return entries
  const first = entries[known] ?? { ...behind, facts }
  const others = entries.filter((entry) => entry !== first)
  return others.toSpliced(at, 0, first)
}

/** Of two of unlike trust that read alike, the one of which the question names more stands directly before the other. */
export function namedFirst({ namedIn, stands }: Asking) {
  const numberOf = ({ id }: BlockFacts) => namedIn(id).length
  return (entries: readonly Candidate[], { less, more }: Kin['across'][number]): readonly Candidate[] => {
    if (!stands(less) || !stands(more)) return entries
    const difference = numberOf(less) - numberOf(more)
    if (difference === 0) return entries
    return difference > 0 ? putBefore(entries, less, more.id) : putBefore(entries, more, less.id)
  }
}

interface Asking extends Pick<Ties, 'namedIn'> {
  /** True of a block that is or may be an entry of its own. */
  readonly stands: (facts: BlockFacts) => boolean
}

/**
 * Puts first, among entries that read alike, those of which the question names most: what tells them apart hardly moves
 * their ranks. One that was not found is an entry, too, if the question names more of it than of those that were.
 */
export function askedFirst(
  entries: readonly Candidate[],
  kin: readonly BlockFacts[],
  { namedIn, stands }: Asking,
): readonly Candidate[] {
  const ids = new Set(kin.map(({ id }) => id))
  const alike = entries.filter(({ facts }) => ids.has(facts.id))
  const [first] = alike
  if (first === undefined) return entries
  const namedOf = ({ id }: BlockFacts) => namedIn(id).length
  const most = Math.max(...alike.map(({ facts }) => namedOf(facts)))
  const missed = kin.filter((facts) => stands(facts) && namedOf(facts) > most)
  const ordered = [...missed.map((facts) => ({ ...first, facts })), ...alike].sort(
    (one, other) => namedOf(other.facts) - namedOf(one.facts),
  )
  const places = entries.map((each) => (ids.has(each.facts.id) ? ordered.shift() : undefined) ?? each)
  return [...places, ...ordered]
}
