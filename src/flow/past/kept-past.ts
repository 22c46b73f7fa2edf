import type { PastMoment, Store } from '../../ports/store/store.ts'
import type { ResidentIndex } from '../../search/resident-index.ts'
import type { Engine } from '../engine/engine.ts'

/** A past that was read, while somebody looks at it or may look again. */
interface KeptPast {
  readonly engine: Engine
  readonly knownSince?: string
  readonly moment: PastMoment
  /** The state of the memory it was read from. */
  readonly mark: string
  readonly store: Store
  users: number
  /** Another took its place, or it waited too long: whoever looks at it last closes it. */
  isLetGo: boolean
  timer?: NodeJS.Timeout
}

/** A past in use. Whoever took it gives it back. */
export interface TakenPast extends Pick<KeptPast, 'engine' | 'knownSince'> {
  readonly giveBack: () => Promise<void>
}

/** Milliseconds a past is kept for the next question about it: it takes the room of the whole memory. */
const KEPT_MS = 60_000

/** Extents that have all of one. */
const HAS_ALL_OF: Readonly<Record<PastMoment['extent'], readonly PastMoment['extent'][]>> = {
  blocks: ['blocks', 'graph', 'all'],
  graph: ['graph', 'all'],
  all: ['all'],
}

/** The past each open memory, or scope of one, was asked about last. */
const KEPT = new WeakMap<ResidentIndex, KeptPast>()

/**
 * The memory as it was at a time. The one read last is taken again while nothing was written since, because reading it costs
 * as much as opening the whole memory; others are read.
 */
export async function takePast(engine: Engine, moment: PastMoment): Promise<TakenPast> {
  const mark = await markOf(engine)
  const kept = KEPT.get(engine.index)
  if (kept !== undefined && kept.mark === mark && isSame(kept.moment, moment)) return use(kept)
  if (kept !== undefined) await letGo(engine, kept)
  const { store, ...known } = await engine.store.past(moment)
  const read: KeptPast = {
    ...{ engine: engine.over(store), ...known, moment, mark, store },
    ...{ users: 0, isLetGo: false },
  }
  const other = KEPT.get(engine.index)
  if (other !== undefined) await letGo(engine, other)
  KEPT.set(engine.index, read)
  return use(read)

  function use(past: KeptPast): TakenPast {
    past.users++
    clearTimeout(past.timer)
    return { ...past, giveBack: () => giveBack(engine, past) }
  }
}

async function giveBack(engine: Engine, past: KeptPast): Promise<void> {
  past.users--
  if (past.users > 0) return
  if (past.isLetGo) return past.store.close()
  past.timer = setTimeout(() => void letGo(engine, past), KEPT_MS).unref()
}

async function letGo(engine: Engine, past: KeptPast): Promise<void> {
  clearTimeout(past.timer)
  if (KEPT.get(engine.index) === past) KEPT.delete(engine.index)
  if (past.isLetGo) return
  past.isLetGo = true
  if (past.users === 0) await past.store.close()
}

/** Moves with every write that another past could show. */
function markOf({ store }: Engine): Promise<string> {
  return store.read(async (tx) => {
    const { sequence, generation } = await tx.changes(Number.MAX_SAFE_INTEGER)
    const [newest] = await tx.operations({ limit: 1 })
    return JSON.stringify([sequence, generation, newest?.id])
  })
}

function isSame(kept: PastMoment, asked: PastMoment): boolean {
  return (
    kept.asOf === asked.asOf &&
    kept.knownAt === asked.knownAt &&
    HAS_ALL_OF[asked.extent].includes(kept.extent)
  )
}
