import type { Block } from '../../../domain/block/block.ts'
import type { StoreReader } from '../../../ports/store/transaction.ts'
import { type Filter, passesFilter } from '../../../search/index/blocks.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Candidate } from '../rank.ts'
import { type Explained, leastRankOf, type Shortfall, vectorLack } from './candidates.ts'

/** One condition of a recall that a block does not meet. */
export interface Unmet {
  /** The filter of the frame, or of the call. */
  readonly name: 'include' | 'exclude' | 'classes' | 'sessionOnly' | 'tags' | 'category' | 'session'
  readonly values: readonly string[]
}

/** Why a block is no candidate of a recall at all. */
export type Absence =
  | { readonly reason: 'archived' }
  | { readonly reason: 'filtered'; readonly filters: readonly Unmet[] }
  /** `no_vector`: words alone can find it as yet. Its match and score by itself, where something was asked. */
  | { readonly reason: 'pool' | 'no_vector'; readonly candidate?: Candidate; readonly short: Shortfall }

/** Returns why a block of the memory is none of the candidates. At most one pass over the index, and one statement. */
export async function absenceOf(
  engine: Pick<Engine, 'index'>,
  tx: StoreReader,
  block: Block,
  { asked, filter, all }: Explained,
): Promise<Absence> {
  if (block.status === 'archived') return { reason: 'archived' }
  const filters = unmet(block, filter)
  if (filters.length > 0) return { reason: 'filtered', filters }
  const lack = vectorLack(engine, block.id, asked)
  const reason = lack.lacksVector ? 'no_vector' : 'pool'
  const [match] = (await asked?.ranked(1, { ...filter, ids: new Set([block.id]) })) ?? []
  if (match === undefined) return { reason, short: lack }
  const [candidate] = (await all.found.beside?.weigh(tx, [match])) ?? []
  const short = { rank: match.rank, ...leastRankOf(asked), ...lack }
  return { reason, ...(candidate && { candidate }), short }
}

/** The conditions of a filter that a block does not meet, each by itself. */
function unmet(block: Block, filter: Filter): readonly Unmet[] {
  const { include, exclude, classes, ids, tags, category, session } = filter
  const conditions: readonly (Unmet & { readonly only: Filter })[] = [
    { name: 'include', values: include ?? [], only: { include } },
    { name: 'exclude', values: exclude ?? [], only: { exclude } },
    { name: 'classes', values: classes ?? [], only: { classes } },
    { name: 'sessionOnly', values: [], only: { ids } },
    { name: 'tags', values: tags ?? [], only: { tags } },
    { name: 'category', values: category === undefined ? [] : [category], only: { category } },
    { name: 'session', values: session === undefined ? [] : [session], only: { session } },
  ]
  return conditions.flatMap(({ only, ...named }) => (passesFilter(block, only) ? [] : [named]))
}
