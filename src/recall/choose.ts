import type { Block, SourceClass } from '../block/block.ts'
import { mayHoldTogether } from '../block/validity.ts'
import { ANSWER_SIZE } from '../engine/embedding.ts'
import type { Engine } from '../engine/engine.ts'
import { TOLD_KINDS } from '../graph/edge.ts'
import type { Filter } from '../index/blocks.ts'
import type { ResidentIndex } from '../index/resident-index.ts'
import { readOutdated } from '../intake/supersede.ts'
import { namesOf } from '../language/question.ts'
import { readBlocks } from '../store/blocks.ts'
import { readLinks } from '../store/graph.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { type Candidate, type Dropped, dropped, type Entry, type Mark, passageOf, RECALL } from './match.ts'
import type { Sized } from './newer.ts'
import { isShownBy } from './shown-mark.ts'
import { disputesIn, type Grouped } from './versions.ts'

/** Sets the number of entries: what the caller says, else what the owner set, else those that belong to the answer, which come first. */
export function sized({ settings }: Engine, found: Grouped): Sized {
  const limit = found.topK ?? (settings.recall.topK || undefined)
  if (limit !== undefined) return { ...found, size: limit, isLimit: true }
  if (found.asked === undefined) return { ...found, size: ANSWER_SIZE.queryless, isLimit: false }
  const { entries } = found
  const near = new Set(cut(sharesOf(found), found.asked.above))
  const sides = [true, false].map((isNear) => entries.filter((_, place) => near.has(place) === isNear))
  return { ...found, entries: sides.flat(), size: near.size, isLimit: false }
}

/**
 * Returns how near entries are to the best, 0..1: by their match, whatever experience made of their score; an entry that an edge brought,
 * or a rule put before another, as near as that one; one that reports say answered such a question as near as can be.
 */
function sharesOf({ entries, candidates }: Grouped): readonly number[] {
  // A block that steps back behind a look-alike bears on the question no less.
  const rankOf = new Map(
    candidates.map(({ facts, match }) => [facts.id, match ? match.rank - match.coverage : 0]),
  )
  const ranks = entries.map(({ facts: { id }, path, moved }) =>
    Math.max(...[id, path?.seed, moved?.before].map((each) => rankOf.get(each ?? '') ?? 0)),
  )
  const best = Math.max(Number.EPSILON, ...ranks)
  return entries.map(({ terms }, i) => {
    const isProven = terms.some(({ name, amount }) => name === 'asked' && amount > 0)
    return isProven ? 1 : (ranks[i] as number) / best
  })
}

/**
 * Returns the places of the entries near the best, from 0: one at least if there is any, `ANSWER_SIZE.most` at most.
 *
 * @param shares of the best rank that each entry has, in the order of the answer
 * @param above how far the nearest match lies above the line; undefined where cosines do not tell
 */
export function cut(shares: readonly number[], above: number | undefined): readonly number[] {
  const { nearBest, most, faint, faintMost } = ANSWER_SIZE
  const near = shares.flatMap((share, place) => (share >= nearBest ? [place] : []))
  const size = above !== undefined && above < faint ? faintMost : most
  return near.length > 0 || shares.length === 0 ? near.slice(0, size) : [0]
}

/** The record of a recall once the blocks of its answer are read. */
export interface Chosen extends Omit<Sized, 'entries'> {
  /** The guaranteed first, outside every rule, then the others in their order. */
  readonly entries: readonly Entry[]
  /** The entries that there was no place for, in their order. */
  readonly beyond: readonly Candidate[]
  readonly counterpoints: readonly Counterpoint[]
}

/** A block that contradicts one of the answer; never counted as support. */
export interface Counterpoint {
  readonly block: Block
  /** The block of the answer it contradicts. */
  readonly to: Block
  readonly marks: readonly Mark[]
}

/**
 * Reads the blocks of an answer, what objects to them, and what they rest on that holds no more. A few statements, one more where an
 * edge brought an entry.
 */
export async function choose(engine: Engine, tx: ReadTransaction, found: Sized): Promise<Chosen> {
  const { index } = engine
  const { size, guaranteed, asked, quality } = found
  const chosen = [...guaranteed, ...found.entries.slice(0, size)]
  const beyond = found.entries.slice(size)
  // A question about the past may want any of them.
  const most = asked?.past === undefined ? RECALL.versionsMost : Number.POSITIVE_INFINITY
  const visible = new Set(
    chosen.flatMap(({ facts, under }) => [facts.id, ...under.slice(0, most).map(({ id }) => id)]),
  )
  // The edges of entries that an edge brought were not looked up yet.
  const brought = chosen.filter(({ path, match }) => path && !match).map(({ facts }) => facts.id)
  const links = brought.length === 0 ? { edges: [], pairs: [] } : await readLinks(tx, brought, TOLD_KINDS)
  const disputes = [...found.disputes, ...disputesIn(links)]
  const bearing = quality === 'nothing' ? [] : chosen.filter(({ guaranteed: isAlways }) => !isAlways)
  const objections = bearing
    .flatMap(({ facts: { id: to } }) => opponentsOf(to, disputes).map((id) => ({ id, to })))
    .filter(({ id }, at, all) => !visible.has(id) && all.findIndex((each) => each.id === id) === at)
    .slice(0, RECALL.counterpoints)
  const wanted = [...visible, ...objections.map(({ id }) => id)]
  const unread = wanted.filter((id) => !found.blocks.has(id))
  const read = [...wanted.flatMap((id) => found.blocks.get(id) ?? []), ...(await readBlocks(tx, unread))]
  const living = read.filter(({ status }) => status !== 'archived')
  const blocks = new Map(living.map((block) => [block.id, block]))
  const ids = chosen.map(({ facts }) => facts.id)
  const outdated = await readOutdated(tx, ids, found.at)
  // A block that stands under another was replaced, and contradicts nothing any more.
  const stands = new Set([...ids, ...objections.map(({ id }) => id)])
  const isLiving = (id: string) => stands.has(id) || (!visible.has(id) && index.get(id) !== undefined)
  const mayOppose = (one: string, other: string) => {
    const [first, second] = [blocks.get(one), blocks.get(other)]
    return !first || !second || mayHoldTogether(first, second)
  }
  const contradictions = (id: string) =>
    opponentsOf(id, disputes)
      .filter((of) => isLiving(of) && mayOppose(id, of))
      .map((of): Mark => ({ kind: 'contradicts', of }))
  return {
    ...found,
    entries: chosen.flatMap((each): Entry[] => {
      const { id } = each.facts
      const block = blocks.get(id)
      if (block === undefined) return []
      const through = throughOf(engine, each, blocks)
      const versions = each.under.slice(0, most).flatMap(({ id: version, why }) => {
        const other = blocks.get(version)
        return other ? [{ block: other, why }] : []
      })
      return [
        {
          ...each,
          block,
          versions,
          ...(through && { through }),
          ...passageOf(each, block, found),
          moreVersions: Math.max(0, each.under.length - most),
          outdated: outdated.get(id) ?? [],
          marks: [...each.marks, ...contradictions(id)],
        },
      ]
    }),
    beyond,
    counterpoints: objections.flatMap(({ id, to }) => {
      const [block, against] = [blocks.get(id), blocks.get(to)]
      const isBoth = block && against && mayHoldTogether(block, against)
      return isBoth ? [{ block, to: against, marks: contradictions(id) }] : []
    }),
    dropped: [
      ...found.dropped,
      ...beyond.flatMap((each) => dropped(each, 'top_k')),
      ...chosen.flatMap(({ under }) =>
        under
          .slice(RECALL.versionsMost)
          .flatMap(({ candidate }) => (candidate ? dropped(candidate, 'versions') : [])),
      ),
    ],
  }
}

function opponentsOf(id: string, disputes: Sized['disputes']): string[] {
  return disputes.flatMap(({ one, other }) => (one === id ? [other] : other === id ? [one] : []))
}

/** The name that led to a candidate, in the words of the block that has it where that was read, else in comparable ones. */
function throughOf(
  { analysis }: Engine,
  { match }: Candidate,
  blocks: ReadonlyMap<string, Block>,
): Candidate['through'] {
  if (match?.through === undefined) return undefined
  const { block: id, terms } = match.through
  const from = blocks.get(id)
  const key = terms.join(' ')
  const name = from && namesOf(from, analysis.language).find((each) => each.terms.join(' ') === key)
  return { name: name?.text ?? key, block: id }
}

/** The blocks that a call leaves out of the text, though they were found. */
export interface LeftOutOfText {
  /**
   * Ids of blocks, or at least their first characters: the caller has them already. Behind a `#`, the first characters of the
   * hash of the words that it has: the block is left out while it has these. Words alone, `#` first, are any block's.
   */
  readonly without?: readonly string[] | undefined
  /** Only what one of these speaks in is shown, as an entry or under one; all unless given. */
  readonly classes?: readonly SourceClass[] | undefined
}

/**
 * Leaves out of an answer what the call does not want. It was chosen before, so nothing weaker comes in its place; what stands under
 * an entry or objects to it goes by the same rule.
 */
export function leaveOut({ ids }: Engine, found: Chosen, { without = [], classes }: LeftOutOfText): Chosen {
  if (without.length === 0 && classes === undefined) return found
  const isShown = isShownBy(without, ids.sha256)
  const isKnown = ({ block, passage }: Pick<Entry, 'block' | 'passage'>) =>
    isShown(block) || (passage !== undefined && isShown({ ...block, content: wordsServed(block, passage) }))
  const mayShow = ({ sourceClass }: Block) => classes === undefined || classes.includes(sourceClass)
  const isKept = (each: Pick<Entry, 'block' | 'passage'>) => !isKnown(each) && mayShow(each.block)
  const entries = found.entries.filter(isKept).map((entry): Entry => {
    const versions = entry.versions.filter(({ block }) => mayShow(block))
    const hidden = entry.versions.length - versions.length
    const outdated = entry.outdated.filter(({ ground }) => mayShow(ground))
    return { ...entry, versions, moreVersions: entry.moreVersions + hidden, outdated }
  })
  const kept = new Set(entries.map(({ block }) => block.id))
  const left = found.entries.flatMap((entry): Dropped[] => {
    const { block, score } = entry
    return isKept(entry) ? [] : [{ id: block.id, reason: isKnown(entry) ? 'without' : 'class', score }]
  })
  return {
    ...found,
    entries,
    counterpoints: found.counterpoints.filter((each) => isKept(each) && kept.has(each.to.id)),
    dropped: [...found.dropped, ...left],
  }
}

/** Returns the words of a block that an answer serves. */
export function wordsServed({ content }: Pick<Block, 'content'>, passage: Candidate['passage']): string {
  return content.slice(passage?.from, passage?.to)
}

/** Filters of a call that no block of a frame passes. */
export interface Unmatched {
  readonly filters: readonly Filter[]
  /** Blocks of the frame without them. */
  readonly without: number
}

/**
 * Returns the filters of a call that no block passes: each that fails alone, or all together; undefined when none fails. A pass over
 * all blocks for each filter given.
 *
 * @param ofFrame what the frame itself asks of its blocks
 */
export function unmatchedFilters(
  index: ResidentIndex,
  { tags, category, session }: Pick<Filter, 'tags' | 'category' | 'session'>,
  ofFrame: Filter,
): Unmatched | undefined {
  const all: Filter[] = [{ tags: tags?.length ? tags : undefined }, { category }, { session }]
  const given = all.filter((filter) => Object.values(filter)[0] !== undefined)
  if (given.length === 0) return undefined
  const isUnmatched = (filter: Filter) => index.countPassing({ ...ofFrame, ...filter }) === 0
  const alone = given.filter(isUnmatched)
  const filters = alone.length > 0 ? alone : [Object.assign({}, ...given) as Filter].filter(isUnmatched)
  return filters.length === 0 ? undefined : { filters, without: index.countPassing(ofFrame) }
}
