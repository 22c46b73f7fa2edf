import {
  type ArchiveReason,
  type Block,
  type BlockStatus,
  type GroundFoundBy,
  SOURCE_CLASSES,
} from '../block/block.ts'
import type { DreamRecord, TokenUsage } from '../engine/counts.ts'
import type { BlockPair, Edge, EdgeOrigin, PendingConnection } from '../graph/edge.ts'
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
import { predictions, proposals } from './tables-to-decide.ts'

/** Keys of `meta` for what the memory learned; the name of a scope may follow a key. An undo takes their values back. */
export const STATE_KEYS = { echoes: 'echoes', proof: 'learning_proof' } as const

/** Keys of `meta` that make a `State`, whole numbers in decimal digits; `shadow` says in JSON of which model the shadow set is. */
export const STATE_META = {
  generation: 'vector_generation',
  vectorSet: 'vector_set',
  shadow: 'spare_vectors',
} as const

/** Key of `meta` under which a memory keeps its random name. */
export const MEMORY_ID = 'memory_id'

const number = integer.always()
const arrivalOfBlock = integer.always({ block: 'arrival' })
const blockId = text().always({ block: 'id' })
const from = text().always({ column: 'from_id', block: 'id' })
const to = text().always({ column: 'to_id', block: 'id' })
const entry = integer.always({ isEntry: true })
const scope = text().maybe({ blank: '' })
const time = text().always({ isTime: true })
const moment = text().maybe({ isTime: true })
const hours = real.always({ isHours: true })
const amount = real.always({ least: 0 })
const counter = integer.always({ least: 0 })
const uses = integer.always({ least: 0, ofUse: 'count' })
const share = real.always({ least: 0, most: 1 })
const texts = json<readonly string[]>()
const speaker = word(...SOURCE_CLASSES)
const status = word<BlockStatus>('inbox', 'active', 'archived')
const origin = word<EdgeOrigin>('similarity', 'co_retrieval', 'outcome', 'agent', 'llm_inferred')
const note = text().maybe({ holdsWords: true, erasedTo: null })
const words = text().maybe({ erasedTo: null })
const validity = {
  validFrom: text().maybe({ isTime: true }),
  validUntil: text().maybe({ isTime: true }),
}

const BY_TOLD = 'coalesce(last_told_at, created_at), arrival'
const BY_SEQUENCE = 'sequence WHERE sequence IS NOT NULL'
const BY_JUDGEMENT = "coalesce(scored_at, ''), arrival WHERE status = 'active'"
const UNJUDGED = "arrival WHERE status = 'active' AND judgement_pending = 1"
const WAITING = "source_class, arrival WHERE status = 'inbox'"

/** The blocks, by the order of their arrival. */
export const blocks = table(
  'blocks',
  {
    arrival: number,
    id: text().always(),
    sequence: integer.maybe({ ofUse: 'sequence' }),
    content: text().always({ holdsWords: true }),
    summary: text().maybe({ holdsWords: true }),
    cue: text().maybe({ holdsWords: true }),
    category: text().always(),
    tags: texts.always({ isList: 'text' }),
    source: text().maybe(),
    status: status.always(),
    archiveReason: word<ArchiveReason>('decayed', 'superseded', 'forgotten').maybe(),
    supersededBy: text().maybe({ block: 'mention' }),
    createdAt: time,
    occurredAt: text().always({ isTime: true }),
    session: text().always(),
    position: integer.always({ least: 0, nextIn: ['session', 'scope'] }),
    alignment: real.maybe({ least: 0, most: 1 }),
    successes: real.always({ least: 0 }),
    failures: real.always({ least: 0 }),
    reinforcementCount: uses,
    lastReinforcedAt: real.always({ ofUse: 'clock', isHours: true }),
    lastUsefulAt: hours,
    decayLambda: real.always({ least: 0 }),
    tokenCount: counter,
    scope,
    scoredAt: moment,
    judgementPending: flag<true>().maybe({ blank: 0 }),
    supersedes: text().maybe({ block: 'mention' }),
    sourceClass: speaker.always(),
    textKey: text().maybe({ isDerived: true }),
    ...validity,
    supersededAt: text().maybe({ isTime: true }),
    archivedAt: moment,
    lastAt: moment,
    lastToldAt: moment,
  },
  {
    key: ['arrival'],
    unique: ['id'],
    undo: 'refuse',
    indexes: [
      ...[BY_TOLD, BY_SEQUENCE, BY_JUDGEMENT, UNJUDGED, WAITING],
      'category',
      "arrival WHERE status = 'inbox'",
      "arrival WHERE status = 'active'",
      "last_reinforced_at DESC, id WHERE status = 'archived'",
      'session, scope, position',
      "text_key, scope WHERE status <> 'archived'",
      "supersedes WHERE supersedes IS NOT NULL AND status <> 'archived'",
    ],
    within: [BY_TOLD, BY_SEQUENCE, BY_JUDGEMENT, UNJUDGED, WAITING, 'status, arrival', 'id'],
  },
)

/** The times at which the texts of blocks were said again. */
export const occurrences = table(
  'occurrences',
  {
    arrival: number,
    blockId,
    at: text().always({ isTime: true }),
    createdAt: time,
    source: words,
    sourceClass: speaker.always(),
    session: text().always(),
    endedAt: moment,
  },
  {
    key: ['arrival'],
    isNumbered: true,
    undo: 'refuse',
    indexes: ['block_id'],
  },
)

/** The words and names by which recall finds active blocks. */
export const blockIndex = table(
  'block_index',
  {
    arrival: arrivalOfBlock,
    terms: text().always(),
    flags: text().always(),
    sequence: integer.always({ ofUse: 'sequence' }),
    names: text().maybe(),
  },
  { key: ['arrival'], undo: 'follow' },
)

/** The vectors of blocks in two sets, one in use and one shadow set: little-endian float32; the passages of a long content in int8. */
export const blockVectors = table(
  'block_vectors',
  {
    arrival: arrivalOfBlock,
    vector: bytes.always(),
    passages: bytes.maybe(),
    set: integer.always({ column: 'set_number', isSet: true }),
  },
  { key: ['arrival', 'set'], undo: 'follow' },
)

/** The edges, at most one between two blocks. */
export const edges = table(
  'edges',
  {
    from,
    to,
    relation: text().always(),
    origin: origin.always(),
    weight: real.always({ least: 0, most: 1 }),
    reinforcementCount: uses,
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
    undo: 'refuse',
    indexes: ['to_id, from_id', 'created_at DESC, from_id, to_id, note, scope WHERE note IS NOT NULL'],
    within: ['from_id, to_id'],
  },
)

const TOLD_PAIR = "resolved = 0 AND kind IN ('supersession', 'contradiction')"
const OPEN_PAIR = 'arrival WHERE resolved = 0'
const OPEN_PAIR_OF_KIND = 'kind, arrival WHERE resolved = 0'

/** The flagged pairs of blocks, resolved ones too. */
export const pairs = table(
  'pairs',
  {
    arrival: number,
    a: blockId,
    b: blockId,
    kind: word<BlockPair['kind']>(
      'near_duplicate',
      'perhaps_newer',
      'supersession',
      'contradiction',
    ).always(),
    score: share,
    resolved: flag().always(),
    createdAt: time,
    foundBy: text().maybe(),
    scope,
  },
  {
    key: ['arrival'],
    isNumbered: true,
    unique: ['a', 'b'],
    isUndirected: true,
    undo: 'refuse',
    indexes: [
      ...['b, a', OPEN_PAIR, OPEN_PAIR_OF_KIND, 'a, b WHERE resolved = 1'],
      ...[`a WHERE ${TOLD_PAIR}`, `b WHERE ${TOLD_PAIR}`],
    ],
    within: [OPEN_PAIR, OPEN_PAIR_OF_KIND],
  },
)

/** The grounds of blocks: `blockId` was made of `ground` or rests on it. */
export const grounds = table(
  'grounds',
  {
    blockId,
    ground: text().always({ block: 'id' }),
    foundBy: word<GroundFoundBy>('given', 'host').always(),
    createdAt: time,
    scope,
  },
  {
    key: ['blockId', 'ground'],
    undo: 'refuse',
    indexes: ['ground'],
    within: ['block_id, ground'],
  },
)

/** The connections that wait until a full block has room. */
export const pendingConnections = table(
  'pending_connections',
  {
    id: number,
    source: blockId,
    target: blockId,
    relation: text().always(),
    weight: share,
    note,
    requestedAt: real.always({ column: 'requested_at_hours', isHours: true }),
    attempts: counter,
    scope,
    ...validity,
  },
  {
    key: ['id'],
    isNumbered: true,
    unique: ['source', 'target'],
    undo: 'refuse',
    indexes: ['target'],
    within: ['id'],
  },
)

/** The pairs that an agent disconnected; `at` is in active hours. */
export const disconnections = table(
  'disconnections',
  { from, to, at: hours, reason: text().maybe({ holdsWords: true, erasedTo: null }), scope },
  { key: ['from', 'to'], isUndirected: true, undo: 'refuse', indexes: ['to_id', 'at'], within: ['at'] },
)

/** The edges and open pairs that blocks had when they were archived. */
export const archivedEdges = table(
  'archived_edges',
  {
    blockId,
    previousStatus: status.always(),
    edges: json<readonly Edge[]>().always({ isList: 'object' }),
    pairs: json<readonly BlockPair[]>().always({ isList: 'object' }),
  },
  { key: ['blockId'], undo: 'refuse' },
)

/** The pairs of blocks that came together and have no edge yet; `sessions` marks the questions or sessions that counted them. */
export const staging = table(
  'co_retrieval_staging',
  {
    arrival: number,
    from,
    to,
    count: integer.always({ least: 1 }),
    sessions: texts.always({ isList: 'text' }),
    scope,
  },
  {
    key: ['arrival'],
    isNumbered: true,
    unique: ['from', 'to'],
    isUndirected: true,
    undo: 'leave',
    indexes: ['count, arrival'],
    within: ['count, arrival'],
  },
)

/** The pairs of blocks whose relation waits for a label. */
export const unlabelledPairs = table(
  'unlabelled_pairs',
  { arrival: number, from, to, cosine: share, scope },
  {
    key: ['arrival'],
    isNumbered: true,
    unique: ['from', 'to'],
    isUndirected: true,
    undo: 'leave',
    staysHome: true,
    indexes: ['to_id'],
    within: ['arrival'],
  },
)

const report = {
  id: number,
  blockId,
  signal: real.always(),
  weight: real.always(),
  source: text().always({ erasedTo: 'erased' }),
}

/** The applied reports about blocks; confidence before and after is 0..1. */
export const outcomes = table(
  'block_outcomes',
  {
    ...report,
    confidenceBefore: real.always(),
    confidenceAfter: real.always(),
    at: time,
  },
  {
    key: ['id'],
    isNumbered: true,
    undo: 'refuse',
    indexes: ['block_id, id'],
  },
)

/** The reports about blocks that still wait for a dream. */
export const queuedOutcomes = table(
  'queued_outcomes',
  { ...report, signal: real.always() },
  {
    key: ['id'],
    isNumbered: true,
    undo: 'refuse',
    indexes: ['block_id, id'],
  },
)

/** The questions on which something was reported; the vector is int8 of a unit vector. */
export const questions = table(
  'questions',
  { id: text().always(), text: words, vector: bytes.maybe(), hours, scope },
  { key: ['id'], undo: 'leave', within: ['id'] },
)

/** The questions of the newest recalls, kept so that a report finds the question it is about. */
export const recentQuestions = table(
  'recent_questions',
  { operationId: entry, text: words, vector: bytes.maybe(), scope },
  { key: ['operationId'], staysHome: true, within: ['operation_id'] },
)

/** The reports about a block after a question; `question` is empty if no question is known. */
export const questionEvidence = table(
  'question_evidence',
  {
    question: text().always(),
    blockId,
    helped: amount,
    misled: amount,
    graded: amount,
    beside: amount,
    scope,
  },
  {
    key: ['question', 'blockId'],
    undo: 'refuse',
    indexes: ['block_id'],
    within: ['question, block_id'],
  },
)

const BY_START = 'started_at, start_hours, id'
const NOT_ENDED = `${BY_START} WHERE ended_at IS NULL`

/** The sessions of callers; a session without `endedAt` was not ended. */
export const sessions = table(
  'sessions',
  {
    id: text().always(),
    taskType: text().always({ erasedTo: 'erased' }),
    startedAt: time,
    endedAt: moment,
    startHours: hours,
    scope,
  },
  { key: ['id'], indexes: [BY_START, NOT_ENDED], within: [BY_START, NOT_ENDED] },
)

/**
 * The log; its newest entry is the memory's clock. `actor` is `library`, `cli`, `mcp:<client>`, `dream`, `curate` or `auto`. `before` is
 * the state that the operation changed or removed, `run` its dream or curation, `result` the counts of a dream. The scope is that of the
 * view that logged the entry, or the one that all blocks named in the entry have in common.
 */
export const operations = table(
  'operations',
  {
    id: number,
    operation: text().always(),
    at: time,
    hours: real.always(),
    actor: text().always(),
    session: text().maybe(),
    blockIds: texts.always({ isList: 'text' }),
    summary: text().always(),
    reason: text().maybe(),
    before: json<unknown>().maybe(),
    scope,
    tokens: json<TokenUsage>().maybe(),
    run: text().maybe(),
    result: json<DreamRecord>().maybe(),
  },
  {
    key: ['id'],
    staysHome: true,
    indexes: ['operation, id', 'run, id WHERE run IS NOT NULL'],
    within: ['id'],
  },
)

/** The changes of rows that `undo` takes back, by the last entry of their transaction. */
export const operationChanges = table(
  'operation_changes',
  { operationId: entry, firstId: number, changes: json<unknown>().always() },
  { key: ['operationId'], staysHome: true },
)

/** The single values of the store, by key. */
export const meta = table(
  'meta',
  { key: text().always(), value: text().always() },
  { key: ['key'], undo: 'leave', undoneKeys: Object.values(STATE_KEYS), staysHome: true },
)

/** The writes with a key of their caller: the hash of the input, the last entry of the first transaction, and the answer if it is kept. */
export const requests = table(
  'requests',
  {
    holder: text().always(),
    operation: text().always(),
    key: text().always(),
    input: text().always(),
    at: time,
    entry: integer.maybe(),
    answer: json<unknown>().maybe(),
  },
  {
    key: ['holder', 'operation', 'key'],
    staysHome: true,
    goesWithWords: true,
    indexes: ['at, holder, operation, key'],
  },
)

/** The named items; `id` stands for scope, space, namespace and key. One that holds words of an erased block is erased as a whole. */
export const items = table(
  'items',
  {
    arrival: number,
    id: text().always(),
    space: text().always(),
    namespace: text().always(),
    key: text().always(),
    value: json<unknown>().always(),
    texts: counter,
    createdAt: time,
    updatedAt: time,
    version: integer.always({ least: 1 }),
    scope,
  },
  {
    key: ['arrival'],
    isNumbered: true,
    unique: ['id'],
    undo: 'refuse',
    goesWithWords: true,
    indexes: ['space, scope, arrival', 'space, scope, namespace'],
    within: ['arrival'],
  },
)

/** The blocks by whose words items are found, which stand before the items in `TABLES`; `place` counts the texts of an item from 0. */
export const itemBlocks = table(
  'item_blocks',
  { arrival: number, item: text().always(), place: counter, blockId, scope },
  {
    key: ['arrival'],
    isNumbered: true,
    unique: ['item', 'place'],
    undo: 'refuse',
    indexes: ['block_id'],
    within: ['arrival'],
  },
)

/** The view of a block that the engine knows. */
export const BLOCK: View<Block> = viewWithout(blocks, ['arrival', 'sequence', 'textKey'])

/** The view of an edge that the engine knows; the scope of an edge stays in the store. */
export const EDGE: View<Edge> = viewWithout(edges, ['scope'])

/** A note is text about an edge, and so about both of its blocks. */
export const NOTE = viewOf(edges, ['from', 'to', 'note'])
export type EdgeNote = NonNullable<typeof NOTE.row>

/** The view of a pair that the engine knows. */
export const PAIR: View<BlockPair> = viewWithout(pairs, ['arrival', 'scope'])

export const PENDING: View<PendingConnection> = viewWithout(pendingConnections, ['id', 'scope'])

/** Every stored table. A table that others refer to comes before them. */
export const TABLES: readonly Table[] = [
  ...[blocks, occurrences, blockIndex, blockVectors, edges, pairs, grounds, archivedEdges, outcomes],
  ...[staging, disconnections, pendingConnections, queuedOutcomes, unlabelledPairs, sessions],
  ...[itemBlocks, items, proposals, predictions, questionEvidence, questions],
  ...[operations, operationChanges, recentQuestions, meta, requests],
]
