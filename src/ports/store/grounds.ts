import type { Ground } from '../../domain/block/block.ts'

/** Queries of what rests on what. */
export interface GroundsReader {
  /**
   * Returns the grounds of some blocks, in the order of both ids. Cost: the rows that name the blocks, in either
   * place.
   */
  groundsOf(ids: readonly string[]): Promise<Ground[]>
  /** Returns the blocks that rest on some blocks, in the order of both ids. The same cost. */
  restingOn(ids: readonly string[]): Promise<Ground[]>
  /** All of them in the order of both ids, behind those two. */
  groundPage(after: readonly [blockId: string, ground: string], limit: number): Promise<Ground[]>
}

/** Changes of what rests on what. */
export interface GroundsWriter {
  /** Notes what existing blocks rest on. What a rule had read is overwritten by what is given or judged; else what is there stays. */
  saveGrounds(grounds: readonly Ground[]): Promise<void>
  removeGrounds(grounds: readonly Pick<Ground, 'blockId' | 'ground'>[]): Promise<void>
}
