import type { Block } from '../../domain/block/block.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import type { Engine } from '../engine/engine.ts'

/** Most earlier blocks that are named. */
export const NAMED_MOST = 3

/** Returns earlier blocks whose place a new one seems to take. */
export async function earlierByWords(_engine: Engine, _tx: StoreReader, _block: Block): Promise<Block[]> {
  return []
}

/** Returns true if a block seems to say what another said before it changed. */
export function isEarlier(
  _engine: Pick<Engine, 'analysis' | 'settings'>,
  _pair: { readonly newer: Block; readonly older: Block; readonly cosine: number },
): boolean {
  return false
}
