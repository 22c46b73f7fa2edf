import type { BlockFacts } from '../../domain/block/block.ts'
import { isLessTrusted } from '../../domain/block/source-class.ts'
import { CONTRADICTS } from '../../domain/graph/expansion.ts'
import { type Version, versionsAmong } from '../../domain/versions/versions.ts'
import type { Links } from '../../ports/store/transaction.ts'
import type { Filter } from '../../search/index/filter.ts'
import type { ResidentIndex } from '../../search/resident-index.ts'
import { askedFirst, type Moved, type Moves, namedFirst, noteMoved, noteSwapped, putBefore } from './order.ts'
import type { Candidate, Dropped } from './rank.ts'
import type { FoundTies } from './versions/ties.ts'

/** The candidates of the answer with what stands under each, newest first, and those left out with the reason. */
export interface Choice {
  readonly chosen: readonly Candidate[]
  /** The entries that there was no place for, in their order. */
  readonly beyond: readonly Candidate[]
  readonly versions: ReadonlyMap<string, readonly Version[]>
  /** All that stand under each, those that are only counted, too. */
  readonly under: ReadonlyMap<string, readonly Version[]>
  /** Entries that do not stand where their scores would put them. */
  readonly moves: Moves
  /** Number of further versions. */
  readonly moreVersions: ReadonlyMap<string, number>
  readonly dropped: readonly Dropped[]
  /** An entry and what stands under it, as far as they were found, left out for one reason. */
  readonly leftWith: (entry: string, reason: Dropped['reason']) => readonly Dropped[]
}

interface ChoiceRequest {
  readonly guaranteed: readonly Candidate[]
  readonly ties: Omit<FoundTies, 'pairs' | 'blocks'>
  /** So many versions stand under an entry, those that the question names most; more are counted. */
  readonly versionsMost: number
  /** Number of entries of an answer that could have these. */
  readonly sizeOf: (entries: readonly Candidate[]) => number
}

/** The facts that decide which of two entries comes first. */
interface Ordering extends Pick<ReturnType<typeof versionsAmong>, 'kin' | 'beside' | 'headOf'> {
  readonly ties: ChoiceRequest['ties']
  readonly always: ReadonlySet<string>
  readonly factsOf: (id: string) => BlockFacts | undefined
  /** The entries that were moved, and why. */
  readonly moves: Map<string, Moved>
}

/** Entries in the order in which they are shown: as the question names them, then as they are trusted, what holds not behind what does. */
function inOrder(
  entries: readonly Candidate[],
  { kin, beside, ties, always, headOf, factsOf, moves }: Ordering,
): readonly Candidate[] {
  const stands = ({ id }: BlockFacts) => headOf(id) === id && !always.has(id)
  const asking = { stands, namedIn: ties.namedIn }
  const asked = kin.reduce<readonly Candidate[]>((order, { own, across }) => {
    const first = noteSwapped(moves, [order, askedFirst(order, own, asking)])
    const named = namedFirst(asking)
    return across.reduce((now, both) => noteMoved(moves, 'named', [now, named(now, both)]), first)
  }, entries)
  const trusted = beside.reduce<readonly Candidate[]>((order, { more, less }) => {
    const [head, speaks] = [headOf(more), headOf(less)]
    const [facts, against] = [factsOf(head), factsOf(speaks)]
    if (always.has(head) || facts === undefined || against === undefined) return order
    // What speaks against it may stand under another that is trusted as much, and says nothing of the kind.
    if (!isLessTrusted(against.sourceClass, facts.sourceClass)) return order
    return noteMoved(moves, 'trusted', [order, putBefore(order, facts, speaks)])
  }, asked)
  return ties.inOrder.reduce<readonly Candidate[]>((order, { first, behind, why }) => {
    const [facts, entry] = [factsOf(headOf(first)), factsOf(headOf(behind))]
    const isKept = facts === undefined || entry?.id !== behind || always.has(facts.id)
    return isKept ? order : noteMoved(moves, why, [order, putBefore(order, facts, behind)])
  }, trusted)
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
  const { kin, beside, headOf, under } = versionsAmong(blocks, ties, always)
  const factsOf = (id: string) => candidates.get(id)?.facts ?? beyond.get(id)
  const entries = new Map<string, Candidate>()
  const moves = new Map<string, Moved>()
  for (const found of ranked) {
    const head = headOf(found.facts.id)
    const entry = candidates.get(head) ?? { ...found, facts: beyond.get(head) ?? found.facts }
    if (always.has(head) || entries.has(head)) continue
    entries.set(head, entry)
    if (head !== found.facts.id) moves.set(head, { why: 'version', before: found.facts.id })
  }
  const all = inOrder([...entries.values()], { kin, beside, ties, always, headOf, factsOf, moves })
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
    beyond: all.slice(size),
    under,
    moves,
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

/** Of versions, the newest first, those of which the question names most; of those named alike the newest. */
function mostNamed(
  versions: readonly Version[],
  most: number,
  namedIn: FoundTies['namedIn'],
): readonly Version[] {
  return versions.toSorted((one, other) => namedIn(other.id).length - namedIn(one.id).length).slice(0, most)
}

/** A block that objects to one in the answer. */
interface Objection {
  readonly id: string
  /** The block it objects to. */
  readonly to: string
}

/** Returns blocks that contradict some of those shown and are not visible themselves, in their order, at most `most`. */
export function objectionsTo(
  shown: readonly string[],
  links: Links,
  {
    isVisible,
    most,
  }: {
    /** True of a block that is an entry or stands under one. */
    readonly isVisible: (id: string) => boolean
    readonly most: number
  },
): Objection[] {
  const opposed = opposedIn(links)
  const found = shown.flatMap((to) =>
    opposed.flatMap(([one, other]) => {
      if (one !== to && other !== to) return []
      const id = one === to ? other : one
      return isVisible(id) ? [] : [{ id, to }]
    }),
  )
  const first = new Map(found.toReversed().map((objection) => [objection.id, objection]))
  return found.filter((objection) => first.get(objection.id) === objection).slice(0, most)
}

/** Returns which of those shown contradict each other, each two once, in their order. */
export function disputesAmong(shown: readonly string[], links: Links): (readonly [string, string])[] {
  const opposed = new Set(opposedIn(links).flatMap(([one, other]) => [`${one} ${other}`, `${other} ${one}`]))
  return shown.flatMap((one, at) =>
    shown.slice(at + 1).flatMap((other) => (opposed.has(`${one} ${other}`) ? [[one, other] as const] : [])),
  )
}

function opposedIn({ edges, pairs }: Links): (readonly [string, string])[] {
  return [
    ...edges.filter(({ relation }) => relation === CONTRADICTS).map(({ from, to }) => [from, to] as const),
    ...pairs.filter(({ kind }) => kind === 'contradiction').map(({ a, b }) => [a, b] as const),
  ]
}

/** Filters of a call that no block of a frame passes. */
export interface Unmatched {
  readonly filters: readonly Filter[]
  /** Blocks of the frame without them. */
  readonly without: number
}

/**
 * The filters of a call that no block passes: each that fails alone, or all together; undefined when none fails. A pass over
 * all blocks for each.
 *
 * @param ofFrame what the frame itself asks of its blocks
 */
export function unmatchedFilters(
  index: ResidentIndex,
  { tags, category, session }: Pick<Filter, 'tags' | 'category' | 'session'>,
  ofFrame: Filter,
): Unmatched | undefined {
  const given: Filter[] = [
    ...(tags && tags.length > 0 ? [{ tags }] : []),
    ...(category === undefined ? [] : [{ category }]),
    ...(session === undefined ? [] : [{ session }]),
  ]
  const isUnmatched = (filter: Filter) => index.counts.countPassing({ ...ofFrame, ...filter }) === 0
  const alone = given.filter(isUnmatched)
  const filters = alone.length > 0 ? alone : [Object.assign({}, ...given) as Filter].filter(isUnmatched)
  return given.length === 0 || filters.length === 0
    ? undefined
    : { filters, without: index.counts.countPassing(ofFrame) }
}
