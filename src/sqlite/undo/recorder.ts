import type { Connection, Value } from '../connection/driver.ts'
import { RECORDED_LOG, SEQUENCE, UNDO_TABLES, type UndoTable } from './tables.ts'

/** Values of a row in the order of its table's columns. */
export type Cells = readonly Value[]

/** A row before and after a transaction; absent where there was none. */
interface Noted {
  readonly was?: Cells
  readonly is?: Cells
}

/** Its name and the statement that makes it. */
type Trigger = readonly [string, string]

/** One table as it is watched, and the rows of it that changed. */
export interface Watched {
  readonly table: UndoTable
  readonly columns: readonly string[]
  /** Places of the columns of the primary key. */
  readonly key: readonly number[]
  readonly rows: Map<Value, Noted>
}

const FUNCTIONS = {
  isOn: 'undo_records',
  made: 'undo_made',
  gone: 'undo_gone',
  changed: 'undo_changed',
  logged: 'undo_logged',
}

/**
 * Notes what a transaction does to rows: triggers that only this connection sees call back with every row before and
 * after. SQLite's session extension says the same at three times the cost for a few rows, because it reads the layout of
 * every table anew for every transaction.
 */
export class UndoRecorder {
  readonly #connection: Connection
  #watched: readonly Watched[] | undefined
  #triggers: ReadonlyMap<string, string> = new Map()
  #isOn = false
  /** Numbers of the entries that were logged, in their order. */
  logged: number[] = []

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The watched tables with the rows that changed since `begin`. */
  get tables(): readonly Watched[] {
    return this.#watched ?? []
  }

  /** Notes from now on. To be called outside of a transaction, whose end could take the triggers away. */
  begin(): void {
    this.#watched ??= this.#prepare()
    this.#connection.watch(this.#triggers)
    for (const { rows } of this.#watched) rows.clear()
    this.logged = []
    this.#isOn = true
  }

  end(): void {
    this.#isOn = false
  }

  #prepare(): readonly Watched[] {
    const watched = UNDO_TABLES.map((table): Watched => {
      const { columns, key } = table
      return { table, columns, key: key.map((column) => columns.indexOf(column)), rows: new Map() }
    })
    const at = (place: Value): Watched => watched[Number(place)] as Watched
    this.#connection.define(FUNCTIONS.isOn, () => this.#isOn)
    this.#connection.define(FUNCTIONS.made, (place = null, ...cells) => noteMade(at(place), cells))
    this.#connection.define(FUNCTIONS.gone, (place = null, ...cells) => noteGone(at(place), cells))
    this.#connection.define(FUNCTIONS.changed, (place = null, ...cells) => noteChanged(at(place), cells))
    this.#connection.define(FUNCTIONS.logged, (id) => this.logged.push(Number(id)))
    this.#triggers = new Map([...watched.flatMap(triggersOf), logTrigger()])
    return watched
  }
}

function noteMade({ key, rows }: Watched, is: Cells): void {
  const name = nameOf(key, is)
  const before = rows.get(name)?.was
  rows.set(name, before === undefined ? { is } : { was: before, is })
}

function noteGone({ key, rows }: Watched, was: Cells): void {
  const name = nameOf(key, was)
  const known = rows.get(name)
  if (known !== undefined && known.was === undefined) rows.delete(name)
  else rows.set(name, { was: known?.was ?? was })
}

function noteChanged(watched: Watched, cells: Cells): void {
  const { key, rows, columns } = watched
  const [was, is] = [cells.slice(0, columns.length), cells.slice(columns.length)]
  const name = nameOf(key, was)
  if (name !== nameOf(key, is)) {
    noteGone(watched, was)
    noteMade(watched, is)
    return
  }
  const known = rows.get(name)
  if (known === undefined) rows.set(name, { was, is })
  else rows.set(name, known.was === undefined ? { is } : { was: known.was, is })
}

function nameOf(key: readonly number[], cells: Cells): Value {
  const [only] = key
  return key.length === 1 ? (cells[only as number] ?? null) : JSON.stringify(key.map((place) => cells[place]))
}

/**
 * Numbers of changes are bookkeeping, so that an update of nothing else is not looked at. Of what follows a block the
 * key says all that is kept of a new row: its words and its vector are not even read.
 */
function triggersOf({ table, columns, key }: Watched, place: number): Trigger[] {
  const { name, only } = table
  const noted = columns.filter((column) => column !== SEQUENCE)
  const rowOf = (row: 'old' | 'new') => columns.map((column) => `${row}.${column}`).join(', ')
  const madeRow = columns.map((column, at) =>
    table.whenChanged === 'follow' && !key.includes(at) ? 'NULL' : `new.${column}`,
  )
  const watch = (event: string, note: string, cells: string) =>
    triggerOf(`${note}_${name}`, `${event} ON main.${name}`, {
      when: only?.(event === 'AFTER INSERT' ? 'new' : 'old'),
      call: `${note}(${place}, ${cells})`,
    })
  return [
    watch('AFTER INSERT', FUNCTIONS.made, madeRow.join(', ')),
    watch('AFTER DELETE', FUNCTIONS.gone, rowOf('old')),
    watch(`AFTER UPDATE OF ${noted.join(', ')}`, FUNCTIONS.changed, `${rowOf('old')}, ${rowOf('new')}`),
  ]
}

function logTrigger(): Trigger {
  return triggerOf(`${FUNCTIONS.logged}_${RECORDED_LOG}`, `AFTER INSERT ON main.${RECORDED_LOG}`, {
    when: undefined,
    call: `${FUNCTIONS.logged}(new.id)`,
  })
}

function triggerOf(
  name: string,
  event: string,
  { when, call }: { readonly when: string | undefined; readonly call: string },
): Trigger {
  const condition = [`${FUNCTIONS.isOn}()`, ...(when === undefined ? [] : [when])].join(' AND ')
  return [
    name,
    `CREATE TEMP TRIGGER IF NOT EXISTS ${name} ${event} WHEN ${condition} BEGIN SELECT ${call}; END`,
  ]
}
