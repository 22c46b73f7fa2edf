import { STATE_KEYS } from '../../ports/store/undo.ts'

/** How rows of a table are taken back. */
export interface UndoTable {
  readonly name: string
  /** Columns that name blocks. */
  readonly ends: readonly string[]
  /** Columns that must differ from every other row's, beside the key. */
  readonly unique?: readonly string[]
  /** The key is a number that nothing refers to: when it is taken, another will do. */
  readonly numbered?: true
  /** Column that counts uses. */
  readonly count?: string
  /** Column of the last use, in active hours. */
  readonly clock?: string
  /**
   * Rule for a row that is not as it was left. `refuse`: nothing is taken back. `follow`: the row is set back
   * anyway, because it belongs to a block that is checked. `leave`: it stays, because use keeps changing it.
   */
  readonly whenChanged: 'refuse' | 'follow' | 'leave'
  /** Column and value of a row that use made; such a row is removed when another comes back in its place. */
  readonly ofUse?: { readonly column: string; readonly value: string }
  /** SQL condition for the rows that can be taken back; all when absent. */
  readonly only?: (row: 'old' | 'new') => string
}

const isState = (row: string): string =>
  `substr(${row}.key, 1, instr(${row}.key || ' ', ' ') - 1) IN (${Object.values(STATE_KEYS)
    .map((key) => `'${key}'`)
    .join(', ')})`

/** All that can be taken back; what is inserted may name blocks, so they come first. */
export const UNDO_TABLES: readonly UndoTable[] = [
  {
    name: 'blocks',
    ends: ['id'],
    unique: ['id'],
    count: 'reinforcement_count',
    clock: 'last_reinforced_at',
    whenChanged: 'refuse',
  },
  { name: 'block_index', ends: [], whenChanged: 'follow' },
  { name: 'block_vectors', ends: [], whenChanged: 'follow' },
  {
    name: 'edges',
    ends: ['from_id', 'to_id'],
    count: 'reinforcement_count',
    clock: 'last_active_at',
    whenChanged: 'refuse',
    ofUse: { column: 'origin', value: 'co_retrieval' },
  },
  { name: 'pairs', numbered: true, ends: ['a', 'b'], unique: ['a', 'b'], whenChanged: 'refuse' },
  {
    name: 'pending_connections',
    numbered: true,
    ends: ['source', 'target'],
    unique: ['source', 'target'],
    whenChanged: 'refuse',
  },
  { name: 'disconnections', ends: ['from_id', 'to_id'], whenChanged: 'refuse' },
  { name: 'archived_edges', ends: ['block_id'], whenChanged: 'refuse' },
  { name: 'block_outcomes', numbered: true, ends: ['block_id'], whenChanged: 'refuse' },
  { name: 'queued_outcomes', numbered: true, ends: ['block_id'], whenChanged: 'refuse' },
  {
    name: 'co_retrieval_staging',
    numbered: true,
    ends: ['from_id', 'to_id'],
    unique: ['from_id', 'to_id'],
    whenChanged: 'leave',
  },
  {
    name: 'unlabelled_pairs',
    numbered: true,
    ends: ['from_id', 'to_id'],
    unique: ['from_id', 'to_id'],
    whenChanged: 'leave',
  },
  { name: 'meta', ends: [], whenChanged: 'leave', only: isState },
]

/** The log is watched for the numbers of its new entries. */
export const RECORDED_LOG = 'operations'

/** Numbers the changes for readers; every revert is a new one. */
export const SEQUENCE = 'sequence'

/** True if use or a reader's bookkeeping changes the column; digests of rows leave it out. */
export function isLoose({ count, clock }: UndoTable, column: string): boolean {
  return column === count || column === clock || column === SEQUENCE
}
