import type { Block } from '../../domain/block/block.ts'
import { endOf, momentWords, validityWords } from '../../domain/block/validity.ts'
import { ElfmemError } from '../../errors.ts'
import type { PastMoment } from '../../ports/store/store.ts'
import type { Engine } from '../engine/engine.ts'
import { instantOf } from '../guard/check-input.ts'
import { requireBlock } from '../guard/resolve-ids.ts'

/** A moment of the past as a caller asks for it. */
export interface AskedPast {
  /** ISO date or date-time. */
  readonly asOf?: string | undefined
  /** How much of it is looked at. */
  readonly extent: PastMoment['extent']
}

/** A memory as it was, and the moment, ISO-8601 UTC; the memory as it is when no moment was asked for. */
export interface Looking {
  readonly engine: Engine
  readonly at: string | undefined
}

/** Works over what was true at the moment asked for, or over what there is. A past is read for the call alone. */
export async function inPast<T>(
  engine: Engine,
  { asOf, extent }: AskedPast,
  work: (looking: Looking) => Promise<T>,
): Promise<T> {
  if (asOf === undefined) return work({ engine, at: undefined })
  const at = instantOf(asOf)
  const store = await engine.store.past({ asOf: at, extent })
  try {
    return await work({ engine: engine.over(store), at })
  } finally {
    await store.close()
  }
}

/** The block an id or prefix stands for; throws `NOT_FOUND` with when it holds if it did not at the moment looked at. */
export async function requireThen(present: Engine, { engine, at }: Looking, blockId: string): Promise<Block> {
  const block = await present.store.read((tx) => requireBlock(tx, blockId))
  if (at === undefined) return block
  const [then] = await engine.store.read((tx) => tx.blocks([block.id]))
  if (then !== undefined) return then
  throw new ElfmemError(
    'NOT_FOUND',
    `Block ${block.id} was not true on ${momentWords(at)}${whenElse(block)}.`,
    {
      recovery: 'Leave asOf out to see it as it is, or name a moment at which it was true and not forgotten.',
      details: { blockId: block.id, asOf: at },
    },
  )
}

function whenElse(block: Block): string {
  const words = validityWords({ validFrom: block.validFrom, validUntil: endOf(block) })
  return words === '' ? '' : `: it holds ${words}`
}

/** What an answer about a moment says of itself; empty for one about now. */
export function pastNote(at: string | undefined): string {
  return at === undefined ? '' : `This was true on ${momentWords(at)}, as it is known now.`
}
