import type { Block } from '../block/block.ts'
import { defined } from '../block/text.ts'
import { momentWords } from '../block/validity.ts'
import type { Engine } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import type { ResidentIndex } from '../index/resident-index.ts'
import { instantOf, requireBlock } from '../intake/check-input.ts'
import type { PastMoment, Store } from '../store/transaction.ts'

/** A memory as it was; the memory as it is when no time was asked for. Times are ISO-8601 UTC. */
export interface Looking extends PastMoment {
  readonly engine: Engine
  /** The time answers are for. */
  readonly at: string | undefined
  /** From when on all that was known is there; undefined if always. */
  readonly knownSince?: string | undefined
}

/** A past that was read, while somebody looks at it or may look again. */
interface KeptPast {
  readonly engine: Engine
  readonly knownSince?: string
  readonly store: Store
  /** The moment, and the state of the memory it was read from. */
  readonly mark: string
  users: number
  timer?: NodeJS.Timeout
}

/** Milliseconds a past is kept for the next question about it: it takes the room of the whole memory. */
const KEPT_MS = 60_000

/** The past that each open memory, or scope of one, was asked about last. */
const KEPT = new WeakMap<ResidentIndex, KeptPast>()

/**
 * Works over the memory of the times asked for, or over what there is. The past read last is used again while nothing was written
 * since, because reading it costs as much as opening the whole memory.
 *
 * @param asked ISO dates or date-times: when something was true, and when it was known
 */
export async function inPast<T>(
  engine: Engine,
  asked: PastMoment,
  work: (looking: Looking) => Promise<T>,
): Promise<T> {
  if (asked.asOf === undefined && asked.knownAt === undefined) return work({ engine, at: undefined })
  const moment = {
    ...(asked.asOf === undefined ? {} : { asOf: instantOf(asked.asOf) }),
    ...(asked.knownAt === undefined ? {} : { knownAt: instantOf(asked.knownAt) }),
  }
  mustBePast(engine, moment.knownAt)
  const past = await takePast(engine, moment)
  const { engine: then, knownSince } = past
  try {
    return await work({ engine: then, at: moment.asOf ?? moment.knownAt, ...moment, knownSince })
  } finally {
    past.users--
    clearTimeout(past.timer)
    if (KEPT.get(engine.index) !== past) await closeUnused(past)
    else past.timer = setTimeout(() => void letGo(engine, past), KEPT_MS).unref()
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

async function takePast(engine: Engine, moment: PastMoment): Promise<KeptPast> {
  const mark = await markOf(engine, moment)
  const kept = KEPT.get(engine.index)
  if (kept?.mark === mark) {
    kept.users++
    return kept
  }
  const { store, ...known } = await engine.store.past(moment)
  const other = KEPT.get(engine.index)
  const past = { engine: engine.over(store), ...known, mark, store, users: 1 }
  if (other !== undefined) await letGo(engine, other)
  KEPT.set(engine.index, past)
  return past
}

/** Keeps a past no longer; whoever looks at it last closes it. */
async function letGo(engine: Engine, past: KeptPast): Promise<void> {
  clearTimeout(past.timer)
  if (KEPT.get(engine.index) === past) KEPT.delete(engine.index)
  await closeUnused(past)
}

async function closeUnused({ users, store }: KeptPast): Promise<void> {
  if (users === 0) await store.close()
}

/** A mark that moves with the moment, and with every write that another past could show. */
function markOf({ store }: Engine, moment: PastMoment): Promise<string> {
  return store.read(async (tx) => {
    const { sequence, generation } = await tx.queries.changes(Number.MAX_SAFE_INTEGER)
    const [newest] = await tx.queries.operations({ limit: 1 })
    return JSON.stringify([moment, sequence, generation, newest?.id])
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
