import type { IndexCache } from '../ports/index-cache.ts'

/** Where a store says which packed copy is its own. */
export const INDEX_MARK = 'index_mark'

/** Where a packed copy is kept, and where the store says that it is its own. */
export interface KeptIndex {
  readonly cache: IndexCache
  readonly mark: string
}
