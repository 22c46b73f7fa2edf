import type { BlockFacts } from '../../domain/block/block.ts'
import { isLessTrusted } from '../../domain/block/source-class.ts'
import { CONTRADICTS } from '../../domain/graph/expansion.ts'
import { confidenceOf } from '../../domain/score/experience.ts'
import { type Grouped, groupVersions, type Tie, type Version } from '../../domain/versions/told.ts'
import type { Links } from '../../ports/store/transaction.ts'
import type { Filter } from '../../search/index/blocks.ts'
import type { ResidentIndex } from '../../search/resident-index.ts'
import type { Candidate, Dropped } from './rank.ts'

/**
 * Why an entry does not stand where its score would put it: it has the place of a told version; it is the question word for word; of two that contradict each other it is
 * `trusted` or `believed` more; it `holds` and what is to take its place has not begun; it may be the `newer` of two; or it is the
 * version that a question about the past wants.
 */
type MovedWhy = 'version' | 'verbatim' | 'trusted' | 'believed' | 'holds' | 'newer' | 'past'

/** A rule that moved an entry, and the other block it compared it with. */
export interface Moved {
  readonly why: MovedWhy
  readonly before: string
}

/** The entries that moved, each with the last rule that moved it. */
type Moves = ReadonlyMap<string, Moved>

/** Two blocks that contradict each other, as somebody said who read both. */
export interface Dispute {
  readonly one: string
  readonly other: string
}

/** Returns the stated contradictions among edges and open pairs, each once; none that only a rule found. */
export function disputesIn({ edges, pairs }: Links): Dispute[] {
  const found = [
    ...edges
      .filter(({ relation }) => relation === CONTRADICTS)
      .map(({ from, to }) => ({ one: from, other: to })),
    ...pairs
      .filter(({ kind, foundBy }) => kind === 'contradiction' && !foundBy?.startsWith('rule:'))
      .map(({ a, b }) => ({ one: a, other: b })),
  ]
  const keyOf = ({ one, other }: Dispute) => (one < other ? `${one} ${other}` : `${other} ${one}`)
  return [...new Map(found.map((dispute) => [keyOf(dispute), dispute])).values()]
}

/** The entries of an answer in their order, with the told versions under each. */
export interface Entries extends Grouped {
  readonly entries: readonly Candidate[]
  readonly moves: Moves
  readonly candidates: ReadonlyMap<string, Candidate>
}

interface EntriesRequest {
  readonly guaranteed: readonly Candidate[]
  readonly ties: readonly Tie[]
  /** Ties of which the newer block has not begun. */
  readonly ahead: readonly Tie[]
  /** Told versions of blocks found that were not found themselves. */
  readonly beyond: readonly BlockFacts[]
  readonly disputes: readonly Dispute[]
  /** Id of a block whose text is the question. */
  readonly verbatim: string | undefined
}

/**
 * Makes entries of candidates: told versions of one fact are one entry, in the best place of them all, even where the newest was not
 * found itself. Of two that contradict each other, or of which one was to replace the other, the more trusted comes first, then the
 * one believed more.
 */
export function entriesOf(
  ranked: readonly Candidate[],
  { guaranteed, ties, ahead, beyond, disputes, verbatim }: EntriesRequest,
): Entries {
  const always = new Set(guaranteed.map(({ facts }) => facts.id))
  const candidates = new Map([...ranked, ...guaranteed].map((each) => [each.facts.id, each]))
  const unfound = new Map(beyond.map((facts) => [facts.id, facts]))
  const blocks = [...[...candidates.values()].map(({ facts }) => facts), ...unfound.values()]
  const { headOf, under } = groupVersions(blocks, ties, always)
  const entries = new Map<string, Candidate>()
  const moves = new Map<string, Moved>()
  for (const found of ranked) {
    const head = headOf(found.facts.id)
    const entry = candidates.get(head) ?? { ...found, facts: unfound.get(head) ?? found.facts }
    if (always.has(head) || entries.has(head)) continue
    entries.set(head, entry)
    if (head !== found.facts.id) moves.set(head, { why: 'version', before: found.facts.id })
  }
  const entryOf = (id: string) => entries.get(headOf(id))
  const [best] = entries.values()
  const preferred = [
    preferenceOf(verbatim === undefined ? undefined : entries.get(verbatim), best, 'verbatim'),
    ...ahead.map(({ newer, older }) => preferenceOf(entryOf(older), entryOf(newer), 'holds')),
    ...ties.map(({ newer, older }) => moreTrusted(entryOf(older), entryOf(newer))),
    ...disputes.map(
      ({ one, other }) =>
        moreTrusted(entryOf(one), entryOf(other)) ?? moreBelieved(entryOf(one), entryOf(other)),
    ),
  ]
  const ordered = preferred.reduce<readonly Candidate[]>(
    (order, preference) => (preference ? putFirst(order, preference, moves) : order),
    [...entries.values()],
  )
  return { entries: ordered, headOf, under, moves, candidates }
}

/** Two entries of which the first stands before the second. */
interface Preference {
  readonly first: Candidate
  readonly behind: Candidate
  readonly why: MovedWhy
}

function preferenceOf(
  first: Candidate | undefined,
  behind: Candidate | undefined,
  why: MovedWhy,
): Preference | undefined {
  return first && behind && first !== behind ? { first, behind, why } : undefined
}

function moreTrusted(one: Candidate | undefined, other: Candidate | undefined): Preference | undefined {
  if (one === undefined || other === undefined) return undefined
  if (isLessTrusted(other.facts.sourceClass, one.facts.sourceClass))
    return preferenceOf(one, other, 'trusted')
  const isLess = isLessTrusted(one.facts.sourceClass, other.facts.sourceClass)
  return isLess ? preferenceOf(other, one, 'trusted') : undefined
}

function moreBelieved(one: Candidate | undefined, other: Candidate | undefined): Preference | undefined {
  if (one === undefined || other === undefined) return undefined
  const difference = confidenceOf(one.facts) - confidenceOf(other.facts)
  if (difference === 0) return undefined
  return difference > 0 ? preferenceOf(one, other, 'believed') : preferenceOf(other, one, 'believed')
}

function putFirst(
  order: readonly Candidate[],
  { first, behind, why }: Preference,
  moves: Map<string, Moved>,
): readonly Candidate[] {
  const [from, to] = [order.indexOf(first), order.indexOf(behind)]
  if (from < to) return order
  moves.set(first.facts.id, { why, before: behind.facts.id })
  return order.toSpliced(from, 1).toSpliced(to, 0, first)
}

/** The entries that an answer shows, with what stands under each, newest first, and those left out with the reason. */
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

/**
 * Returns the blocks of an answer: the guaranteed ones first, outside every rule, then the entries in the given order.
 *
 * @param order ids of the entries that the answer shows
 * @param versionsMost number of versions that an entry names; more are counted
 */
export function choose(
  { entries, under, moves, candidates }: Entries,
  guaranteed: readonly Candidate[],
  { order, versionsMost }: { readonly order: readonly string[]; readonly versionsMost: number },
): Choice {
  const byId = new Map(entries.map((each) => [each.facts.id, each]))
  const chosen = [...guaranteed, ...order.flatMap((id) => byId.get(id) ?? [])]
  const isChosen = new Set(chosen.map(({ facts }) => facts.id))
  const beyond = entries.filter(({ facts }) => !isChosen.has(facts.id))
  const versionsOf = ({ facts }: Candidate) => under.get(facts.id) ?? []
  const left = (ids: readonly string[], reason: Dropped['reason']) =>
    ids.flatMap((id) => candidates.get(id) ?? []).map(({ facts: { id }, score }) => ({ id, reason, score }))
  const leftWith: Choice['leftWith'] = (entry, reason) =>
    left([entry, ...(under.get(entry) ?? []).map(({ id }) => id)], reason)
  const further = (each: Candidate) =>
    versionsOf(each)
      .slice(versionsMost)
      .map(({ id }) => id)
  return {
    ...{ chosen, beyond, under, moves, leftWith },
    versions: new Map(chosen.map((each) => [each.facts.id, versionsOf(each).slice(0, versionsMost)])),
    moreVersions: new Map(chosen.map((each) => [each.facts.id, further(each).length])),
    dropped: [
      ...beyond.flatMap(({ facts }) => leftWith(facts.id, 'top_k')),
      ...chosen.flatMap((each) => left(further(each), 'versions')),
    ],
  }
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
  disputes: readonly Dispute[],
  {
    isVisible,
    most,
  }: {
    /** True of a block that is an entry or stands under one. */
    readonly isVisible: (id: string) => boolean
    readonly most: number
  },
): Objection[] {
  const found = shown.flatMap((to) =>
    disputes.flatMap(({ one, other }) => {
      if (one !== to && other !== to) return []
      const id = one === to ? other : one
      return isVisible(id) ? [] : [{ id, to }]
    }),
  )
  const first = new Map(found.toReversed().map((objection) => [objection.id, objection]))
  return found.filter((objection) => first.get(objection.id) === objection).slice(0, most)
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
