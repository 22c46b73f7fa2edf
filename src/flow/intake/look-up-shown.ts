import type { StoreReader } from '../../ports/store/transaction.ts'
import type { Engine } from '../engine/engine.ts'

/** Notes what other processes showed last. */
export async function lookUpShown(_engine: Engine, _tx: StoreReader): Promise<void> {}
