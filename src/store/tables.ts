import type { ArchiveReason, BlockStatus, GroundFoundBy } from '../domain/block/block.ts'
import { SOURCE_CLASSES, type SourceClass } from '../domain/block/source-class.ts'
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
import { proposals } from './proposal-table.ts'

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
    position: integer.always({ nextIn: ['session', 'scope'] }),
    alignment: real.maybe(),
    successes: real.always({ called: 'evidence for' }),
    failures: real.always({ called: 'evidence against' }),
    reinforcementCount: integer.always({ ofUse: 'count' }),
    lastReinforcedAt: real.always({ ofUse: 'clock', isHours: true }),
    lastUsefulAt: real.always({ isHours: true }),
    decayLambda: real.always({ called: 'fading an hour' }),
    tokenCount: integer.always(),
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
    weight: real.always({ called: 'weight' }),
    reinforcementCount: integer.always({ ofUse: 'count' }),
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
    undo: { whenChanged: 'refuse' },
    told: { of: 'edge', names: ['from', 'to'], whole: ['relation', 'note'] },
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
    score: real.always(),
    resolved: flag().always({ called: 'decided' }),
    createdAt: time,
    foundBy: text().maybe(),
    scope,
  },
  {
    key: ['arrival'],
    isNumbered: true,
    unique: ['a', 'b'],
    undo: { whenChanged: 'refuse' },
    told: { of: 'pair', names: ['a', 'b'], whole: ['kind'] },
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
    weight: real.always(),
    note,
    requestedAt: real.always({ column: 'requested_at_hours', isHours: true }),
    attempts: integer.always(),
    scope,
    ...validity,
  },
  {
    key: ['id'],
    isNumbered: true,
    unique: ['source', 'target'],
    undo: { whenChanged: 'refuse' },
    told: { of: 'edge', names: ['source', 'target'], whole: ['relation'] },
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
  operationChanges,
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
  days,
  recentQuestions,
  meta,
]
