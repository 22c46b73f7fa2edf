import {
  type BlockStatus,
  isIdentityTag,
  isProtectedTag,
  isScope,
  normaliseCategory,
  normaliseTags,
  type SourceClass,
} from '../block/block.ts'
import { defined, estimateTokens, nameOfBeginning } from '../block/text.ts'
import { reindex } from '../engine/embedding.ts'
import type { Engine } from '../engine/engine.ts'
import type { Settings } from '../engine/settings.ts'
import { attempt, ElfmemError } from '../errors.ts'
import { checkCue, checkName, checkTags, guardSecrets, type RedactedSecrets } from '../intake/check-input.ts'
import { tierLambda } from '../outcome/formulas.ts'
import { readBlocks } from '../store/blocks.ts'
import type { RecordHead, StoreRecord, Transaction } from '../store/transaction.ts'

/** The first line of an export gives this as its `format`. */
export const EXPORT_FORMAT = 'elfmem-export'
/** The lines of an export have this version. */
export const EXPORT_VERSION = 1

/** Line rules are the settings and the head of an export, against which its lines are checked. */
export interface LineRules {
  readonly settings: Pick<Settings, 'memory' | 'limits' | 'decay'>
  readonly head: RecordHead
}

type Row = StoreRecord['row']

const ID = /^[0-9a-f]{16}$/

/** Reads the first line; throws `INVALID_INPUT` if it begins no export, `STORE_TOO_NEW` if this elfmem cannot read it. */
export function readHead(text = ''): RecordHead {
  const isDatabase = text.startsWith('SQLite format 3')
  const kind = isDatabase ? 'a database' : text.startsWith('{') ? undefined : nameOfBeginning(text)
  if (kind !== undefined)
    throw new ElfmemError('INVALID_INPUT', `The file is ${kind}, not an export of elfmem.`, {
      recovery: isDatabase
        ? 'The owner restores it with restoreBackup if it is a backup; else export it with the elfmem that made it.'
        : 'Name a file that elfmem exported; a document is learned with learnDocument.',
    })
  const head = text === '' ? {} : parsed(text, 1)
  if (head.format !== EXPORT_FORMAT) throw badLine(1, 'it is not the first line of an export')
  if (typeof head.version !== 'number' || head.version > EXPORT_VERSION)
    throw new ElfmemError('STORE_TOO_NEW', 'The export was written by a newer elfmem.', {
      recovery: 'Update elfmem; nothing was taken in.',
      details: { version: Number(head.version), supported: EXPORT_VERSION },
    })
  const { hours, counts, embedding } = head
  const { model, dimensions } = embedding === undefined ? { model: '', dimensions: 0 } : Object(embedding)
  const isWhole =
    Number.isFinite(hours) &&
    typeof counts === 'object' &&
    Object.values(counts ?? { none: -1 }).every(isCount) &&
    typeof model === 'string' &&
    isCount(dimensions)
  if (!isWhole) throw badLine(1, 'the head is not whole')
  return { hours, counts, ...defined({ embedding }) } as RecordHead
}

/**
 * Reads one record; throws `INVALID_INPUT` with the line's number. A block is checked as `remember` checks it; the columns are checked
 * where the tables are written.
 */
export function readLine(text: string, line: number, { settings, head }: LineRules): StoreRecord {
  const { table, ...row } = parsed(text, line)
  if (typeof table !== 'string') throw badLine(line, 'it names no table')
  const wrong = table === 'blocks' ? wrongBlock(row, settings.memory.maxContentBytes) : undefined
  if (wrong !== undefined) throw badLine(line, wrong)
  const bytes = row.vector === undefined ? 0 : Buffer.from(String(row.vector), 'base64').length
  const dimensions = table === 'block_vectors' ? head.embedding?.dimensions : undefined
  if (dimensions === undefined ? bytes % 4 !== 0 : bytes !== 4 * dimensions)
    throw badLine(line, 'the vector is not of the length the head says')
  return { kind: table, row, line }
}

/** Returns the fault of a block, in words; undefined if it has none. Tags in another spelling could become claims when it is edited. */
function wrongBlock({ id, content, tags, scope, category }: Row, mostBytes: number): string | undefined {
  if (typeof id !== 'string' || !ID.test(id)) return 'the id is not one'
  if (typeof content !== 'string' || content.trim() === '') return 'there is no content'
  if (Buffer.byteLength(content) > mostBytes)
    return `the content is longer than memory.max_content_bytes (${mostBytes})`
  if (!isSpelled(tags, () => normaliseTags(tags as string[])))
    return 'tags is no list of tags in their one spelling and order'
  if (!isSpelled(category, () => normaliseCategory(category as string)))
    return 'the category is not in its one spelling'
  const isPlace = scope === undefined || scope === '' || (typeof scope === 'string' && isScope(scope))
  return isPlace ? undefined : 'the scope is not one'
}

/** Returns true if a value has its normal spelling, which all remembered values have. */
function isSpelled(value: unknown, normalised: () => unknown): boolean {
  try {
    return JSON.stringify(normalised()) === JSON.stringify(value)
  } catch {
    return false
  }
}

/** Throws `INVALID_INPUT` for a file that ends too early or holds more than its head says. */
export function mustBeComplete({ counts }: RecordHead, seen: RecordHead['counts'], line: number): void {
  const kinds = [...Object.keys(counts), ...Object.keys(seen)]
  const wrong = kinds.find((kind) => (counts[kind] ?? 0) !== (seen[kind] ?? 0))
  if (wrong !== undefined)
    throw badLine(line, `the head speaks of ${counts[wrong] ?? 0} ${wrong} and there are ${seen[wrong] ?? 0}`)
}

/** Runs work for a line; a refusal names the number of the line. */
export async function forLine<T>(line: number, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    throw new ElfmemError(error.code, `Line ${line}: ${error.message}`, {
      recovery: error.recovery,
      details: { ...error.details, line },
      cause: error,
    })
  }
}

function parsed(text: string, line: number): Record<string, unknown> {
  const value: unknown = attempt(() => JSON.parse(text))
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw badLine(line, 'it is no JSON object')
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function badLine(line: number, what: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `Line ${line} cannot be taken in: ${what}.`, {
    recovery: 'Correct the line, or export() again; nothing was taken in.',
    details: { line },
  })
}

/** Returns the number of records of all kinds. */
export function totalOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, each) => sum + each, 0)
}

/** Columns with judgements made in the other memory and with the blocks replaced there. */
const JUDGED_THERE: ReadonlySet<string> = new Set([
  ...['summary', 'alignment', 'scored_at', 'judgement_pending', 'supersedes', 'superseded_by'],
  ...['superseded_at', 'archived_at'],
])

/**
 * Returns a living block of somebody's export as a new block here: its words, without the `dropped` tags of identity, and without anything
 * that the other memory made of them. Throws `LIMIT_EXCEEDED` or `INVALID_INPUT` for words that `remember` refuses.
 */
export function asNew(
  row: Row,
  { settings, head }: LineRules,
): { readonly row: Row; readonly dropped: number } {
  const { content, cue, category, source, session } = row
  const given = checkTags(row.tags as readonly string[])
  if (typeof cue === 'string') checkCue(cue)
  for (const [what, name] of Object.entries({ category, source, session }))
    if (typeof name === 'string') checkName(what, name)
  const tags = given.filter((tag) => !isIdentityTag(tag) && !isProtectedTag(tag))
  const kept = Object.fromEntries(Object.entries(row).filter(([name]) => !JUDGED_THERE.has(name)))
  const fresh = {
    tags,
    status: 'inbox' satisfies BlockStatus,
    source_class: 'import' satisfies SourceClass,
    successes: 0,
    failures: 0,
    reinforcement_count: 0,
    last_reinforced_at: head.hours,
    last_useful_at: head.hours,
    decay_lambda: tierLambda({ tags, category: String(category) }, settings.decay),
    token_count: Math.max(1, estimateTokens(String(content))),
  }
  return { row: { ...kept, ...fresh }, dropped: given.length - tags.length }
}

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

  /** Returns the record as it may be kept; undefined for an old state with a secret, which cannot be restored without it. */
  async of(record: StoreRecord): Promise<StoreRecord | undefined> {
    const { kind, row, line } = record
    if (this.#mode === 'keep' || VECTORS.test(kind)) return record
    // The words by which a block is found were made of all its words.
    const { names: _, ...unnamed } = row
    if (kind === 'block_index')
      return this.#arrivals.has(row.arrival) ? { ...record, row: { ...unnamed, terms: '' } } : record
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

  /** Updates the index of the blocks that lost a secret to their present words. */
  async refreshWords(tx: Transaction, { analysis }: Pick<Engine, 'analysis'>): Promise<void> {
    if (this.#ids.length > 0) await reindex(tx, await readBlocks(tx, this.#ids), analysis)
  }
}
