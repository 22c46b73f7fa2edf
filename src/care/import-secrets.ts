import type { Engine } from '../engine/engine.ts'
import { reindex } from '../engine/reindex.ts'
import type { Settings } from '../engine/settings.ts'
import { guardSecrets, type RedactedSecrets } from '../intake/guard-secrets.ts'
import { readBlocks } from '../store/blocks.ts'
import type { StoreRecord } from '../store/maintenance.ts'
import type { Transaction } from '../store/transaction.ts'
import { forLine } from './import-line.ts'

/** Kinds of records that hold numbers as text, and no words. */
const VECTORS = /_vectors$/

/** Keeps the secrets of an export out of the memory, as `memory.secrets` says. */
export class ImportSecrets {
  readonly redacted: RedactedSecrets[] = []
  readonly #mode: Settings['memory']['secrets']
  readonly #ids: string[] = []
  readonly #arrivals = new Set<unknown>()

  constructor(mode: Settings['memory']['secrets']) {
    this.#mode = mode
  }

  /** The record as it may be kept, or nothing: words of an old state with a secret cannot be brought back without it. */
  async of(record: StoreRecord): Promise<StoreRecord | undefined> {
    const { kind, row, line } = record
    if (this.#mode === 'keep' || VECTORS.test(kind)) return record
    if (kind === 'block_index')
      return this.#arrivals.has(row.arrival) ? { ...record, row: wordless(row) } : record
    // A question has its vector beside its words.
    const { vector, ...words } = row
    const { input, redacted } = await forLine(line ?? 0, () => guardSecrets(words, this.#mode))
    if (redacted.length === 0) return record
    for (const each of redacted) this.redacted.push({ ...each, field: `line ${line}: ${each.field}` })
    if (kind === 'operation_changes') return undefined
    if (kind === 'blocks') {
      this.#ids.push(String(row.id))
      this.#arrivals.add(row.arrival)
    }
    return { ...record, row: vector === undefined ? input : { ...input, vector } }
  }

  /** Gives the blocks that lost a secret the words they have now. */
  async refreshWords(tx: Transaction, { analysis }: Pick<Engine, 'analysis'>): Promise<void> {
    if (this.#ids.length > 0) await reindex(tx, await readBlocks(tx, this.#ids), analysis)
  }
}

/** The words a block is found by were made of all its words. */
function wordless(row: StoreRecord['row']): StoreRecord['row'] {
  const { names: _names, ...rest } = row
  return { ...rest, terms: '' }
}
