import type { Block, BlockFacts } from '../../domain/block/block.ts'
import type { BlockPair } from '../../domain/graph/edge.ts'
import { factsOf } from '../../domain/similarity/facts.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { stemOf } from '../../search/analyse.ts'
import { type Filter, passesFilter } from '../../search/filter.ts'
import type { Engine } from '../engine/engine.ts'
import { proposedPairs } from '../waiting/proposed-pairs.ts'
import type { Found } from './find.ts'
import type { Tie, Ties } from './versions.ts'

/** What ties the blocks found to each other and to blocks that were not found. */
export interface FoundTies extends Ties {
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

/**
 * What whoever remembered a block said of another counts more than what rules or models found between the two: a
 * supersession that nobody said is only a proposal, which may be about two things, so it groups like what reads alike.
 */
export function tieOf({ a, b, kind }: BlockPair, blocks: ReadonlyMap<string, Block>): Tie {
  if (blocks.get(a)?.supersedes === b) return { one: a, other: b, kind: 'supersession' }
  if (blocks.get(b)?.supersedes === a) return { one: b, other: a, kind: 'supersession' }
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
