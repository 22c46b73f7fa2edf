import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { otherIds } from '../block/block.ts'
import { isSameText } from '../block/same-text.ts'
import { isStorable } from '../block/text.ts'
import { ElfmemError, factOf } from '../errors.ts'
import { COPIES_ELSEWHERE, UNFINISHED_ERASING } from '../history/erasing.ts'
import { textKey } from './blocks.ts'
import type { AnyRow, Database, Key, Rows, Where } from './database.ts'
import { type Column, columnName, type Kind, propertiesWhere, type Table, viewOf } from './description.ts'
import { REPORTS_MARK } from './log.ts'
import {
  archivedEdges,
  blocks,
  blockVectors,
  itemBlocks,
  items,
  MEMORY_ID,
  meta,
  occurrences,
  proposals,
  questionEvidence,
  questions,
  STATE_META,
  sessions,
  TABLES,
} from './tables.ts'
import {
  keysOf,
  type RecordHead,
  type StoreRecord,
  type TakenRecords,
  type TakingSteps,
  Transaction,
} from './transaction.ts'

/** Rows that are read at once. */
const PAGE = 1_000

/** The records of one kind: the rows of a table, or of one set of its rows. */
export interface RecordKind {
  readonly kind: string
  readonly table: Table
  /** The set of rows: the one in use, or the shadow set; absent where there are no sets. */
  readonly set?: 'used' | 'shadow'
}

/** Every kind of record, in the order of an export. */
export const RECORD_KINDS: readonly RecordKind[] = TABLES.flatMap((table): RecordKind[] =>
  table.name === blockVectors.name
    ? [
        { kind: table.name, table, set: 'used' },
        { kind: 'spare_vectors', table, set: 'shadow' },
      ]
    : [{ kind: table.name, table }],
)

/** Keys of `meta` about this file alone: its name, its packed copies, its other copies, what is still to be erased, its reports. */
const OF_THIS_FILE: ReadonlySet<string> = new Set([
  ...[STATE_META.vectorSet, MEMORY_ID, UNFINISHED_ERASING, COPIES_ELSEWHERE, REPORTS_MARK, 'index_mark'],
])

/** Returns true for a key of `meta` that says something of the memory, not of this file. */
export function travels(key: string): boolean {
  return !OF_THIS_FILE.has(key) && !key.startsWith('index_mark ')
}

/** Returns the columns of a table that its records have, by the names of their fields; none that can be made from the others. */
export function recordFields(table: Table): ReadonlyMap<string, [property: string, column: Column]> {
  const kept = Object.entries(table.columns).filter(([, { isDerived, isSet }]) => !isDerived && !isSet)
  return new Map(kept.map((each) => [columnName(table, each[0]), each]))
}

/** Reads the rows of a table page by page, in the order of the key. */
export async function* pagesOf(rows: Rows, table: Table, where: Where = {}): AsyncGenerator<AnyRow[]> {
  for (let after: Key | undefined; ; ) {
    const range = { where, order: table.key, limit: PAGE, ...(after === undefined ? {} : { after }) }
    const page = (await rows.scan(table, range)) as AnyRow[]
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = table.key.map((property) => last[property] as string | number)
  }
}

/** Returns the condition for the rows of a kind. */
async function rowsOf(rows: Rows, { set }: RecordKind): Promise<Where> {
  if (set === undefined) return {}
  const { vectorSet } = await rows.state()
  return { set: set === 'used' ? vectorSet : 1 - vectorSet }
}

/** Returns the first line of an export: clock, model, and how many records of each kind there are. */
export async function readHead(rows: Rows): Promise<RecordHead> {
  const settings = new Map((await rows.scan(meta, { order: ['key'] })).map(({ key, value }) => [key, value]))
  const counts: Record<string, number> = {}
  for (const each of RECORD_KINDS) {
    const total =
      each.table.name === meta.name
        ? [...settings.keys()].filter(travels).length
        : await rows.count(each.table, await rowsOf(rows, each))
    if (total > 0) counts[each.kind] = total
  }
  const model = settings.get('embedding_model')
  const dimensions = Number(settings.get('embedding_dimensions'))
  return {
    hours: (await rows.state()).clock.hours,
    ...(model === undefined ? {} : { embedding: { model, dimensions } }),
    counts,
  }
}

/** Reads everything a memory holds, in an order that the contents alone decide. */
export async function* readRecords(rows: Rows): AsyncGenerator<StoreRecord> {
  for (const each of RECORD_KINDS) {
    const { kind, table } = each
    const fields = [...recordFields(table)]
    for await (const page of pagesOf(rows, table, await rowsOf(rows, each)))
      for (const row of page)
        if (table.name !== meta.name || travels(String(row.key)))
          yield {
            kind,
            row: Object.fromEntries(
              fields.flatMap(([name, [property, column]]) => {
                const value = told(column, row[property])
                return value === undefined ? [] : [[name, value]]
              }),
            ),
          }
  }
}

/** Returns a value as a record has it: flags as 0 and 1, bytes as base64. */
function told({ kind, blank }: Column, given: unknown): unknown {
  const value = given ?? blank
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  return kind === 'flag' && value !== undefined ? Number(value) : value
}

/**
 * Takes records into a memory in one transaction: all as they are if it is empty, unless they come `asNew`; else only blocks whose
 * ids are new, and what joins or describes these alone, with hours moved to this memory's clock. Records are checked in a database
 * of their own first, so that the lock is held for the copy alone.
 *
 * @throws `INVALID_INPUT` for a record that no elfmem writes
 */
export async function takeRecords(
  database: Database,
  head: RecordHead,
  records: AsyncIterable<StoreRecord>,
  steps: TakingSteps,
): Promise<TakenRecords> {
  const waiting = await database.scratch({ isLarge: true })
  try {
    const counts = await waiting.write(
      async (rows) => {
        const filled = await fill(rows, records)
        await steps.staged(new Transaction(rows))
        return filled
      },
      { durable: false },
    )
    return await waiting.read((from) =>
      database.write(async (to) => {
        const copy = new Copy(from, to, head)
        const isWhole = !steps.asNew && (await isEmpty(to))
        const taken = isWhole ? await copy.all() : await copy.whatIsNew(steps.asNew)
        const left = Object.entries(counts).map(([kind, count]) => [kind, count - (taken.taken[kind] ?? 0)])
        const result = {
          ...{ whole: isWhole, ...taken },
          left: Object.fromEntries(left.filter(([, count]) => Number(count) > 0)) as Counts,
        }
        await steps.done(new Transaction(to), result)
        return result
      }, {}),
    )
  } finally {
    await waiting.close()
  }
}

type Counts = Readonly<Record<string, number>>
type Taken = Pick<TakenRecords, 'taken' | 'asInbox' | 'textsOfItems'>

async function isEmpty(rows: Rows): Promise<boolean> {
  const first = await rows.scan(viewOf(blocks, ['arrival']), { order: ['arrival'], limit: 1 })
  const marks = await rows.get(meta, [[STATE_META.generation], ['embedding_model']])
  return first.length === 0 && marks.length === 0 && (await rows.state()).clock.wallMs === undefined
}

/** Inserts records into an empty memory; returns how many of each kind. */
async function fill(rows: Rows, records: AsyncIterable<StoreRecord>): Promise<Counts> {
  const kinds = new Map(
    RECORD_KINDS.map((each) => [each.kind, { ...each, fields: recordFields(each.table) }]),
  )
  const counts: Record<string, number> = {}
  await rows.remove(meta, await settingsIn(rows))
  for await (const { kind, row, line } of records) {
    const known = kinds.get(kind)
    if (known === undefined) throw badRecord(line, `"${kind}" is no kind of record`)
    const filled = rowOf(known, row, line)
    try {
      await rows.put(known.table, [filled as never], [])
    } catch (error) {
      // A full disk or a lock stays what it is.
      if (!ElfmemError.is(error) || factOf(error, 'refused') !== true) throw error
      throw badRecord(line, String(factOf(error, 'sqlite')), error)
    }
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

/** Returns the keys of the settings that an import brings. */
async function settingsIn(rows: Rows): Promise<Key[]> {
  const all = await rows.scan(meta, { order: ['key'] })
  return all.filter(({ key }) => travels(key)).map(({ key }) => [key])
}

/** Returns the row of a record; throws for unknown fields and for values that no elfmem writes. */
function rowOf(
  { table, set, fields }: RecordKind & { readonly fields: ReturnType<typeof recordFields> },
  record: AnyRow,
  line: number | undefined,
): AnyRow {
  const row: Record<string, unknown> = set === undefined ? {} : { set: set === 'used' ? 0 : 1 }
  for (const [name, given] of Object.entries(record)) {
    const [property, column] = fields.get(name) ?? []
    if (!property || !column) throw badRecord(line, `there is no field "${name}"`)
    const value = READ[column.kind](given, column)
    if (value === undefined) throw badRecord(line, `"${name}" is no value of its kind`)
    row[property] = value === column.blank ? undefined : value
  }
  return table.name === blocks.name ? { ...row, textKey: textKey(String(row.content)) } : row
}

/** No number that elfmem computes comes near. */
const LARGEST = 1e300

/** Reads a value as a row has it, by the kind of its column; undefined for one that no elfmem writes. */
const READ: Readonly<Record<Kind, (value: unknown, column: Column) => unknown>> = {
  text: (value, { isTime }) => (isText(value) && (!isTime || isInstant(value)) ? value : undefined),
  integer: (value) => (Number.isSafeInteger(value) ? value : undefined),
  real: (value) => (typeof value === 'number' && Math.abs(value) <= LARGEST ? value : undefined),
  flag: (value, { blank }) =>
    value === 0 || value === 1 ? (value === blank ? value : value === 1) : undefined,
  json: (value, { isList }) => (isList === undefined || isListOf(isList, value) ? value : undefined),
  // What is no base64 would be read as fewer bytes.
  bytes: (value) => {
    const bytes = Buffer.from(String(value), 'base64')
    return bytes.toString('base64') === value ? bytes : undefined
  },
}

function isListOf(kind: 'text' | 'object', value: unknown): boolean {
  const isObject = (each: unknown) => typeof each === 'object' && each !== null && !Array.isArray(each)
  const isPart = (each: unknown) => (kind === 'text' ? isText(each) : isObject(each))
  return Array.isArray(value) && value.every(isPart)
}

/** True if a value comes back from a store as it was. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && isStorable(value)
}

/** Matches ISO-8601 with a time of day, as JavaScript writes it. */
const INSTANT = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?$/

function isInstant(text: string): boolean {
  return INSTANT.test(text) && !Number.isNaN(Date.parse(text))
}

function badRecord(line: number | undefined, what: string, cause?: unknown): ElfmemError {
  const place = line === undefined ? 'A record' : `Line ${line}`
  return new ElfmemError('INVALID_INPUT', `${place} cannot be taken in: ${what}.`, {
    recovery: 'Correct the line, or export() again; nothing was taken in.',
    details: line === undefined ? {} : { line },
    cause,
  })
}

const TOLD = viewOf(blocks, ['id', 'arrival', 'content', 'scope'])

/** A block by what it says. */
type Told = NonNullable<typeof TOLD.row>

const sha256 = (text: string): string => hash('sha256', text)

/**
 * How the rows of a table come into a memory that is not empty: new `blocks`; what is kept `beside` a new block by its arrival; rows
 * that are there on their `own`; questions that were `asked` about new blocks; what `joins` new blocks; `never`.
 */
type Way = 'blocks' | 'beside' | 'own' | 'asked' | 'joins' | 'never'

const OWN: readonly string[] = [sessions, itemBlocks, items, proposals].map(({ name }) => name)

function wayOf({ name, columns, staysHome }: Table): Way {
  if (staysHome === true) return 'never'
  if (name === blocks.name) return 'blocks'
  if (name === questions.name) return 'asked'
  if (OWN.includes(name)) return 'own'
  return columns.arrival?.block === 'arrival' ? 'beside' : 'joins'
}

/** Copies the rows of one memory into another. */
class Copy {
  readonly #from: Rows
  readonly #to: Rows
  readonly #head: RecordHead
  readonly #taken: Record<string, number> = {}
  /** New blocks: the arrival there and here. */
  readonly #arrivals = new Map<number, number>()
  /** Ids of new blocks, as they are here. */
  readonly #fresh = new Set<string>()
  /** Ids that are another block's here, and the ids that their blocks get instead. */
  readonly #renamed = new Map<string, string>()

  constructor(from: Rows, to: Rows, head: RecordHead) {
    this.#from = from
    this.#to = to
    this.#head = head
  }

  /** Copies everything as it is. */
  async all(): Promise<Taken> {
    await this.#to.remove(meta, await settingsIn(this.#to))
    for (const each of RECORD_KINDS) await this.#each(each, async (page) => page)
    return { taken: this.#taken, asInbox: false, textsOfItems: [] }
  }

  /** Copies new blocks and what joins or describes these alone. Nothing joins a new block to one that was here. */
  async whatIsNew(asNew: boolean): Promise<Taken> {
    const asInbox = asNew || (await this.#isOfOtherModel())
    const { clock, sequence, vectorSet } = await this.#to.state()
    const place = { asInbox, shift: clock.hours - this.#head.hours, sequence: sequence + 1, vectorSet }
    await this.#findFresh()
    const textsOfItems = await this.#knownTexts()
    const asked = new Set<unknown>()
    for await (const page of pagesOf(this.#from, questionEvidence))
      for (const { blockId, question } of page)
        if (this.#fresh.has(this.#now(String(blockId)))) asked.add(question)
    for (const each of RECORD_KINDS) {
      const { table } = each
      const way = wayOf(table)
      const isLeft = asInbox && way !== 'blocks' && way !== 'own' && table.name !== occurrences.name
      if (way === 'never' || each.set === 'shadow' || isLeft) continue
      await this.#each(each, async (page) => {
        const moved = page.flatMap((row): AnyRow[] => {
          const here = this.#moved(table, row, place)
          return here === undefined ? [] : [here]
        })
        const isWanted = (row: AnyRow) => (way === 'asked' ? asked.has(row.id) : this.#isOfFresh(table, row))
        return this.#unlessThere(table, way === 'asked' || way === 'joins' ? moved.filter(isWanted) : moved)
      })
    }
    return { taken: this.#taken, asInbox, textsOfItems }
  }

  /** Copies the rows of one kind page by page; others have their turn between two pages. */
  async #each(
    { kind, table, set }: RecordKind,
    choose: (page: AnyRow[]) => Promise<AnyRow[]>,
  ): Promise<void> {
    const where = set === undefined ? {} : { set: set === 'used' ? 0 : 1 }
    for await (const page of pagesOf(this.#from, table, where)) {
      const rows = await choose(page.filter(({ key }) => table.name !== meta.name || travels(String(key))))
      if (rows.length > 0) {
        const isNumberedHere = rows[0]?.[table.key[0] as string] === undefined
        if (isNumberedHere) await this.#to.insert(table, rows as never)
        else await this.#to.put(table, rows as never, [])
        this.#taken[kind] = (this.#taken[kind] ?? 0) + rows.length
      }
      await nextTurn()
    }
  }

  async #isOfOtherModel(): Promise<boolean> {
    const { embedding } = this.#head
    if (embedding === undefined) return false
    const here = await this.#to.get(meta, [['embedding_model'], ['embedding_dimensions']])
    const wanted = [embedding.model, String(embedding.dimensions)]
    return here.map(({ value }) => value).join('\n') !== wanted.join('\n')
  }

  /** Finds the blocks that are new here, and gives those whose ids are another text's here the ids of their exact words. */
  async #findFresh(): Promise<void> {
    const [last] = await this.#to.scan(viewOf(blocks, ['arrival']), { order: ['-arrival'], limit: 1 })
    let arrival = last?.arrival ?? 0
    for await (const page of pagesOf(this.#from, blocks))
      for (const block of page as unknown as readonly Told[]) {
        const id = await this.#idFor(block)
        if (id !== block.id) this.#renamed.set(block.id, id)
        if ((await this.#holders(this.#to, [id])).length > 0) continue
        arrival += 1
        this.#arrivals.set(block.arrival, arrival)
        this.#fresh.add(id)
      }
  }

  #holders(rows: Rows, ids: readonly string[]): Promise<Told[]> {
    return rows.get(TOLD, keysOf(ids), 'unique')
  }

  /** Returns another id for a block whose own is another text's here. The same export again gets the same ids, so that it adds nothing. */
  async #idFor(block: Told): Promise<string> {
    const [there] = await this.#holders(this.#to, [block.id])
    if (there === undefined || saysSame(block, there)) return block.id
    const wanted = idsOf(block)
    const here = new Map((await this.#holders(this.#to, wanted)).map((each) => [each.id, each]))
    const taken = new Set((await this.#holders(this.#from, wanted)).map(({ id }) => id))
    for (const id of this.#renamed.values()) taken.add(id)
    const isFree = (id: string) => !taken.has(id) && (!here.has(id) || saysSame(block, here.get(id)))
    return wanted.find(isFree) ?? block.id
  }

  /** Returns the ids of blocks that were here and are a text of an item that comes. */
  async #knownTexts(): Promise<string[]> {
    const known = new Set<string>()
    for await (const page of pagesOf(this.#from, itemBlocks)) {
      const coming = await this.#ofNewItems(page)
      const ids = coming.map(({ blockId }) => this.#now(String(blockId))).filter((id) => !this.#fresh.has(id))
      for (const { id } of await this.#holders(this.#to, ids)) known.add(id)
    }
    return [...known].sort()
  }

  async #ofNewItems(page: readonly AnyRow[]): Promise<AnyRow[]> {
    const here = await this.#to.get(items, keysOf(page.map(({ item }) => String(item))), 'unique')
    const isHere = new Set(here.map(({ id }) => id))
    return page.filter(({ item }) => !isHere.has(String(item)))
  }

  #now(id: string): string {
    return this.#renamed.get(id) ?? id
  }

  /** Returns a row as it is here: its ids, arrivals, numbers and hours; undefined if it is about an older block. */
  #moved(table: Table, row: AnyRow, place: Place): AnyRow | undefined {
    const moved: Record<string, unknown> = { ...row }
    for (const [property, { block, isHours }] of Object.entries(table.columns)) {
      const value = row[property]
      if (value === undefined) continue
      if (isHours === true) moved[property] = Number(value) + place.shift
      if (block === 'id' || block === 'mention') moved[property] = this.#now(String(value))
    }
    if (table.name === archivedEdges.name && this.#renamed.size > 0) this.#renameArchived(moved)
    const way = wayOf(table)
    if (way === 'blocks' || way === 'beside') return this.#placed(table, moved, place)
    if (table.isUndirected === true) inOrder(moved, table.unique ?? table.key)
    if (table.isNumbered === true) delete moved[table.key[0] as string]
    return moved
  }

  /** Returns a row that has the arrival of a new block. Blocks come as the newest; those without a usable vector wait. */
  #placed(table: Table, row: Record<string, unknown>, place: Place): AnyRow | undefined {
    const arrival = this.#arrivals.get(Number(row.arrival))
    if (arrival === undefined) return undefined
    const { asInbox, sequence, vectorSet } = place
    if (table.name === blockVectors.name) return { ...row, arrival, set: vectorSet }
    if (table.name !== blocks.name) return { ...row, arrival, sequence }
    const id = this.#now(String(row.id))
    const isChanged = row.status !== 'archived' || row.sequence !== undefined
    const status = asInbox && row.status === 'active' ? 'inbox' : row.status
    return { ...row, id, arrival, status, ...(isChanged ? { sequence } : {}) }
  }

  /** The edges and pairs that archived blocks keep name blocks, too. */
  #renameArchived(row: Record<string, unknown>): void {
    for (const [property, ends] of [
      ['edges', ['from', 'to']],
      ['pairs', ['a', 'b']],
    ] as const)
      row[property] = (row[property] as AnyRow[]).map((each) => {
        const named: Record<string, unknown> = { ...each }
        for (const end of ends) named[end] = this.#now(String(each[end]))
        inOrder(named, ends)
        return named
      })
  }

  #isOfFresh(table: Table, row: AnyRow): boolean {
    const named = propertiesWhere(table, ({ block }) => block === 'id')
    return named.every((property) => this.#fresh.has(String(row[property])))
  }

  /** Leaves out rows whose key or unique properties are there, and texts of items that are there or of no block. */
  async #unlessThere(table: Table, page: AnyRow[]): Promise<AnyRow[]> {
    if (page.length === 0) return page
    if (table.name === itemBlocks.name) {
      const coming = await this.#ofNewItems(page)
      const ids = coming.map(({ blockId }) => String(blockId))
      const known = new Set((await this.#holders(this.#to, ids)).map(({ id }) => id))
      return coming.filter(({ blockId }) => known.has(String(blockId)))
    }
    const way = wayOf(table)
    if (way !== 'own' && way !== 'asked') return page
    const by = table.unique ?? table.key
    const keyOf = (row: AnyRow) => by.map((property) => row[property] as string | number)
    const there = (await this.#to.get(table, page.map(keyOf), 'unique')) as AnyRow[]
    const known = new Set(there.map((row) => keyOf(row).join('\n')))
    return page.filter((row) => !known.has(keyOf(row).join('\n')))
  }
}

/** Values that fit new rows into the memory that takes them in. */
interface Place {
  readonly asInbox: boolean
  /** Shift from the clock there to the clock here, in hours. */
  readonly shift: number
  /** The number of this change. */
  readonly sequence: number
  readonly vectorSet: number
}

/** Two ends without a direction stand in the order of their ids. */
function inOrder(row: Record<string, unknown>, [one = '', other = '']: readonly string[]): void {
  const ends = [row[one], row[other]]
  if (typeof ends[0] !== 'string' || typeof ends[1] !== 'string' || ends[0] <= ends[1]) return
  row[one] = ends[1]
  row[other] = ends[0]
}

function saysSame(block: Told, other: Told | undefined): boolean {
  return other !== undefined && block.scope === other.scope && isSameText(block.content, other.content)
}

/** Returns ids a block may get in place of its own, the last from that id, so that nobody else wants it. */
function idsOf({ id, content, scope }: Told): string[] {
  const text = { content, ...(scope === undefined ? {} : { scope }) }
  return [...otherIds(text, sha256), sha256(`${content}\0${scope ?? ''}\0${id}`).slice(0, 16)]
}
