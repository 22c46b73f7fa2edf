import { type BlockStatus, isScope, normaliseCategory } from '../block/block.ts'
import type { SourceClass } from '../block/source-class.ts'
import { isIdentityTag, isProtectedTag, normaliseTags } from '../block/tags.ts'
import { estimateTokens, isStorable, nameOfBeginning } from '../block/text.ts'
import type { Engine } from '../engine/engine.ts'
import { reindex } from '../engine/reindex.ts'
import type { Settings } from '../engine/settings.ts'
import { ElfmemError } from '../errors.ts'
import { checkCue, checkName, checkTags, guardSecrets, type RedactedSecrets } from '../intake/check-input.ts'
import { tierLambda } from '../outcome/formulas.ts'
import { readBlocks } from '../store/blocks.ts'
import type { RecordHead, StoreRecord } from '../store/maintenance.ts'
import type { Transaction } from '../store/transaction.ts'

/** The `format` that the first line of an export gives. */
export const EXPORT_FORMAT = 'elfmem-export'
/** Version of the lines. */
export const EXPORT_VERSION = 1

/** Settings and head of the export that its lines are checked against. */
export interface LineRules {
  readonly settings: Pick<Settings, 'memory' | 'limits' | 'decay'>
  readonly head: RecordHead
}

/** A row by its columns. */
type Fields = Readonly<Record<string, unknown>>

const TEXT_MAX = 1 << 20
const ID = /^[0-9a-f]{16}$/

/** The first line; throws `INVALID_INPUT` when it is none of ours, `STORE_TOO_NEW` when this elfmem cannot read it. */
export function readHead(text: string | undefined): RecordHead {
  const kind = text === undefined ? undefined : kindOf(text)
  if (kind !== undefined)
    throw new ElfmemError('INVALID_INPUT', `The file is ${kind}, not an export of elfmem.`, {
      recovery:
        kind === 'a database'
          ? 'The owner restores it with restoreBackup if it is a backup; else export it with the elfmem that made it.'
          : 'Name a file that elfmem exported; a document is learned with learnDocument.',
    })
  const head = text === undefined ? undefined : parsed(text, 1)
  if (head?.format !== EXPORT_FORMAT) throw badLine(1, 'it is not the first line of an export')
  if (typeof head.version !== 'number' || head.version > EXPORT_VERSION)
    throw new ElfmemError('STORE_TOO_NEW', 'The export was written by a newer elfmem.', {
      recovery: 'Update elfmem; nothing was taken in.',
      details: { version: Number(head.version), supported: EXPORT_VERSION },
    })
  const { hours, counts, embedding } = head
  const isWhole = isAmount(hours) && isCounts(counts) && (embedding === undefined || isEmbedding(embedding))
  if (!isWhole) throw badLine(1, 'the head is not whole')
  return {
    hours,
    counts,
    ...(embedding === undefined ? {} : { embedding }),
  }
}

/** The kind of a file by its first line; undefined if that may be a line of an export. */
function kindOf(text: string): string | undefined {
  if (text.startsWith('SQLite format 3')) return 'a database'
  return text.startsWith('{') ? undefined : nameOfBeginning(text)
}

/** One record; throws `INVALID_INPUT` with the line's number. What the tables themselves check is left to them. */
export function readLine(text: string, line: number, rules: LineRules): StoreRecord {
  const { table, ...row } = parsed(text, line)
  if (typeof table !== 'string') throw badLine(line, 'it names no table')
  for (const [name, value] of Object.entries(row)) {
    const wrong = wrongField(name, value)
    if (wrong !== undefined) throw badLine(line, wrong)
  }
  if (table === 'blocks') checkBlock(row, line, rules)
  if (table.endsWith('_vectors') && !isVector(row.vector, table === 'block_vectors' ? rules.head : undefined))
    throw badLine(line, 'the vector is not of the length the head says')
  return { kind: table, row, line }
}

/** Refuses a file that ends too early or holds more than its head says. */
export function mustBeComplete(head: RecordHead, seen: Readonly<Record<string, number>>, line: number): void {
  const kinds = new Set([...Object.keys(head.counts), ...Object.keys(seen)])
  const wrong = [...kinds].find((kind) => (head.counts[kind] ?? 0) !== (seen[kind] ?? 0))
  if (wrong === undefined) return
  throw badLine(
    line,
    `the head speaks of ${head.counts[wrong] ?? 0} ${wrong} and there are ${seen[wrong] ?? 0}`,
  )
}

/** Says of a refusal which line it is about. */
export async function forLine<T>(line: number, work: () => Promise<T>): Promise<T> {
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

function checkBlock(row: Fields, line: number, { settings }: LineRules): void {
  const { id, content, tags, scope, category } = row
  const { maxContentBytes } = settings.memory
  if (typeof id !== 'string' || !ID.test(id)) throw badLine(line, 'the id is not one')
  if (typeof content !== 'string' || content.trim() === '') throw badLine(line, 'there is no content')
  if (new TextEncoder().encode(content).length > maxContentBytes)
    throw badLine(line, `the content is longer than memory.max_content_bytes (${maxContentBytes})`)
  if (!areTags(tags)) throw badLine(line, 'tags is no list of tags in their one spelling and order')
  if (typeof category !== 'string' || !isSpelled(category, () => normaliseCategory(category)))
    throw badLine(line, 'the category is not in its one spelling')
  const isPlace = scope === undefined || scope === '' || (typeof scope === 'string' && isScope(scope))
  if (!isPlace) throw badLine(line, 'the scope is not one')
}

/** Returns what is wrong with a field of any table; undefined if nothing is. */
function wrongField(name: string, value: unknown): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return `"${name}" is no number`
  if (!isWhole(value)) return `"${name}" holds a NUL or half a character`
  if (typeof value !== 'string') return undefined
  if (value.length > TEXT_MAX && name !== 'terms') return `"${name}" is too long`
  return undefined
}

/** True if it can be stored as it is: a text, or every text in a list. */
function isWhole(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isWhole)
  return typeof value !== 'string' || isStorable(value)
}

function isVector(value: unknown, head: RecordHead | undefined): boolean {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return false
  const bytes = (value.length / 4) * 3 - (value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0)
  if (head?.embedding === undefined) return bytes % 4 === 0
  return bytes === 4 * head.embedding.dimensions
}

/** Tags in any other spelling could become claims when the block is edited. */
function areTags(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((tag) => typeof tag === 'string') &&
    isSpelled(value, () => normaliseTags(value))
  )
}

/** True if it is as everything that was remembered is. */
function isSpelled(value: unknown, normalised: () => unknown): boolean {
  try {
    return JSON.stringify(normalised()) === JSON.stringify(value)
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return false
  }
}

function parsed(text: string, line: number): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badLine(line, 'it is not JSON')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw badLine(line, 'it is no object')
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isCounts(value: unknown): value is Record<string, number> {
  return typeof value === 'object' && value !== null && Object.values(value).every(isCount)
}

function isEmbedding(value: unknown): value is { model: string; dimensions: number } {
  if (typeof value !== 'object' || value === null) return false
  const { model, dimensions } = value as { model?: unknown; dimensions?: unknown }
  return typeof model === 'string' && isCount(dimensions)
}

/** The refusal of one line. */
export function badLine(line: number, what: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `Line ${line} cannot be taken in: ${what}.`, {
    recovery: 'Correct the line, or export() again; nothing was taken in.',
    details: { line },
  })
}

/** How many there are of all kinds. */
export function totalOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, each) => sum + each, 0)
}

/** Columns with judgements made in the other memory and with the blocks replaced there. */
const JUDGED_THERE: ReadonlySet<string> = new Set([
  ...['summary', 'alignment', 'scored_at', 'judgement_pending', 'supersedes', 'superseded_by'],
  ...['superseded_at', 'archived_at'],
])

/**
 * A living block of somebody's export as one that is new here: its words, without the `dropped` tags that say who the agent is,
 * and none of what was made of them there. Throws `LIMIT_EXCEEDED` or `INVALID_INPUT` for words that `remember` refuses.
 */
export function asNew(
  row: StoreRecord['row'],
  { settings, head }: LineRules,
): { readonly row: StoreRecord['row']; readonly dropped: number } {
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

/** Checks that the records of an export fit each other. */
export interface ImportStory {
  /** Returns what is wrong with a record after those before it; undefined if nothing is. */
  readonly follow: (record: StoreRecord) => string | undefined
  /** Returns what was expected and did not come; undefined if all came. */
  readonly missing: () => string | undefined
}

/**
 * Follows an export line by line for what no single line and no table can say: the log goes forward, its sessions are
 * there, and the vectors are those the head speaks of.
 */
export function followImport({ embedding }: RecordHead): ImportStory {
  const sessions = new Set<unknown>()
  const expected = new Map(
    embedding === undefined
      ? []
      : [
          ['embedding_model', embedding.model],
          ['embedding_dimensions', String(embedding.dimensions)],
        ],
  )
  const come = new Set<unknown>()
  let [id, hours] = [0, Number.NEGATIVE_INFINITY]

  const followOperation = (row: StoreRecord['row']): string | undefined => {
    if (Number(row.id) <= id || Number(row.hours) < hours) return 'the log goes back'
    id = Number(row.id)
    hours = Number(row.hours)
    const isLost = row.session !== undefined && !sessions.has(row.session)
    return isLost ? 'its session is not there' : undefined
  }
  const followSetting = ({ key, value }: StoreRecord['row']): string | undefined => {
    if (key !== 'embedding_model' && key !== 'embedding_dimensions') return undefined
    come.add(key)
    return expected.get(key) === value ? undefined : `the head speaks of another ${key}`
  }
  return {
    follow({ kind, row }) {
      if (kind === 'sessions') sessions.add(row.id)
      if (kind === 'operations') return followOperation(row)
      return kind === 'meta' ? followSetting(row) : undefined
    },
    missing() {
      const key = [...expected.keys()].find((each) => !come.has(each))
      return key === undefined ? undefined : `the head speaks of an ${key} and there is none`
    },
  }
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
