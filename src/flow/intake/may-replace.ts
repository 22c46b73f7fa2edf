import type { Block } from '../../domain/block/block.ts'
import { isConstitutional } from '../../domain/block/tags.ts'
import { FACT_MOST } from '../../domain/conflict/slot/slot.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { blocksById, HOLDERS_MOST } from '../blocks/look-up.ts'
import type { Engine } from '../engine/engine.ts'
import { isOneTalk, laterOf, mayBeVersions, mayFollow, readerOf } from '../recall/versions/slots.ts'

/** Most earlier blocks that are named. */
export const NAMED_MOST = 3
/** Blocks that share so many such words, or the first words, are read. */
const SHARED_LEAST = 2
const READ_MOST = 8

/**
 * Blocks whose place a new one seems to take, by words alone, those with most in common first. A hint for whoever remembers,
 * who knows: nothing is noted. No statement unless words lead to some, then one. Empty where this process holds no index.
 */
export async function earlierByWords(engine: Engine, tx: StoreReader, block: Block): Promise<Block[]> {
  const ids = sharingWords(engine, block)
  if (ids.length === 0) return []
  const found = await blocksById(tx, ids)
  const { changedCosine } = engine.settings.recall
  return ids
    .flatMap((id) => found.get(id) ?? [])
    .filter((older) => isEarlier(engine, { newer: block, older, cosine: changedCosine }))
    .slice(0, NAMED_MOST)
}

/**
 * True if a block seems to say what another said before it changed, whatever will be asked: by the rule by which recall sets
 * one under the other, which is trusted no more.
 */
export function isEarlier(
  engine: Pick<Engine, 'analysis' | 'settings'>,
  { newer, older, cosine }: { readonly newer: Block; readonly older: Block; readonly cosine: number },
): boolean {
  const isThere = older.status !== 'archived' && older.supersededAt === undefined && older.id !== newer.id
  if (!isThere || older.scope !== newer.scope || isConstitutional(older.tags)) return false
  if (!mayBeVersions(newer, older) || laterOf(newer, older) !== newer) return false
  if (!mayFollow(engine, newer, older)) return false
  const near = { cosine, namedIn: () => [], isOneTalk: isOneTalk(newer, older) }
  return readerOf(engine.analysis).isLater(newer, older, near, engine.settings.recall)
}

/** Ids of other blocks with the same first words, or with several rare words of a block. */
function sharingWords({ analysis, index }: Engine, { id, content }: Block): string[] {
  const words = [...new Set(readerOf(analysis).wordsOf({ id, content }))]
  if (index.size === 0 || words.length > FACT_MOST) return []
  const shared = new Map<string, number>()
  const count = (ids: readonly string[] = [], times = 1) => {
    for (const each of ids) if (each !== id) shared.set(each, (shared.get(each) ?? 0) + times)
  }
  for (const word of words) count(index.holding([word], HOLDERS_MOST))
  // Frequent words may still begin few texts.
  for (let most = SHARED_LEAST; most < words.length; most++) {
    const found = index.holding(words.slice(0, most), HOLDERS_MOST)
    if (found === undefined) continue
    count(found, SHARED_LEAST)
    break
  }
  return [...shared]
    .filter(([, times]) => times >= SHARED_LEAST)
    .sort(([, one], [, other]) => other - one)
    .slice(0, READ_MOST)
    .map(([each]) => each)
}
