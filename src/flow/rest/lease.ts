import { isHeldByOther, type Lease } from '../../domain/advice/rest.ts'
import type { StoreReader, StoreWriter } from '../../ports/store/transaction.ts'
import type { Engine } from '../engine/engine.ts'

const REST_KEY = 'rest'

/** Which process dreams at rest, and when one last did (ISO-8601 UTC). One for the whole store. */
export interface RestRecord {
  readonly lease?: Lease
  readonly dreamtAt?: string
}

/** Returns what the store knows about dreams at rest; nothing if it cannot be read. */
export async function readRest(tx: StoreReader): Promise<RestRecord> {
  try {
    const read: unknown = JSON.parse((await tx.meta(REST_KEY)) ?? '{}')
    return typeof read === 'object' && read !== null ? read : {}
  } catch {
    return {}
  }
}

/** The lease of another process; undefined if there is none or it is over. */
export function leaseOfOther(engine: Engine, { lease }: RestRecord): Lease | undefined {
  const state = { lease, holder: engine.rest.holder, now: engine.clock.now() }
  return isHeldByOther(state, LEASE_MS) ? lease : undefined
}

/** Takes the lease, or takes it again; false if another process holds it. One write that need not be durable. */
export function takeLease(engine: Engine): Promise<boolean> {
  return save(engine, async (rest) => {
    if (leaseOfOther(engine, rest)) return undefined
    return { ...rest, lease: { holder: engine.rest.holder, until: engine.clock.now() + LEASE_MS } }
  })
}

/** Gives the lease back, if it is still this process's. */
export async function giveLeaseBack(engine: Engine, dreamtAt: string | undefined): Promise<void> {
  await save(engine, async ({ lease, ...rest }) => {
    const others = lease !== undefined && lease.holder !== engine.rest.holder ? { lease } : {}
    return { ...rest, ...others, ...(dreamtAt === undefined ? {} : { dreamtAt }) }
  })
}

function save(
  { store }: Engine,
  change: (rest: RestRecord) => Promise<RestRecord | undefined>,
): Promise<boolean> {
  const work = async (tx: StoreWriter) => {
    const next = await change(await readRest(tx))
    if (next !== undefined) await tx.saveMeta(REST_KEY, JSON.stringify(next))
    return next !== undefined
  }
  return store.write(work, { durable: false })
}

/** Milliseconds that a lease lasts; the holder renews it, and a killed process delays the others by this time. */
export const LEASE_MS = 60_000
