import { isNewer } from '../../domain/block/newer.ts'
import { isOwn } from '../../domain/block/source-class.ts'
import type { BlockPair } from '../../domain/graph/edge.ts'
import { factsOf } from '../../domain/similarity/facts.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { stemOf } from '../../search/analyse.ts'
import type { Engine } from '../engine/engine.ts'
import type { Found } from './find.ts'
import type { Candidate } from './rank.ts'

/** A block that stands under another one of the answer: an older version, or one that reads alike. */
export interface Version {
  readonly id: string
  readonly why: 'superseded' | 'near_duplicate'
}

interface Grouped {
  /** The newest of its group, by the ids of the others. */
  readonly headOf: ReadonlyMap<string, string>
  /** The others, newest first, by the id of the newest. */
  readonly versions: ReadonlyMap<string, readonly Version[]>
}

/** Groups candidates that pairs join; what others say is shown beside the own words, not in their place. */
export function versionsAmong(candidates: readonly Candidate[], pairs: readonly BlockPair[]): Grouped {
  const factsById = new Map(candidates.map(({ facts }) => [facts.id, facts]))
  const newer = new Map<string, string>()
  const why = new Map<string, Version['why']>()
  const headOf = (id: string): string => {
    const next = newer.get(id)
    return next === undefined ? id : headOf(next)
  }
  for (const { a, b, kind } of pairs) {
    const [one, other] = [factsById.get(headOf(a)), factsById.get(headOf(b))]
    if (kind === 'contradiction' || !factsById.has(a) || !factsById.has(b)) continue
    if (!one || !other || one.id === other.id) continue
    if (kind === 'near_duplicate' && isOwn(one) !== isOwn(other)) continue
    const [older, head] = isNewer(one, other) ? [other, one] : [one, other]
    newer.set(older.id, head.id)
    why.set(older.id, kind === 'supersession' ? 'superseded' : 'near_duplicate')
  }
  const olders = [...newer.keys()].flatMap((id) => factsById.get(id) ?? [])
  const versions = Map.groupBy(
    olders.sort((one, other) => (isNewer(one, other) ? -1 : 1)),
    ({ id }) => headOf(id),
  )
  return {
    headOf: new Map(olders.map(({ id }) => [id, headOf(id)])),
    versions: new Map(
      [...versions].map(([head, facts]) => [
        head,
        facts.map(({ id }) => ({ id, why: why.get(id) ?? 'near_duplicate' })),
      ]),
    ),
  }
}

/**
 * Says of two blocks whether the question names what one has and the other has not; of all when nothing is to be grouped.
 * One statement when blocks found are flagged as versions of each other.
 */
export async function toldApart(
  engine: Engine,
  tx: StoreReader,
  question: string | undefined,
  { ranked, pairs }: Found,
): Promise<(one: string, other: string) => boolean> {
  if (!engine.settings.recall.groupVersions) return () => true
  if (question === undefined) return () => false
  const found = new Set(ranked.map(({ facts }) => facts.id))
  const flagged = pairs.filter(({ a, b, kind }) => kind !== 'contradiction' && found.has(a) && found.has(b))
  if (flagged.length === 0) return () => false
  const asked = wordsOf(question)
  const named = (content: string) =>
    [...wordsOf(content)]
      .filter((word) => asked.has(word))
      .sort()
      .join(' ')
  const blocks = await tx.blocks(flagged.flatMap(({ a, b }) => [a, b]))
  const names = new Map(blocks.map(({ id, content }) => [id, named(content)]))
  return (one, other) => names.get(one) !== names.get(other)
}

/** The words of a text as stems, as they are, and its names as written: what a question can share with it. */
function wordsOf(text: string): Set<string> {
  const { terms, names } = factsOf(text, stemOf)
  return new Set([...terms, ...factsOf(text, (word) => `=${word}`).terms, ...names.map((name) => `"${name}`)])
}
