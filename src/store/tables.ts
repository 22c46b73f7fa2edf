import {
  type ArchiveReason,
  type Block,
  type BlockStatus,
  type GroundFoundBy,
  SOURCE_CLASSES,
  type SourceClass,
} from '../block/block.ts'
import type { BlockPair, Disconnection, Edge, EdgeOrigin, PendingConnection } from '../graph/edge.ts'
import {
  bytes,
  flag,
  integer,
  json,
  real,
  type Table,
  table,
  text,
  type View,
  viewOf,
  viewWithout,
  word,
} from './description.ts'
import { itemBlocks, items, meta, operationChanges, operations, proposals, sessions } from './log-tables.ts'

const arrivalOfBlock = integer.always({ block: 'arrival' })
const blockId = text().always({ block: 'id' })
const from = text().always({ column: 'from_id', block: 'id' })
const to = text().always({ column: 'to_id', block: 'id' })
const scope = text().maybe({ blank: '' })
const time = text().always({ isTime: true })
const moment = text().maybe({ isTime: true })
const validity = {
  validFrom: text().maybe({ isTime: true, called: 'holds from' }),
  validUntil: text().maybe({ isTime: true, called: 'holds until' }),
}
const status = word<BlockStatus>('inbox', 'active', 'archived')
const origin = word<EdgeOrigin>('similarity', 'co_retrieval', 'outcome', 'agent', 'llm_inferred')
const note = text().maybe({ holdsWords: true, erasedTo: null, called: 'note' })

/** The blocks, by the order of their arrival. */
export const blocks = table(
  'blocks',
  {
    arrival: integer.always(),
    id: text().always(),
    sequence: integer.maybe({ ofUse: 'sequence' }),
    content: text().always({ holdsWords: true, called: 'words' }),
    summary: text().maybe({ holdsWords: true, called: 'summary' }),
    cue: text().maybe({ holdsWords: true, called: 'cue' }),
    category: text().always({ called: 'category' }),
    tags: json<readonly string[]>().always({ isList: 'text', called: 'tags' }),
    source: text().maybe({ called: 'source' }),
    status: status.always({ called: 'status' }),
    archiveReason: word<ArchiveReason>('decayed', 'superseded', 'forgotten').maybe({
      called: 'archived because',
    }),
    supersededBy: text().maybe({ block: 'mention', called: 'replaced by' }),
    createdAt: time,
    occurredAt: text().always({ isTime: true, called: 'said at' }),
    session: text().always(),
    position: integer.always({ least: 0, nextIn: ['session', 'scope'] }),
    alignment: real.maybe({ least: 0, most: 1 }),
    successes: real.always({ least: 0, called: 'evidence for' }),
    failures: real.always({ least: 0, called: 'evidence against' }),
    reinforcementCount: integer.always({ least: 0, ofUse: 'count' }),
    lastReinforcedAt: real.always({ ofUse: 'clock', isHours: true }),
    lastUsefulAt: real.always({ isHours: true }),
    decayLambda: real.always({ least: 0, called: 'fading an hour' }),
    tokenCount: integer.always({ least: 0 }),
    scope,
    scoredAt: moment,
    judgementPending: flag<true>().maybe({ blank: 0 }),
    supersedes: text().maybe({ block: 'mention', called: 'takes the place of' }),
    sourceClass: word<SourceClass>(...SOURCE_CLASSES).always({ called: 'speaker' }),
    textKey: text().maybe({ isDerived: true }),
    ...validity,
    supersededAt: text().maybe({ isTime: true, called: 'replaced from' }),
    archivedAt: moment,
    lastAt: moment,
    lastToldAt: moment,
  },
  {
    key: ['arrival'],
    unique: ['id'],
    undo: { whenChanged: 'refuse' },
    told: { of: 'block', names: ['id'], whole: ['content', 'cue', 'tags'] },
    indexes: [
      'blocks_by_told (coalesce(last_told_at, created_at), arrival)',
      "blocks_of_scope_by_told (scope, coalesce(last_told_at, created_at), arrival) WHERE scope <> ''",
      'blocks_by_sequence (sequence) WHERE sequence IS NOT NULL',
      'blocks_by_category (category)',
      "blocks_inbox (arrival) WHERE status = 'inbox'",
      "blocks_active (arrival) WHERE status = 'active'",
      "blocks_archived (last_reinforced_at DESC, id) WHERE status = 'archived'",
      'blocks_by_session (session, scope, position)',
      "blocks_of_scope_by_status (scope, status, arrival) WHERE scope <> ''",
      "blocks_of_scope_by_id (scope, id) WHERE scope <> ''",
      "blocks_of_scope_by_sequence (scope, sequence) WHERE scope <> '' AND sequence IS NOT NULL",
      "blocks_by_judgement (coalesce(scored_at, ''), arrival) WHERE status = 'active'",
      "blocks_of_scope_by_judgement (scope, coalesce(scored_at, ''), arrival) WHERE status = 'active' AND scope <> ''",
      "blocks_judgement_pending (arrival) WHERE status = 'active' AND judgement_pending = 1",
      "blocks_of_scope_judgement_pending (scope, arrival) WHERE status = 'active' AND judgement_pending = 1 AND scope <> ''",
      "blocks_by_text (text_key, scope) WHERE status <> 'archived'",
      "blocks_by_superseded (supersedes) WHERE supersedes IS NOT NULL AND status <> 'archived'",
      "blocks_waiting_by_class (source_class, arrival) WHERE status = 'inbox'",
      "blocks_waiting_of_scope (scope, source_class, arrival) WHERE status = 'inbox' AND scope <> ''",
    ],
  },
)

/** The times at which the texts of blocks were said again. */
export const occurrences = table(
  'occurrences',
  {
    arrival: integer.always(),
    blockId,
    at: text().always({ isTime: true, called: 'said again at' }),
    createdAt: time,
    source: text().maybe({ erasedTo: null }),
    sourceClass: word<SourceClass>(...SOURCE_CLASSES).always(),
    session: text().always(),
    endedAt: moment,
  },
  {
    key: ['arrival'],
    isNumbered: true,
    undo: { whenChanged: 'refuse' },
    told: { of: 'block', names: ['blockId'], whole: ['at'] },
    indexes: ['occurrences_by_block (block_id)'],
  },
)

/** The words and names that recall finds active blocks by. */
export const blockIndex = table(
  'block_index',
  {
    arrival: arrivalOfBlock,
    terms: text().always(),
    flags: text().always(),
    sequence: integer.always({ ofUse: 'sequence' }),
    names: text().maybe(),
  },
  { key: ['arrival'], undo: { whenChanged: 'follow' } },
)

/** Vectors of blocks in two sets: the one in use, and a shadow set. Little-endian float32; the passages of a long content in int8. */
export const blockVectors = table(
  'block_vectors',
  {
    arrival: arrivalOfBlock,
    vector: bytes.always(),
    passages: bytes.maybe(),
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
    relation: text().always({ called: 'joined by' }),
    origin: origin.always({ called: 'joined because of' }),
    weight: real.always({ least: 0, most: 1, called: 'weight' }),
    reinforcementCount: integer.always({ least: 0, ofUse: 'count' }),
    lastActiveAt: real.maybe({ ofUse: 'clock', isHours: true }),
    createdAt: time,
    note,
    declaredBy: text().maybe(),
    previousOrigin: origin.maybe(),
    scope,
    ...validity,
  },
  {
    key: ['from', 'to'],
    isUndirected: true,
    undo: { whenChanged: 'refuse' },
    told: { of: 'edge', names: ['from', 'to'], whole: ['relation', 'note'] },
    indexes: [
      'edges_by_to (to_id, from_id)',
      "edges_of_scope (scope, from_id, to_id) WHERE scope <> ''",
      'edges_noted (created_at DESC, from_id, to_id, note, scope) WHERE note IS NOT NULL',
    ],
  },
)

/** The flagged pairs, those that were resolved among them. */
export const pairs = table(
  'pairs',
  {
    arrival: integer.always(),
    a: blockId,
    b: blockId,
    kind: word<BlockPair['kind']>('near_duplicate', 'perhaps_newer', 'supersession', 'contradiction').always({
      called: 'to be decided',
    }),
    score: real.always({ least: 0, most: 1 }),
    resolved: flag().always({ called: 'decided' }),
    createdAt: time,
    foundBy: text().maybe(),
    scope,
  },
  {
    key: ['arrival'],
    isNumbered: true,
    unique: ['a', 'b'],
    isUndirected: true,
    undo: { whenChanged: 'refuse' },
    told: { of: 'pair', names: ['a', 'b'], whole: ['kind'] },
    indexes: [
      'pairs_by_b (b, a)',
      "pairs_told_by_a (a) WHERE resolved = 0 AND kind IN ('supersession', 'contradiction')",
      "pairs_told_by_b (b) WHERE resolved = 0 AND kind IN ('supersession', 'contradiction')",
      'pairs_settled (a, b) WHERE resolved = 1',
      'pairs_open (arrival) WHERE resolved = 0',
      "pairs_of_scope (scope, arrival) WHERE resolved = 0 AND scope <> ''",
      'pairs_open_by_kind (kind, arrival) WHERE resolved = 0',
      "pairs_of_scope_by_kind (scope, kind, arrival) WHERE resolved = 0 AND scope <> ''",
    ],
  },
)

/** The grounds of blocks: `blockId` was made of `ground` or rests on it. */
export const grounds = table(
  'grounds',
  {
    blockId,
    ground: text().always({ block: 'id', called: 'rests on' }),
    foundBy: word<GroundFoundBy>('given', 'host').always(),
    createdAt: time,
    scope,
  },
  {
    key: ['blockId', 'ground'],
    undo: { whenChanged: 'refuse' },
    told: { of: 'block', names: ['blockId'], whole: ['ground'] },
    indexes: ['grounds_by_ground (ground)', "grounds_of_scope (scope, block_id, ground) WHERE scope <> ''"],
  },
)

/** The connections that wait for room at a full block. */
export const pendingConnections = table(
  'pending_connections',
  {
    id: integer.always(),
    source: blockId,
    target: blockId,
    relation: text().always({ called: 'waits to be joined by' }),
    weight: real.always({ least: 0, most: 1 }),
    note,
    requestedAt: real.always({ column: 'requested_at_hours', isHours: true }),
    attempts: integer.always({ least: 0 }),
    scope,
    ...validity,
  },
  {
    key: ['id'],
    isNumbered: true,
    unique: ['source', 'target'],
    undo: { whenChanged: 'refuse' },
    told: { of: 'edge', names: ['source', 'target'], whole: ['relation'] },
    indexes: [
      'pending_connections_by_target (target)',
      "pending_connections_of_scope (scope, id) WHERE scope <> ''",
    ],
  },
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
  {
    key: ['from', 'to'],
    isUndirected: true,
    undo: { whenChanged: 'refuse' },
    indexes: [
      'disconnections_by_to (to_id)',
      'disconnections_by_time (at)',
      "disconnections_of_scope (scope, at) WHERE scope <> ''",
    ],
  },
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
    count: integer.always({ least: 1 }),
    sessions: json<readonly string[]>().always({ isList: 'text' }),
    scope,
  },
  {
    key: ['arrival'],
    isNumbered: true,
    unique: ['from', 'to'],
    isUndirected: true,
    undo: { whenChanged: 'leave' },
    indexes: [
      'co_retrieval_staging_by_count (count, arrival)',
      "co_retrieval_staging_of_scope (scope, count, arrival) WHERE scope <> ''",
    ],
  },
)

/** The pairs that wait for a label. */
export const unlabelledPairs = table(
  'unlabelled_pairs',
  { arrival: integer.always(), from, to, cosine: real.always({ least: 0, most: 1 }), scope },
  {
    key: ['arrival'],
    isNumbered: true,
    unique: ['from', 'to'],
    isUndirected: true,
    undo: { whenChanged: 'leave' },
    staysHome: true,
    indexes: [
      'unlabelled_pairs_by_to (to_id)',
      "unlabelled_pairs_of_scope (scope, arrival) WHERE scope <> ''",
    ],
  },
)

const outcome = {
  id: integer.always(),
  blockId,
  signal: real.always(),
  weight: real.always(),
  source: text().always({ erasedTo: 'erased' }),
}

/** The applied reports about blocks; confidence before and after is 0..1. */
export const outcomes = table(
  'block_outcomes',
  {
    ...outcome,
    confidenceBefore: real.always(),
    confidenceAfter: real.always({ called: 'belief', former: 'confidenceBefore' }),
    at: text().always({ isTime: true }),
  },
  {
    key: ['id'],
    isNumbered: true,
    undo: { whenChanged: 'refuse' },
    told: { of: 'block', names: ['blockId'], whole: ['confidenceAfter'] },
    indexes: ['block_outcomes_by_block (block_id, id)'],
  },
)

/** The reports about blocks that still wait for a dream. */
export const queuedOutcomes = table(
  'queued_outcomes',
  { ...outcome, signal: real.always({ called: 'a report that waits' }) },
  {
    key: ['id'],
    isNumbered: true,
    undo: { whenChanged: 'refuse' },
    told: { of: 'block', names: ['blockId'], whole: ['signal'] },
    indexes: ['queued_outcomes_by_block (block_id, id)'],
  },
)

/** The questions with reports; the vector is int8 of a unit vector. */
export const questions = table(
  'questions',
  {
    id: text().always(),
    text: text().maybe({ erasedTo: null }),
    vector: bytes.maybe(),
    hours: real.always({ isHours: true }),
    scope,
  },
  {
    key: ['id'],
    undo: { whenChanged: 'leave' },
    indexes: ["questions_of_scope (scope, id) WHERE scope <> ''"],
  },
)

/** The questions of the newest recalls, so that a report can say what it is about. */
export const recentQuestions = table(
  'recent_questions',
  {
    operationId: integer.always({ isEntry: true }),
    text: text().maybe({ erasedTo: null }),
    vector: bytes.maybe(),
    scope,
  },
  {
    key: ['operationId'],
    staysHome: true,
    indexes: ["recent_questions_of_scope (scope, operation_id) WHERE scope <> ''"],
  },
)

/** The reports about a block after a question; of no question known the name is empty. */
export const questionEvidence = table(
  'question_evidence',
  {
    question: text().always(),
    blockId,
    helped: real.always({ least: 0 }),
    misled: real.always({ least: 0 }),
    graded: real.always({ least: 0 }),
    beside: real.always({ least: 0 }),
    scope,
  },
  {
    key: ['question', 'blockId'],
    undo: { whenChanged: 'refuse' },
    indexes: [
      'question_evidence_by_block (block_id)',
      "question_evidence_of_scope (scope, question, block_id) WHERE scope <> ''",
    ],
  },
)

/** Blocks as the engine knows them. */
export const BLOCK: View<Block> = viewWithout(blocks, ['arrival', 'sequence', 'textKey'])

/** Edges; which scope they are of is the store's. */
export const EDGE: View<Edge> = viewWithout(edges, ['scope'])

/** The notes of edges about their blocks. */
export const NOTE = viewOf(edges, ['from', 'to', 'note'])

/** Pairs as they are stored. */
export const PAIR: View<BlockPair> = viewWithout(pairs, ['arrival', 'scope'])

/** Connections that wait. */
export const PENDING: View<PendingConnection> = viewWithout(pendingConnections, ['id', 'scope'])

/** Disconnections. */
export const DISCONNECTION: View<Disconnection> = viewWithout(disconnections, ['scope'])

/** Every stored table; what others refer to comes first, and settings, on which triggers act, last. */
export const TABLES: readonly Table[] = [
  blocks,
  occurrences,
  blockIndex,
  blockVectors,
  edges,
  pairs,
  grounds,
  archivedEdges,
  outcomes,
  staging,
  disconnections,
  pendingConnections,
  queuedOutcomes,
  unlabelledPairs,
  sessions,
  itemBlocks,
  items,
  proposals,
  questions,
  questionEvidence,
  operations,
  operationChanges,
  recentQuestions,
  meta,
]
