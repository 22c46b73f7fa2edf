import type { DreamRecord, TokenUsage } from '../domain/advice/counts.ts'
import { integer, json, real, table, text } from '../ports/store/description.ts'
import { STATE_KEYS } from '../ports/store/undo.ts'

const scope = text().maybe({ blank: '' })
const time = text().always({ isTime: true })

/** The sessions of callers; one without an end was not ended. */
export const sessions = table(
  'sessions',
  {
    id: text().always(),
    taskType: text().always({ erasedTo: 'erased' }),
    startedAt: time,
    endedAt: text().maybe({ isTime: true }),
    startHours: real.always({ isHours: true }),
    scope,
  },
  { key: ['id'] },
)

/** The log; its newest entry is the memory's clock. */
export const operations = table(
  'operations',
  {
    id: integer.always(),
    operation: text().always(),
    at: time,
    hours: real.always(),
    actor: text().always(),
    session: text().maybe(),
    blockIds: json<readonly string[]>().always({ isList: 'text' }),
    summary: text().always(),
    reason: text().maybe(),
    before: json<unknown>().maybe(),
    scope,
    tokens: json<TokenUsage>().maybe(),
    run: text().maybe(),
    result: json<DreamRecord>().maybe(),
  },
  { key: ['id'], staysHome: true },
)

/**
 * Counts of what was done on a day (UTC), which stays when the log is trimmed, and when what was done is taken back or erased: it was
 * done on that day. `within` is a scope, or empty for all of the memory.
 */
export const days = table(
  'days',
  {
    day: text().always(),
    within: text().always(),
    takenIn: integer.always(),
    recalled: integer.always(),
    reported: integer.always(),
    archived: integer.always(),
  },
  { key: ['day', 'within'], staysHome: true },
)

/** The changes of rows that `undo` takes back, by the last entry of their transaction. */
export const operationChanges = table(
  'operation_changes',
  {
    operationId: integer.always({ isEntry: true }),
    firstId: integer.always(),
    changes: json<unknown>().always(),
  },
  { key: ['operationId'], staysHome: true },
)

/** Single values of the store, by key. */
export const meta = table(
  'meta',
  { key: text().always(), value: text().always() },
  { key: ['key'], undo: { whenChanged: 'leave', onlyKeys: Object.values(STATE_KEYS) }, staysHome: true },
)

/** Keys of `meta` that make a `State`: whole numbers in decimal digits; of `shadow` only its presence counts. */
export const STATE_META = {
  generation: 'vector_generation',
  vectorSet: 'vector_set',
  shadow: 'spare_vectors',
} as const
