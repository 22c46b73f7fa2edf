import type { FrameName, FrameSettings } from '../../config/frames.ts'
import type { OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import { type Filter, passesFilter } from '../../search/filter.ts'
import type { Engine } from '../engine/engine.ts'
import { UNUSED } from '../graph/recall-reason.ts'
import type { Found } from './find.ts'
import { filterOf } from './match.ts'
import type { Candidate } from './rank.ts'

/** The newest entries of the log in which a session's blocks are looked for. */
const LOOKED_BACK = 500

/** The frame that shows a session itself. */
const LOOKING_BACK: FrameName = 'short_term'

const TAKEN_IN: ReadonlySet<string> = new Set(['remember', 'remember_many', 'learn_document', 'setup'])
const USED: ReadonlySet<string> = new Set(['recall', 'outcome', 'record_use', 'connect'])

/** Which blocks a frame may show, narrowed by what a call asks for. One statement for a frame of the session. */
export async function frameFilter(
  engine: Engine,
  frame: FrameSettings,
  narrowed: Parameters<typeof filterOf>[1],
): Promise<Filter> {
  const filter = filterOf(frame, narrowed)
  if (!frame.sessionOnly) return filter
  const session = engine.session.current?.id
  const log =
    session === undefined ? [] : await engine.store.read((tx) => tx.operations({ limit: LOOKED_BACK }))
  return { ...filter, ids: sessionIds(log.filter((record) => record.session === session)) }
}

/**
 * Ids of blocks that a session took in or used, newest first. What was only shown, without a question or by a frame of
 * the session itself, was not used.
 *
 * @param log newest first
 */
function sessionIds(
  log: readonly Pick<OperationRecord, 'operation' | 'blockIds' | 'reason'>[],
): ReadonlySet<string> {
  return new Set(
    log.flatMap(({ operation, blockIds, reason = '' }) => {
      if (TAKEN_IN.has(operation)) return blockIds.toReversed()
      const isLook = reason.endsWith(UNUSED) || reason === LOOKING_BACK
      return USED.has(operation) && !isLook ? blockIds : []
    }),
  )
}

/** What passes the filter of a frame of the session, newest first: the answer without a question. One statement at most. */
export async function findInSession(engine: Engine, tx: StoreReader, filter: Filter): Promise<Found> {
  const facts = [...(filter.ids ?? [])]
    .flatMap((id) => engine.index.get(id) ?? [])
    .filter((each) => passesFilter(each, filter))
  const ranked = facts.map((each, place): Candidate => {
    const recency = 1 - place / facts.length
    return { facts: each, score: recency, terms: [{ name: 'recency', value: recency, amount: recency }] }
  })
  const ids = facts.map(({ id }) => id)
  const links = ids.length === 0 ? { edges: [], pairs: [] } : await tx.links(ids)
  return { ranked, guaranteed: [], quality: 'unasked', onlyNear: new Set(), dropped: [], ...links }
}
