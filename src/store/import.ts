import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { otherIds } from '../block/ids.ts'
import { isSameText } from '../block/same-text.ts'
import { ElfmemError, factOf } from '../errors.ts'
import { textKey } from './blocks.ts'
import { type Column, columnName, type Kind, type Table, viewOf } from './description.ts'
import { pagesOf, RECORD_KINDS, type RecordKind, recordColumns, travels } from './export.ts'
import { itemBlocks, items, meta, proposals, STATE_META, sessions } from './log-tables.ts'
import type { RecordHead, StoreRecord, TakenRecords } from './maintenance.ts'
import type { AnyRow, Database, Key, Rows } from './rows.ts'
import { archivedEdges, blocks, blockVectors, occurrences, questionEvidence, questions } from './tables.ts'
import { Transaction } from './transaction.ts'

/** Options and steps of taking records in. */
export interface TakingSteps {
  /** True: only blocks are taken, and they wait in the inbox as new ones, whatever their state was. */
  readonly asNew: boolean
  /** Ends the memory in which the records wait; if it throws, nothing is taken. */
  readonly staged: (tx: Transaction) => Promise<void>
  /** Ends the transaction. */
  readonly done: (tx: Transaction, taken: TakenRecords) => Promise<void>
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
  {
    head,
    records,
    steps,
  }: {
    readonly head: RecordHead
    readonly records: AsyncIterable<StoreRecord>
    readonly steps: TakingSteps
  },
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
        const result = { whole: isWhole, ...taken, left: leftOf(counts, taken.taken) }
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

function leftOf(counts: Counts, taken: Counts): Counts {
  const left = Object.entries(counts).map(([kind, count]) => [kind, count - (taken[kind] ?? 0)] as const)
  return Object.fromEntries(left.filter(([, count]) => count > 0))
}

async function isEmpty(rows: Rows): Promise<boolean> {
  const first = await rows.scan(viewOf(blocks, ['arrival']), { order: ['arrival'], limit: 1 })
  const marks = await rows.get(meta, [[STATE_META.generation], ['embedding_model']])
  return first.length === 0 && marks.length === 0 && (await rows.state()).clock.wallMs === undefined
}

/** Inserts records into an empty memory; returns how many of each kind. */
async function fill(rows: Rows, records: AsyncIterable<StoreRecord>): Promise<Counts> {
  const kinds = new Map(RECORD_KINDS.map((each) => [each.kind, { ...each, fields: fieldsOf(each.table) }]))
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

/** A kind of record, with its columns by the names of their fields. */
type ReadKind = RecordKind & { readonly fields: ReadonlyMap<string, [property: string, column: Column]> }

function fieldsOf(table: Table): ReadKind['fields'] {
  return new Map(recordColumns(table).map((each) => [columnName(table, each[0]), each]))
}

/** Returns the row of a record; throws for unknown fields and for values that no elfmem writes. */
function rowOf({ table, set, fields }: ReadKind, record: AnyRow, line: number | undefined): AnyRow {
  const row: Record<string, unknown> = set === undefined ? {} : { set: set === 'used' ? 0 : 1 }
  for (const [name, given] of Object.entries(record)) {
    const [property, column] = fields.get(name) ?? []
    if (property === undefined || column === undefined) throw badRecord(line, `there is no field "${name}"`)
    const value = cellOf(column, given)
    if (value === undefined) throw badRecord(line, `"${name}" is no ${wantedIn(column)}`)
    row[property] = value === column.blank ? undefined : value
  }
  return table.name === blocks.name ? { ...row, textKey: textKey(String(row.content)) } : row
}

const WANTED: Readonly<Record<Kind, string>> = {
  text: 'text',
  integer: 'whole number',
  flag: 'whole number',
  real: 'number',
  bytes: 'base64',
  json: 'data',
}

function wantedIn({ kind, isTime, isList }: Column): string {
  return isTime === true ? 'time' : isList === undefined ? WANTED[kind] : `list of ${isList}s`
}

/** No number that elfmem computes comes near. */
const LARGEST = 1e300

/** Returns a value as a row has it; undefined for a value that no elfmem writes. */
function cellOf(column: Column, value: unknown): unknown {
  if (!FITS[column.kind](value, column)) return undefined
  if (column.kind === 'flag') return value === column.blank ? value : value === 1
  return column.kind === 'bytes' ? bytesOf(value) : value
}

const FITS: Readonly<Record<Kind, (value: unknown, column: Column) => boolean>> = {
  text: (value, { isTime }) => typeof value === 'string' && (isTime !== true || isInstant(value)),
  integer: Number.isSafeInteger,
  flag: (value) => value === 0 || value === 1,
  real: (value) => typeof value === 'number' && Math.abs(value) <= LARGEST,
  bytes: (value) => bytesOf(value) !== undefined,
  json: (value, { isList }) => isList === undefined || isListOf(isList, value),
}

/** Returns undefined for what is no base64, which would be read as fewer bytes. */
function bytesOf(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string') return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

function isListOf(kind: 'text' | 'object', value: unknown): boolean {
  if (!Array.isArray(value)) return false
  return value.every((each) =>
    kind === 'text'
      ? typeof each === 'string'
      : typeof each === 'object' && each !== null && !Array.isArray(each),
  )
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

const TOLD = viewOf(blocks, ['id', 'content', 'scope'])

/** A block by what it says. */
type Told = NonNullable<typeof TOLD.row>

const sha256 = (text: string): string => hash('sha256', text)

/**
 * How the rows of a table come into a memory that is not empty: new `blocks`; what is kept `beside` a new block by its arrival; rows
 * that are there on their `own`; questions that were `asked` about new blocks; what `joins` new blocks; `never`.
 */
type Way = 'blocks' | 'beside' | 'own' | 'asked' | 'joins' | 'never'

const OWN: ReadonlySet<string> = new Set([sessions, itemBlocks, items, proposals].map(({ name }) => name))

function wayOf({ name, columns, staysHome }: Table): Way {
  if (staysHome === true) return 'never'
  if (name === blocks.name) return 'blocks'
  if (name === questions.name) return 'asked'
  if (OWN.has(name)) return 'own'
  if (columns.arrival?.block === 'arrival') return 'beside'
  return Object.values(columns).some(({ block }) => block === 'id') ? 'joins' : 'never'
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
    for await (const page of pagesOf(this.#from, blocks)) {
      const given = page as unknown as readonly (Told & { readonly arrival: number })[]
      const here = await this.#holders(
        this.#to,
        given.map(({ id }) => id),
      )
      await this.#rename(given.filter((block) => here.has(block.id) && !saysSame(block, here.get(block.id))))
      for (const block of given) {
        const renamed = this.#renamed.get(block.id)
        const isHere =
          renamed === undefined ? here.has(block.id) : (await this.#holders(this.#to, [renamed])).size > 0
        if (isHere) continue
        arrival += 1
        this.#arrivals.set(block.arrival, arrival)
        this.#fresh.add(renamed ?? block.id)
      }
    }
  }

  async #holders(rows: Rows, ids: readonly string[]): Promise<Map<string, Told>> {
    const found = await rows.get(
      TOLD,
      ids.map((id) => [id]),
      'unique',
    )
    return new Map(found.map((block) => [block.id, block]))
  }

  /** The same export again gets the same ids, so that it adds nothing. */
  async #rename(taken: readonly Told[]): Promise<void> {
    const wanted = new Map(taken.map((block) => [block.id, idsOf(block)]))
    const candidates = [...wanted.values()].flat()
    const [here, there] = [
      await this.#holders(this.#to, candidates),
      await this.#holders(this.#from, candidates),
    ]
    const given = new Set(this.#renamed.values())
    for (const block of taken) {
      const isFree = (id: string) =>
        !given.has(id) && !there.has(id) && (!here.has(id) || saysSame(block, here.get(id)))
      const id = wanted.get(block.id)?.find(isFree)
      if (id === undefined) continue
      given.add(id)
      this.#renamed.set(block.id, id)
    }
  }

  /** Returns the ids of blocks that were here and are a text of an item that comes. */
  async #knownTexts(): Promise<string[]> {
    const known = new Set<string>()
    for await (const page of pagesOf(this.#from, itemBlocks)) {
      const coming = await this.#ofNewItems(page)
      const ids = coming.map(({ blockId }) => this.#now(String(blockId))).filter((id) => !this.#fresh.has(id))
      for (const id of (await this.#holders(this.#to, ids)).keys()) known.add(id)
    }
    return [...known].sort()
  }

  async #ofNewItems(page: readonly AnyRow[]): Promise<AnyRow[]> {
    const ids = [...new Set(page.map(({ item }) => String(item)))]
    const here = await this.#to.get(
      items,
      ids.map((id) => [id]),
      'unique',
    )
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
    const named = Object.entries(table.columns).filter(([, { block }]) => block === 'id')
    return named.every(([property]) => this.#fresh.has(String(row[property])))
  }

  /** Leaves out rows whose key or unique properties are there, and texts of items that are there or of no block. */
  async #unlessThere(table: Table, page: AnyRow[]): Promise<AnyRow[]> {
    if (page.length === 0) return page
    if (table.name === itemBlocks.name) {
      const coming = await this.#ofNewItems(page)
      const known = await this.#holders(
        this.#to,
        coming.map(({ blockId }) => String(blockId)),
      )
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
