import type { Block } from '../../domain/block/block.ts'
import { endOf, momentWords, validityWords } from '../../domain/block/validity/validity.ts'
import { ElfmemError } from '../../errors.ts'
import type { PastMoment } from '../../ports/store/store.ts'
import type { Engine } from '../engine/engine.ts'
import { instantOf, requireBlock } from '../guard/check-input.ts'
import { takePast } from './kept-past.ts'

/** A time of the past as a caller asks for it. */
export interface AskedPast {
  /** Asks what was true then: ISO date or date-time. */
  readonly asOf?: string | undefined
  /** Asks what was known then: the same. */
  readonly knownAt?: string | undefined
  /** How much of it is looked at. */
  readonly extent: PastMoment['extent']
}

/** A memory as it was; the memory as it is when no time was asked for. Times are ISO-8601 UTC. */
export interface Looking {
  readonly engine: Engine
  /** The time answers are for. */
  readonly at: string | undefined
  readonly asOf?: string
  readonly knownAt?: string
  /** See `Past`. */
  readonly knownSince?: string
}

/** Works over the memory of the times asked for, or over what there is. */
export async function inPast<T>(
  engine: Engine,
  asked: AskedPast,
  work: (looking: Looking) => Promise<T>,
): Promise<T> {
  if (asked.asOf === undefined && asked.knownAt === undefined) return work({ engine, at: undefined })
  const moments = {
    ...(asked.asOf === undefined ? {} : { asOf: instantOf(asked.asOf) }),
    ...(asked.knownAt === undefined ? {} : { knownAt: instantOf(asked.knownAt) }),
  }
  mustBePast(engine, moments.knownAt)
  const { engine: past, knownSince, giveBack } = await takePast(engine, { ...moments, extent: asked.extent })
  try {
    const at = moments.asOf ?? moments.knownAt
    return await work({ engine: past, at, ...moments, ...(knownSince === undefined ? {} : { knownSince }) })
  } finally {
    await giveBack()
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

/** The block an id or prefix stands for; throws `NOT_FOUND` that says why if it was not there at the time looked at. */
export async function requireThen(present: Engine, looking: Looking, blockId: string): Promise<Block> {
  try {
    return await looking.engine.store.read((tx) => requireBlock(tx, blockId))
  } catch (error) {
    const isMissing = ElfmemError.is(error) && error.code === 'NOT_FOUND'
    if (!isMissing || looking.at === undefined) throw error
    throw wasNot(await present.store.read((tx) => requireBlock(tx, blockId)), looking)
  }
}

function wasNot(block: Block, { asOf, knownAt }: Looking): ElfmemError {
  const words = validityWords({ validFrom: block.validFrom, validUntil: endOf(block) })
  const when = [
    ...(asOf === undefined ? [] : [`not true on ${momentWords(asOf)}`]),
    ...(knownAt === undefined
      ? []
      : [`${asOf === undefined ? 'not known' : 'or not known'} on ${momentWords(knownAt)}`]),
  ]
  return new ElfmemError(
    'NOT_FOUND',
    `Block ${block.id} was ${when.join(', ')}${words && `: it holds ${words}`}.`,
    {
      recovery: 'Leave asOf and knownAt out to see it as it is, or name a moment at which it was there.',
      details: { blockId: block.id, ...(asOf && { asOf }), ...(knownAt && { knownAt }) },
    },
  )
}

/** The note of an answer about the past; empty for one about now. */
export function pastNote({ asOf, knownAt, knownSince }: Looking): string {
  const words = [
    ...(asOf === undefined
      ? []
      : [`This was true on ${momentWords(asOf)}${knownAt === undefined ? ', as it is known now' : ''}.`]),
    ...(knownAt === undefined
      ? []
      : [
          `This is what was known on ${momentWords(knownAt)}; freshness, uses and what use joined are as now.`,
        ]),
    ...(knownAt !== undefined && knownSince !== undefined && knownAt < knownSince
      ? [
          `Words and beliefs are known back to ${momentWords(knownSince)}; of before only which blocks there were.`,
        ]
      : []),
  ]
  return words.join(' ')
}

/** The times of an answer, for its fields. */
export function momentsOf({ asOf, knownAt, knownSince }: Looking) {
  return { ...(asOf && { asOf }), ...(knownAt && { knownAt }), ...(knownSince && { knownSince }) }
}
