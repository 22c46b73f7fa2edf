import type { ArchiveReason, BlockStatus } from '../domain/block/block.ts'
import type { GroundFoundBy } from '../domain/block/grounds.ts'
import type { SourceClass } from '../domain/block/source-class.ts'
import type { BlockPair, Edge, EdgeOrigin } from '../domain/graph/edge.ts'
import {
  bytes,
  flag,
  integer,
  json,
  real,
  type Table,
  table,
  text,
  word,
} from '../ports/store/description.ts'
import { outcomes, questionEvidence, questions, queuedOutcomes, recentQuestions } from './evidence-tables.ts'
import { itemBlocks, items } from './item-tables.ts'
import { days, meta, operationChanges, operations, sessions } from './log-tables.ts'

const arrivalOfBlock = integer.always({ block: 'arrival' })
const blockId = text().always({ block: 'id' })
const from = text().always({ column: 'from_id', block: 'id' })
const to = text().always({ column: 'to_id', block: 'id' })
const scope = text().maybe({ blank: '' })
const time = text().always({ isTime: true })
const moment = text().maybe({ isTime: true })
const validity = { validFrom: moment, validUntil: moment }
const status = word<BlockStatus>('inbox', 'active', 'archived')
const origin = word<EdgeOrigin>('similarity', 'co_retrieval', 'outcome', 'agent', 'llm_inferred')
const note = text().maybe({ holdsWords: true, erasedTo: null })

/** The blocks, by the order of their arrival. */
export const blocks = table(
  'blocks',
  {
    arrival: integer.always(),
    id: text().always(),
    sequence: integer.maybe({ ofUse: 'sequence' }),
    content: text().always({ holdsWords: true }),
    summary: text().maybe({ holdsWords: true }),
    cue: text().maybe({ holdsWords: true }),
    category: text().always(),
    tags: json<readonly string[]>().always({ isList: 'text' }),
    source: text().maybe(),
    status: status.always(),
    archiveReason: word<ArchiveReason>('decayed', 'superseded', 'forgotten').maybe(),
    supersededBy: text().maybe({ block: 'mention' }),
    createdAt: time,
    occurredAt: time,
    session: text().always(),
    position: integer.always({ nextIn: ['session', 'scope'] }),
    alignment: real.maybe(),
    successes: real.always(),
    failures: real.always(),
    reinforcementCount: integer.always({ ofUse: 'count' }),
    lastReinforcedAt: real.always({ ofUse: 'clock', isHours: true }),
    lastUsefulAt: real.always({ isHours: true }),
    decayLambda: real.always(),
    tokenCount: integer.always(),
    scope,
    scoredAt: moment,
    judgementPending: flag<true>().maybe({ blank: 0 }),
    supersedes: text().maybe({ block: 'mention' }),
    sourceClass: word<SourceClass>('user', 'agent', 'model', 'tool', 'document', 'peer', 'import').always(),
    textKey: text().maybe({ isDerived: true }),
    ...validity,
    supersededAt: moment,
    archivedAt: moment,
  },
  { key: ['arrival'], unique: ['id'], undo: { whenChanged: 'refuse' } },
)

/** The words and names that recall finds active blocks by. */
export const blockIndex = table(
  'block_index',
  {
    arrival: arrivalOfBlock,
    terms: text().always(),
    asks: flag().always(),
    timed: flag().always(),
    sequence: integer.always({ ofUse: 'sequence' }),
    names: text().maybe(),
  },
  { key: ['arrival'], undo: { whenChanged: 'follow' } },
)

/** In two sets: the one in use, and a shadow set. Little-endian float32. */
export const blockVectors = table(
  'block_vectors',
  {
    arrival: arrivalOfBlock,
    vector: bytes.always(),
    set: integer.always({ column: 'set_number', isSet: true }),
  },
  { key: ['arrival', 'set'], undo: { whenChanged: 'follow' } },
)

/** The edges, at most one between two blocks. */
export const edges = table(
  'edges',
  {
    from,
    to,
    relation: text().always(),
    origin: origin.always(),
    weight: real.always(),
    reinforcementCount: integer.always({ ofUse: 'count' }),
    lastActiveAt: real.maybe({ ofUse: 'clock', isHours: true }),
    createdAt: time,
    note,
    declaredBy: text().maybe(),
    previousOrigin: origin.maybe(),
    scope,
    ...validity,
  },
  { key: ['from', 'to'], undo: { whenChanged: 'refuse', madeByUse: ['origin', 'co_retrieval'] } },
)

/** The flagged pairs, those that were resolved among them. */
export const pairs = table(
  'pairs',
  {
    arrival: integer.always(),
    a: blockId,
    b: blockId,
    kind: word<BlockPair['kind']>('near_duplicate', 'supersession', 'contradiction').always(),
    score: real.always(),
    resolved: flag().always(),
    createdAt: time,
    foundBy: text().maybe(),
    scope,
  },
  { key: ['arrival'], isNumbered: true, unique: ['a', 'b'], undo: { whenChanged: 'refuse' } },
)

/** The grounds of blocks: `blockId` was made of `ground`, or says what `ground` says no more. */
export const grounds = table(
  'grounds',
  {
    blockId,
    ground: blockId,
    foundBy: word<GroundFoundBy>('given', 'host', 'rule').always(),
    createdAt: time,
    scope,
  },
  { key: ['blockId', 'ground'], undo: { whenChanged: 'refuse' } },
)

/** The connections that wait for room at a full block. */
export const pendingConnections = table(
  'pending_connections',
  {
    id: integer.always(),
    source: blockId,
    target: blockId,
    relation: text().always(),
    weight: real.always(),
    note,
    requestedAt: real.always({ column: 'requested_at_hours', isHours: true }),
    attempts: integer.always(),
    scope,
    ...validity,
  },
  { key: ['id'], isNumbered: true, unique: ['source', 'target'], undo: { whenChanged: 'refuse' } },
)

/** The pairs that an agent disconnected; `at` is in active hours. */
export const disconnections = table(
  'disconnections',
  {
    from,
    to,
    at: real.always({ isHours: true }),
    reason: text().maybe({ holdsWords: true, erasedTo: null }),
    scope,
  },
  { key: ['from', 'to'], undo: { whenChanged: 'refuse' } },
)

/** The edges and open pairs that archived blocks had. */
export const archivedEdges = table(
  'archived_edges',
  {
    blockId,
    previousStatus: status.always(),
    edges: json<readonly Edge[]>().always({ isList: 'object' }),
    pairs: json<readonly BlockPair[]>().always({ isList: 'object' }),
  },
  { key: ['blockId'], undo: { whenChanged: 'refuse' } },
)

/** The pairs that came together and are no edge yet; `sessions` marks the questions or sessions that counted them. */
export const staging = table(
  'co_retrieval_staging',
  {
    arrival: integer.always(),
    from,
    to,
    count: integer.always(),
    sessions: json<readonly string[]>().always({ isList: 'text' }),
    scope,
  },
  { key: ['arrival'], isNumbered: true, unique: ['from', 'to'], undo: { whenChanged: 'leave' } },
)

/** The pairs that wait for a label. */
export const unlabelledPairs = table(
  'unlabelled_pairs',
  { arrival: integer.always(), from, to, cosine: real.always(), scope },
  {
    key: ['arrival'],
    isNumbered: true,
    unique: ['from', 'to'],
    undo: { whenChanged: 'leave' },
    staysHome: true,
  },
)

/** Every stored table; what others refer to comes first, and settings, on which triggers act, last. */
export const TABLES: readonly Table[] = [
  blocks,
  blockIndex,
  blockVectors,
  edges,
  pairs,
  grounds,
  archivedEdges,
  outcomes,
  staging,
  disconnections,
  operationChanges,
  pendingConnections,
  queuedOutcomes,
  unlabelledPairs,
  sessions,
  itemBlocks,
  items,
  questions,
  questionEvidence,
  operations,
  days,
  recentQuestions,
  meta,
]
