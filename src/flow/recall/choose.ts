import type { Block, BlockFacts } from '../../domain/block/block.ts'
import { isLessTrusted } from '../../domain/block/source-class.ts'
import { type BlockPair, orderedPair } from '../../domain/graph/edge.ts'
import { CONTRADICTS } from '../../domain/graph/expansion.ts'
import { factsOf } from '../../domain/text/facts.ts'
import type { Links, StoreReader } from '../../ports/store/transaction.ts'
import { type Filter, passesFilter } from '../../search/index/filter.ts'
import { stemOf } from '../../search/language/choose.ts'
import type { Engine } from '../engine/engine.ts'
import type { Found } from './find.ts'
import { askedFirst, namedFirst, putBefore } from './order.ts'
import type { Candidate, Dropped } from './rank.ts'
import { type Tie, type Ties, type Version, versionsAmong } from './versions.ts'

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
  const stands = ({ id }: BlockFacts) => headOf(id) === id && !always.has(id)
  const asking = { stands, namedIn: ties.namedIn }
  const asked = kin.reduce<readonly Candidate[]>(
    (order, { own, across }) => across.reduce(namedFirst(asking), askedFirst(order, own, asking)),
    [...entries.values()],
  )
  const factsOf = (id: string) => candidates.get(id)?.facts ?? beyond.get(id)
  const all = beside.reduce<readonly Candidate[]>((order, { more, less }) => {
    const [head, speaks] = [headOf(more), headOf(less)]
    const [facts, against] = [factsOf(head), factsOf(speaks)]
    if (always.has(head) || facts === undefined || against === undefined) return order
    // What speaks against it may stand under another that is trusted as much, and says nothing of the kind.
    return isLessTrusted(against.sourceClass, facts.sourceClass) ? putBefore(order, facts, speaks) : order
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

/** Of versions, the newest first, those of which the question names most; of those named alike the newest. */
function mostNamed(
  versions: readonly Version[],
  most: number,
  namedIn: FoundTies['namedIn'],
): readonly Version[] {
  return versions.toSorted((one, other) => namedIn(other.id).length - namedIn(one.id).length).slice(0, most)
}

/** What ties the blocks found to each other and to blocks that were not found. */
interface FoundTies extends Ties {
  /** Blocks that pass the filter, were not found, and are tied to some that were. */
  readonly beyond: readonly BlockFacts[]
  /** Open pairs around all of them. */
  readonly pairs: readonly BlockPair[]
}

/**
 * Reads what ties the blocks found, beyond the candidates too, so that the newest is known whichever was found. One
 * statement when any of them is flagged, one more when a pair leads to a block that was not found; see `proposedPairs`.
 */
export async function readTies(
  engine: Engine,
  tx: StoreReader,
  { question, filter, found }: { question: string | undefined; filter: Filter; found: Found },
): Promise<FoundTies> {
  const { versionsReach } = engine.settings.recall
  const known = new Set([...found.ranked, ...found.guaranteed].map(({ facts }) => facts.id))
  const leadsOn = ({ a, b, kind }: BlockPair) => kind !== 'contradiction' && known.has(a) !== known.has(b)
  const proposed = await proposedPairs(
    engine,
    tx,
    found.ranked.map(({ facts }) => facts),
  )
  const from = new Set([...known, ...proposed.flatMap(({ a, b }) => [a, b])])
  const isWalk = found.pairs.some(leadsOn) || from.size > known.size
  const noted = isWalk ? await tx.groupedPairs([...from], from.size + versionsReach) : found.pairs
  const pairs = [...noted, ...proposed]
  const beyond = new Map(
    pairs
      .filter(({ kind }) => kind !== 'contradiction' || isWalk)
      .flatMap(({ a, b }) => [a, b])
      .filter((id) => !known.has(id))
      .flatMap((id) => engine.index.get(id) ?? [])
      .filter((facts) => passesFilter(facts, filter))
      .map((facts) => [facts.id, facts]),
  )
  const isHere = (id: string) => known.has(id) || beyond.has(id)
  const among = pairs.filter(({ a, b }) => isHere(a) && isHere(b))
  const blocks = new Map(
    (among.length === 0 ? [] : await tx.blocks([...new Set(among.flatMap(({ a, b }) => [a, b]))])).map(
      (block) => [block.id, block],
    ),
  )
  const stems = new Map<string, string>()
  const asked = question === undefined ? undefined : wordsOf(question, stems)
  const named = new Map(
    [...blocks].map(([id, { content }]) => [
      id,
      asked === undefined ? [] : [...wordsOf(content, stems)].filter((word) => asked.has(word)).sort(),
    ]),
  )
  const ties = among.map((pair) => tieOf(pair, blocks))
  return {
    ties: ties.filter(({ kind }) => engine.settings.recall.groupVersions || kind !== 'near_duplicate'),
    namedIn: (id) => named.get(id) ?? [],
    beyond: [...beyond.values()],
    pairs: isWalk ? [...found.pairs, ...pairs] : pairs,
  }
}

/** Whoever says that two blocks contradict each other and is not the owner. Rules and models are judged by what they find. */
const BY_AGENT: ReadonlySet<string | undefined> = new Set(['agent', 'host'])

/**
 * What whoever remembered a block said of another counts more than what rules or models found between the two: a
 * supersession that nobody said is only a proposal, which may be about two things, so it groups like what reads alike.
 */
export function tieOf({ a, b, kind, foundBy }: BlockPair, blocks: ReadonlyMap<string, Block>): Tie {
  if (blocks.get(a)?.supersedes === b) return { one: a, other: b, kind: 'supersession' }
  if (blocks.get(b)?.supersedes === a) return { one: b, other: a, kind: 'supersession' }
  if (kind === 'contradiction' && BY_AGENT.has(foundBy)) return { one: a, other: b, kind, by: 'agent' }
  return { one: a, other: b, kind: kind === 'supersession' ? 'near_duplicate' : kind }
}

/** Scripts that are written without spaces, so that a word is found only by its parts. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Laoo}\p{Script=Khmr}\p{Script=Mymr}]/u
/** Numbers and words of other scripts in between, and pairs of their own characters. */
const PARTS =
  /\p{N}+(?:[.,:-]\p{N}+)*|[\p{Script=Latin}\p{Script=Cyrl}\p{Script=Grek}]+|(?=(\p{L}\p{L}))\p{L}/gu

/** Options of a command are told apart by case. */
const OPTION = /^-{1,2}\p{L}[\p{L}\p{N}-]*$/u

/**
 * The words of a text as stems, as they are, and its names and options as written: what a question can share with it. Texts
 * that look alike share most words, so each is stemmed once.
 */
function wordsOf(text: string, stems: Map<string, string>): Set<string> {
  const words = new Set<string>()
  const { terms, names } = factsOf(text, (word) => {
    words.add(`=${word}`)
    const stem = stems.get(word) ?? stemOf(word)
    stems.set(word, stem)
    return stem
  })
  for (const term of terms) words.add(term)
  if (SPACELESS.test(text)) for (const [part, pair] of text.matchAll(PARTS)) words.add(`=${pair ?? part}`)
  const options = text.split(/[\s`'"(),]+/).filter((word) => OPTION.test(word))
  for (const name of [...names, ...options]) words.add(`"${name}`)
  return words
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

/**
 * Pairs of what waits and the block whose place it is to take, through whole chains of these around the blocks found:
 * their dream will note them. One statement, none where nothing waits.
 */
async function proposedPairs(
  { index, settings }: Engine,
  tx: StoreReader,
  found: readonly BlockFacts[],
): Promise<readonly BlockPair[]> {
  if (index.size === index.active || found.length === 0) return []
  const ids = found.map(({ id }) => id)
  const replacing = await tx.replacing(ids, ids.length + settings.recall.versionsReach)
  return replacing.flatMap(({ id, status, supersedes, createdAt }): BlockPair[] => {
    if (status !== 'inbox' || supersedes === undefined) return []
    const [a, b] = orderedPair(id, supersedes)
    return [{ a, b, kind: 'supersession', score: 1, resolved: false, createdAt }]
  })
}

function opposedIn({ edges, pairs }: Links): (readonly [string, string])[] {
  return [
    ...edges.filter(({ relation }) => relation === CONTRADICTS).map(({ from, to }) => [from, to] as const),
    ...pairs.filter(({ kind }) => kind === 'contradiction').map(({ a, b }) => [a, b] as const),
  ]
}
