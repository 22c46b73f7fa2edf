import { SOURCE_CLASSES, type SourceClass } from '../block/block.ts'
import type { DreamRecord, TokenUsage } from '../engine/counts.ts'
import { integer, json, real, table, text, word } from './description.ts'

/** Keys of `meta` for what the memory learned, also with a scope's name after them; undo takes them back. */
export const STATE_KEYS = {
  echoes: 'echoes',
  proof: 'learning_proof',
} as const

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
  {
    key: ['id'],
    indexes: [
      'sessions_open (started_at, start_hours, id) WHERE ended_at IS NULL',
      "sessions_open_of_scope (scope, started_at, start_hours, id) WHERE ended_at IS NULL AND scope <> ''",
      'sessions_by_start (started_at, start_hours, id)',
      "sessions_of_scope_by_start (scope, started_at, start_hours, id) WHERE scope <> ''",
    ],
  },
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
  {
    key: ['id'],
    staysHome: true,
    indexes: [
      'operations_by_operation (operation, id)',
      "operations_of_scope (scope, id) WHERE scope <> ''",
      'operations_by_run (run, id) WHERE run IS NOT NULL',
    ],
  },
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

/** Key of `meta` under which a memory keeps its random name. */
export const MEMORY_ID = 'memory_id'

/** Keys of `meta` that make a `State`: whole numbers in decimal digits; of `shadow` only its presence counts. */
export const STATE_META = {
  generation: 'vector_generation',
  vectorSet: 'vector_set',
  shadow: 'spare_vectors',
} as const

/**
 * The named items, in the order they came. `id` stands for scope, space, namespace and key; `texts` counts the places in
 * `itemBlocks`. An item that holds words of an erased block goes with them, because no part of a value stands for the whole.
 */
export const items = table(
  'items',
  {
    arrival: integer.always(),
    id: text().always(),
    space: text().always(),
    namespace: text().always(),
    key: text().always(),
    value: json<unknown>().always({ called: 'value' }),
    texts: integer.always({ least: 0 }),
    createdAt: time,
    updatedAt: time,
    version: integer.always({ least: 1 }),
    scope,
  },
  {
    key: ['arrival'],
    isNumbered: true,
    unique: ['id'],
    undo: { whenChanged: 'refuse' },
    goesWithWords: true,
    told: { of: 'item', names: ['space', 'namespace', 'key'], whole: ['value'] },
    indexes: [
      'items_by_space (space, scope, arrival)',
      'items_by_namespace (space, scope, namespace)',
      "items_of_scope (scope, arrival) WHERE scope <> ''",
    ],
  },
)

/**
 * The blocks by whose words items are found; `place` counts the texts of an item from 0. A row never changes, so that an undo
 * takes it away before the block it names. In a list of tables they stand before
 * the items, so that an import sees which items are new.
 */
export const itemBlocks = table(
  'item_blocks',
  {
    arrival: integer.always(),
    item: text().always(),
    place: integer.always({ least: 0 }),
    blockId: text().always({ block: 'id' }),
    scope,
  },
  {
    key: ['arrival'],
    isNumbered: true,
    unique: ['item', 'place'],
    undo: { whenChanged: 'refuse' },
    indexes: ['item_blocks_by_block (block_id)', "item_blocks_of_scope (scope, arrival) WHERE scope <> ''"],
  },
)

const moment = text().maybe({ isTime: true })
const block = text().maybe({ block: 'mention' })

/** The kinds of proposals: new words of who the agent is, other words of a block, or more trust in its words. */
export const PROPOSAL_KINDS = ['identity', 'value', 'goal', 'principle', 'rewording', 'class'] as const
/** The change that a proposal asks for. */
export type ProposalKind = (typeof PROPOSAL_KINDS)[number]

/** The states of a proposal; only the owner moves it on. */
export const PROPOSAL_STATES = ['open', 'accepted', 'refused'] as const
export type ProposalState = (typeof PROPOSAL_STATES)[number]

/** A change that somebody asks the owner for. All of its words are data, whoever proposed them, until the owner accepts. */
export interface Proposal {
  /** Made of what it asks for, so that the same is asked once. */
  readonly id: string
  readonly kind: ProposalKind
  readonly target?: string
  readonly content?: string
  readonly sourceClass?: SourceClass
  /** Why, in the words of whoever proposed it. */
  readonly reason?: string
  readonly proposer: string
  /** The scope it was proposed in, or that of the block it is about: what it adds is added there. */
  readonly scope?: string
  readonly state: ProposalState
  readonly createdAt: string
  readonly decidedAt?: string
  readonly decidedBy?: string
  /** Why it was refused, for whoever proposed it. */
  readonly answer?: string
  /** The block that came of it, or that it changed. */
  readonly result?: string
}

/**
 * The proposals to the owner, decided ones too, in the order they came. A proposal that holds words of an erased block, or names
 * it, goes with them.
 */
export const proposals = table(
  'proposals',
  {
    arrival: integer.always(),
    id: text().always(),
    kind: word(...PROPOSAL_KINDS).always(),
    target: block,
    content: text().maybe(),
    sourceClass: word(...SOURCE_CLASSES).maybe(),
    reason: text().maybe(),
    proposer: text().always(),
    state: word(...PROPOSAL_STATES).always(),
    createdAt: text().always({ isTime: true }),
    decidedAt: moment,
    decidedBy: text().maybe(),
    answer: text().maybe(),
    result: block,
    scope: text().maybe({ blank: '' }),
  },
  {
    key: ['arrival'],
    isNumbered: true,
    unique: ['id'],
    undo: { whenChanged: 'refuse' },
    goesWithWords: true,
    indexes: [
      'proposals_by_state (state, arrival)',
      "proposals_of_scope (scope, state, arrival) WHERE scope <> ''",
    ],
  },
)
