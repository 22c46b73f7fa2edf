import type { Block } from '../block/block.ts'
import { defined } from '../block/text.ts'
import { momentWords } from '../block/validity.ts'
import type { Engine } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { instantOf, requireBlock } from '../intake/check-input.ts'
import type { PastMoment } from '../store/contract.ts'

/** A memory as it was; the memory as it is when no time was asked for. Times are ISO-8601 UTC. */
export interface Looking extends PastMoment {
  readonly engine: Engine
  /** The time answers are for. */
  readonly at: string | undefined
  /** From when on all that was known is there; undefined if always. */
  readonly knownSince?: string | undefined
}

/**
 * Works over the memory of the times asked for, or over what there is. A past is read for each call, which costs as much as
 * opening the whole memory.
 *
 * @param asked ISO dates or date-times: when something was true, and when it was known
 */
export async function inPast<T>(
  engine: Engine,
  asked: PastMoment,
  work: (looking: Looking) => Promise<T>,
): Promise<T> {
  if (asked.asOf === undefined && asked.knownAt === undefined) return work({ engine, at: undefined })
  const moment = defined({
    asOf: asked.asOf && instantOf(asked.asOf),
    knownAt: asked.knownAt && instantOf(asked.knownAt),
  })
  mustBePast(engine, moment.knownAt)
  const { store, ...known } = await engine.store.past(moment)
  try {
    return await work({ engine: engine.over(store), at: moment.asOf ?? moment.knownAt, ...moment, ...known })
  } finally {
    await store.close()
  }
}

/** Throws for a future time: what is true then may be known now, but nobody knows what will be known then. */
function mustBePast({ clock }: Pick<Engine, 'clock'>, knownAt: string | undefined): void {
  if (knownAt === undefined || Date.parse(knownAt) <= clock.now()) return
  throw new ElfmemError('INVALID_INPUT', `What will be known on ${momentWords(knownAt)} is not known yet.`, {
    recovery: 'Leave knownAt out for what is known now; asOf may lie ahead.',
    details: { knownAt },
  })
}

/** The block an id or prefix stands for; throws `NOT_FOUND` if it was not there at the time looked at. */
export async function requireThen({ engine, at, asOf, knownAt }: Looking, blockId: string): Promise<Block> {
  try {
    return await engine.store.read((tx) => requireBlock(tx, blockId))
  } catch (error) {
    if (at === undefined || !ElfmemError.is(error) || error.code !== 'NOT_FOUND') throw error
    throw new ElfmemError('NOT_FOUND', `Block ${blockId} was not there on ${momentWords(at)}.`, {
      recovery: 'Leave asOf and knownAt out to see it as it is, or name a moment at which it was there.',
      details: { blockId, ...defined({ asOf, knownAt }) },
    })
  }
}

/** The note of an answer about the past; empty for one about now. */
export function pastNote({ asOf, knownAt, knownSince }: Looking): string {
  const isBefore = knownAt !== undefined && knownSince !== undefined && knownAt < knownSince
  const words = [
    asOf !== undefined &&
      `This was true on ${momentWords(asOf)}${knownAt === undefined ? ', as it is known now' : ''}.`,
    knownAt !== undefined &&
      `This is what was known on ${momentWords(knownAt)}; freshness, uses and what use joined are as now.`,
    isBefore &&
      `Words and beliefs are known back to ${momentWords(knownSince)}; of before only which blocks had come.`,
  ]
  return words.filter(Boolean).join(' ')
}

/** The times of an answer, for its fields. */
export function momentsOf({ asOf, knownAt, knownSince }: Looking) {
  return { ...(asOf && { asOf }), ...(knownAt && { knownAt }), ...(knownSince && { knownSince }) }
}
