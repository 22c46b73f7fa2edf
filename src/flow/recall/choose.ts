import type { BlockFacts } from '../../domain/block/block.ts'
import type { Candidate, Dropped } from './rank.ts'
import type { FoundTies } from './ties.ts'
import { type Version, versionsAmong } from './versions.ts'

/** The candidates of the answer with what stands under each, newest first, and those left out with the reason. */
export interface Choice {
  readonly chosen: readonly Candidate[]
  readonly versions: ReadonlyMap<string, readonly Version[]>
  /** Number of further versions. */
  readonly moreVersions: ReadonlyMap<string, number>
  readonly dropped: readonly Dropped[]
  /** An entry and what stands under it, as far as they were found, left out for one reason. */
  readonly leftWith: (entry: string, reason: Dropped['reason']) => readonly Dropped[]
}

interface ChoiceRequest {
  readonly guaranteed: readonly Candidate[]
  readonly ties: Omit<FoundTies, 'pairs'>
  /** So many versions stand under an entry, those that the question names most; more are counted. */
  readonly versionsMost: number
  /** Number of entries of an answer that could have these. */
  readonly sizeOf: (entries: readonly Candidate[]) => number
}

/**
 * The blocks of an answer: the guaranteed ones first, outside every rule, then the best others, as many as `sizeOf` says.
 * Versions of each other are one entry, in the best place of them all, even where its head was not found itself.
 */
export function choose(
  ranked: readonly Candidate[],
  { guaranteed, ties, versionsMost, sizeOf }: ChoiceRequest,
): Choice {
  const always = new Set(guaranteed.map(({ facts }) => facts.id))
  const candidates = new Map([...ranked, ...guaranteed].map((each) => [each.facts.id, each]))
  const beyond = new Map(ties.beyond.map((facts) => [facts.id, facts]))
  const blocks = [...[...candidates.values()].map(({ facts }) => facts), ...beyond.values()]
  const { headOf, under, kin, beside } = versionsAmong(blocks, ties, always)
  const entries = new Map<string, Candidate>()
  for (const found of ranked) {
    const head = headOf(found.facts.id)
    const entry = candidates.get(head) ?? { ...found, facts: beyond.get(head) ?? found.facts }
    if (!always.has(head) && !entries.has(head)) entries.set(head, entry)
  }
  const asked = kin.reduce<readonly Candidate[]>(
    (order, each) => askedFirst(order, each, { headOf, ...ties }),
    [...entries.values()],
  )
  const factsOf = (id: string) => candidates.get(id)?.facts ?? beyond.get(id)
  const all = beside.reduce<readonly Candidate[]>((order, { more, less }) => {
    const [head, speaks] = [headOf(more), headOf(less)]
    const facts = always.has(head) || head === speaks ? undefined : factsOf(head)
    return facts === undefined ? order : trustedFirst(order, facts, speaks)
  }, asked)
  const size = sizeOf(all)
  const chosen = [...guaranteed, ...all.slice(0, size)]
  const versionsOf = ({ facts }: Candidate) => under.get(facts.id) ?? []
  const kept = new Set(
    chosen.flatMap((each) => mostNamed(versionsOf(each), versionsMost, ties.namedIn).map(({ id }) => id)),
  )
  const left = (ids: readonly string[], reason: Dropped['reason']) =>
    ids.flatMap((id) => candidates.get(id) ?? []).map(({ facts: { id }, score }) => ({ id, reason, score }))
  const leftWith: Choice['leftWith'] = (entry, reason) =>
    left([entry, ...(under.get(entry) ?? []).map(({ id }) => id)], reason)
  return {
    chosen,
    versions: new Map(
      chosen.map((each) => [each.facts.id, versionsOf(each).filter(({ id }) => kept.has(id))]),
    ),
    moreVersions: new Map(
      chosen.map((each) => [each.facts.id, Math.max(0, versionsOf(each).length - versionsMost)]),
    ),
    dropped: [
      ...all.slice(size).flatMap(({ facts }) => leftWith(facts.id, 'top_k')),
      ...chosen.flatMap((each) =>
        left(
          versionsOf(each)
            .map(({ id }) => id)
            .filter((id) => !kept.has(id)),
          'versions',
        ),
      ),
    ],
    leftWith,
  }
}

/** Puts a block before a less trusted entry that speaks against it, even where it was not found itself. */
function trustedFirst(entries: readonly Candidate[], facts: BlockFacts, less: string): readonly Candidate[] {
  const [at, known] = [less, facts.id].map((id) => entries.findIndex((entry) => entry.facts.id === id))
  const speaks = entries[at ?? -1]
  if (at === undefined || known === undefined || speaks === undefined || (known >= 0 && known < at))
    return entries
  const first = entries[known] ?? { ...speaks, facts }
  const others = entries.filter((entry) => entry !== first)
  return others.toSpliced(at, 0, first)
}

/** Of versions, the newest first, those of which the question names most; of those named alike the newest. */
function mostNamed(
  versions: readonly Version[],
  most: number,
  namedIn: FoundTies['namedIn'],
): readonly Version[] {
  return versions.toSorted((one, other) => namedIn(other.id).length - namedIn(one.id).length).slice(0, most)
}

/**
 * Puts first, among entries that read alike, those of which the question names most: what tells them apart hardly moves
 * their ranks. One that was not found is an entry, too, if the question names more of it than of those that were.
 */
function askedFirst(
  entries: readonly Candidate[],
  kin: readonly BlockFacts[],
  { namedIn, headOf }: Pick<FoundTies, 'namedIn'> & { readonly headOf: (id: string) => string },
): readonly Candidate[] {
  const ids = new Set(kin.map(({ id }) => id))
  const alike = entries.filter(({ facts }) => ids.has(facts.id))
  const [first] = alike
  if (first === undefined) return entries
  const namedOf = ({ id }: BlockFacts) => namedIn(id).length
  const most = Math.max(...alike.map(({ facts }) => namedOf(facts)))
  const missed = kin.filter((facts) => headOf(facts.id) === facts.id && namedOf(facts) > most)
  const ordered = [...missed.map((facts) => ({ ...first, facts })), ...alike].sort(
    (one, other) => namedOf(other.facts) - namedOf(one.facts),
  )
  const places = entries.map((each) => (ids.has(each.facts.id) ? ordered.shift() : undefined) ?? each)
  return [...places, ...ordered]
}
