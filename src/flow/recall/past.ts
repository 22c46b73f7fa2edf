import type { Block } from '../../domain/block/block.ts'
import { mayCover } from '../../domain/block/source-class.ts'
import { hasBegun, isNewer, startOf } from '../../domain/block/validity/validity.ts'
import type { PastWanted, RecalledVersion } from '../../domain/versions/versions.ts'
import type { PastAsked } from '../../search/language/pack.ts'
import { type Asking, type Candidate, type Entry, passageOf, RECALL } from './match.ts'

/**
 * Returns which version a question wants among entries; undefined where told versions decide.
 *
 * @param first id of the first entry that is compared
 */
export function pastWanted(
  past: PastAsked,
  first: string | undefined,
  {
    entries,
    blocks,
  }: { readonly entries: readonly Candidate[]; readonly blocks: ReadonlyMap<string, Block> },
): PastWanted | undefined {
  const told = new Set(entries.flatMap(({ facts, under }) => (under.length > 0 ? [facts.id] : [])))
  const isTold = (id: string) => told.has(id) || blocks.get(id)?.supersedes !== undefined
  if (typeof past === 'string') return first === undefined || isTold(first) ? undefined : past
  const until = endOfPast(past)
  return (id) => {
    const block = blocks.get(id)
    return block === undefined || isTold(id) || hasBegun(block, until)
  }
}

const endOfPast = ({ to }: Exclude<PastAsked, string>) => new Date(to - 1).toISOString()

/**
 * Puts the version that a question about the past asks for in the place of each entry: under it stand the later ones, newest first,
 * and then the earlier. An entry stays where none of its versions is of then, or may be shown in its place.
 */
export function turnToPast<T extends Asking & { readonly entries: readonly Entry[] }>(
  found: T,
  past: PastAsked,
): T {
  const entries = found.entries.map((entry): Entry => {
    const turned = (entry.guaranteed ? undefined : turnedRound(past, entry, found)) ?? entry
    const { versions, moreVersions } = turned
    const more = moreVersions + Math.max(0, versions.length - RECALL.versionsMost)
    return { ...turned, versions: versions.slice(0, RECALL.versionsMost), moreVersions: more }
  })
  return { ...found, entries }
}

/** Returns the entry of a version of then; what it rested on may have ended since, which says nothing of then. */
function turnedRound(past: PastAsked, entry: Entry, asking: Asking): Entry | undefined {
  const { block: newest, versions, under } = entry
  const earlier = versions
    .filter(({ why }) => why !== 'proposed')
    .toSorted((a, b) => latestFirst(a.block, b.block))
  const wanted = versionOf(past, newest, earlier)
  if (wanted === undefined) return undefined
  const head = wanted.block
  // Trust matters only where nobody said that the newer takes its place.
  if (wanted.why !== 'superseded' && !mayCover(head, newest)) return undefined
  const others = [{ block: newest, why: 'later' as const }, ...earlier.filter((each) => each !== wanted)]
  const isLater = ({ block }: RecalledVersion) => latestFirst(block, head) < 0
  const found = under.find(({ id }) => id === head.id)?.candidate ?? { ...entry, facts: head }
  const { through: _through, passage: _passage, ...candidate } = found
  return {
    ...candidate,
    ...passageOf(candidate, head, asking),
    block: head,
    under,
    marks: [],
    outdated: [],
    moreVersions: 0,
    moved: { why: 'past', before: newest.id },
    versions: [
      ...others.filter(isLater).map(({ block }): RecalledVersion => ({ block, why: 'later' })),
      ...others.filter((each) => !isLater(each)),
      ...versions.filter(({ why }) => why === 'proposed'),
    ],
  }
}

/** Returns the version that is asked for; undefined if that is the newest itself, or none. */
function versionOf(
  past: PastAsked,
  newest: Block,
  earlier: readonly RecalledVersion[],
): RecalledVersion | undefined {
  if (past === 'before') return earlier[0]
  if (past === 'first') return earlier.at(-1)
  const until = endOfPast(past)
  if (hasBegun(newest, until)) return undefined
  return earlier.find(({ block }) => hasBegun(block, until))
}

/** Orders by when blocks began to hold, as they say, else as they were said; what had ended before it was said began before all. */
function latestFirst(one: Block, other: Block): number {
  const [first = '', second = ''] = [startOf(one), startOf(other)]
  if (first !== second) return first > second ? -1 : 1
  return isNewer(one, other) ? -1 : 1
}
