import { defined } from '../block/text.ts'
import { AUTO, type Engine } from '../engine/engine.ts'
import { readWaiting } from '../store/blocks.ts'
import { readMeta, saveMeta } from '../store/log.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'

export interface DreamAdvice {
  readonly pending: number
  /** A dream is due and this memory does not dream by itself. */
  readonly shouldDream: boolean
  /** Number of waiting blocks from which a dream is due. */
  readonly threshold: number
}

export function dreamAdvice(
  { settings, rest }: Pick<Engine, 'settings' | 'rest'>,
  pending: number,
): DreamAdvice {
  const threshold = settings.memory.inboxThreshold
  return { pending, shouldDream: pending >= threshold && rest.mode === 'off', threshold }
}

/** A claim of one process, by a random name, to dream at rest until a time in ms: a killed process loses it by itself. */
interface Lease {
  readonly holder: string
  readonly until: number
}

/** The process that dreams at rest, and the time when one last did (ISO-8601 UTC). There is one record for the whole store. */
interface RestRecord {
  readonly lease?: Lease
  readonly dreamtAt?: string
}

const REST_KEY = 'rest'

/** Returns the milliseconds that a lease lasts: as long as a dream may, and its last batch. */
function leaseMs({ settings }: Engine): number {
  return settings.memory.dreamSeconds * 1000 + 10_000
}

/** Returns the store's record of dreams at rest; an empty one if it cannot be read. */
export async function readRest(tx: ReadTransaction): Promise<RestRecord> {
  try {
    const read: unknown = JSON.parse((await readMeta(tx, REST_KEY)) ?? '{}')
    return typeof read === 'object' && read !== null ? read : {}
  } catch {
    return {}
  }
}

/** Returns the lease of another process; undefined if there is none or it is over. */
export function leaseOfOther(engine: Engine, { lease }: RestRecord): Lease | undefined {
  const left = (lease?.until ?? 0) - engine.clock.now()
  // A lease that ends later than any could is from a clock that was set back.
  return lease?.holder !== engine.rest.holder && left > 0 && left <= leaseMs(engine) ? lease : undefined
}

/** The parts that work at rest depends on while it runs. */
export interface RestTurn {
  /** Lets other calls have their turn; returns false once a call came in or the memory closes. */
  readonly goesOn: () => Promise<boolean>
  readonly signal: AbortSignal
}

/** Returns the milliseconds without a call after which a dream may begin. */
export function quietMsOf({ settings }: Engine): number {
  return settings.memory.autoDreamQuietSeconds * 1000
}

/**
 * Dreams if any block waits, all was quiet and no other process dreams. Returns the milliseconds until the next look. If it does not dream,
 * it costs one read of three statements.
 */
export async function dreamAtRest(engine: Engine, { goesOn, signal }: RestTurn): Promise<number> {
  const { settings, rest, clock } = engine
  const wait = await waitOf(engine)
  if (wait > 0) return wait
  const isMine = await saveRest(engine, (known) => {
    if (leaseOfOther(engine, known)) return undefined
    return { ...known, lease: { holder: rest.holder, until: clock.now() + leaseMs(engine) } }
  })
  if (!isMine) return quietMsOf(engine)
  let dreamtAt: string | undefined
  try {
    // The first dream at rest loads this module.
    const { dream } = await import('./dream.ts')
    const request = {
      ...{ maxSeconds: settings.memory.dreamSeconds, hostAnalyses: {}, edgeLabels: [] },
      ...{ noLlm: rest.mode === 'rules', rescore: false, rescoreMax: 0, goesOn },
    }
    const { processed } = await dream(engine, request, { actor: AUTO, signal })
    rest.trouble = undefined
    if (processed > 0) dreamtAt = new Date(clock.now()).toISOString()
  } finally {
    await saveRest(engine, ({ lease, ...known }) => ({
      ...known,
      ...(lease !== undefined && lease.holder !== rest.holder ? { lease } : {}),
      ...defined({ dreamtAt }),
    }))
  }
  return quietMsOf(engine)
}

/** Returns the milliseconds until a dream may begin; 0 if it may now. */
function waitOf(engine: Engine): Promise<number> {
  const quietMs = quietMsOf(engine)
  return engine.store.read(async (tx) => {
    if ((await readWaiting(tx)) === 0) return quietMs
    const now = engine.clock.now()
    const other = leaseOfOther(engine, await readRest(tx))
    if (other !== undefined) return Math.max(1, other.until - now)
    const { wallMs: lastCall = Number.NEGATIVE_INFINITY } = (await tx.state()).clock
    // A last call in the future is from a clock that was set back.
    const quietFor = lastCall > now ? quietMs : now - lastCall
    return Math.max(0, Math.ceil(quietMs - quietFor))
  })
}

function saveRest(
  { store }: Engine,
  change: (known: RestRecord) => RestRecord | undefined,
): Promise<boolean> {
  const work = async (tx: Transaction) => {
    const next = change(await readRest(tx))
    if (next !== undefined) await saveMeta(tx, REST_KEY, JSON.stringify(next))
    return next !== undefined
  }
  return store.write(work, { durable: false })
}
