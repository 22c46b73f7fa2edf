import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Column, Table } from '../../src/ports/store/description.ts'
import type { Cells, Database, Key, RowChanged, Rows } from '../../src/ports/store/rows.ts'
import { codecOf } from '../../src/store/codec.ts'
import { operations } from '../../src/store/log-tables.ts'
import { blocks, TABLES } from '../../src/store/tables.ts'
import type { StoreHarness } from './suite.ts'

type Row = Readonly<Record<string, unknown>>

/** The ids of blocks; JavaScript compares the last two the other way round than their UTF-8 bytes. */
const IDS = ['a', 'b', 'c', '\uffee', '\u{10000}'] as const
/** Pairs of blocks in the order of their bytes; a row with the number n names those at n. */
const ENDS = [
  ['a', 'b'],
  ['a', '\uffee'],
  ['a', '\u{10000}'],
  ['c', '\u{10000}'],
  ['\uffee', '\u{10000}'],
] as const
const SCOPES: readonly (string | undefined)[] = ['one', 'one', 'one', 'two', undefined]
const TIME = '2026-03-01T12:00:00.000Z'

/** Tables whose rows are put as they are: blocks are inserted, and settings are there from the beginning. */
const PLAIN = TABLES.filter(({ name }) => name !== 'blocks' && name !== 'meta') as Table[]
const NUMBERED = PLAIN.filter(({ name }) => name === 'operations' || name === 'queued_outcomes')

const columnsThat = ({ columns }: Table, holds: (column: Column) => unknown) =>
  Object.keys(columns).filter((property) => holds(columns[property] as Column))
const endsOf = (table: Table) => columnsThat(table, ({ block }) => block === 'id')
const keyOf = ({ key }: Table, row: Row): Key => key.map((property) => row[property] as string | number)

/** The value of a column that is neither a key nor names a block. */
function sampleOf({ kind, isTime, isOptional, isList, words, block }: Column, variant: number): unknown {
  if (isOptional && (block !== undefined || variant === 0)) return undefined
  if (words !== undefined) return words[variant % words.length]
  if (isTime === true) return TIME
  const values = {
    text: `text ${variant}`,
    integer: variant + 1,
    real: variant / 4,
    flag: isOptional || variant > 1,
    json: isList === undefined ? { one: variant } : [],
    bytes: new Uint8Array(new Float32Array([variant, 0.5]).buffer),
  }
  return values[kind]
}

/** The rows of every table in plain maps, by the JSON of their keys. */
class Model {
  /** The changes that the database has to tell of. */
  told: string[] = []
  tables = new Map(TABLES.map(({ name }) => [name, new Map<string, Row>()]))

  of({ name }: Table): Map<string, Row> {
    return this.tables.get(name) as Map<string, Row>
  }

  copy(): Map<string, Map<string, Row>> {
    return new Map([...this.tables].map(([name, rows]) => [name, new Map(rows)]))
  }

  /** The row of a table with a number, whose values are those of a variant; undefined where its blocks are gone. */
  row(table: Table, number: number, variant: number): Row | undefined {
    const { columns, key, unique = [] } = table
    const names = columnsThat(table, ({ block }) => block === 'id' || block === 'arrival')
    const ids: readonly string[] =
      key.length === 1 && names[0] === key[0] ? [IDS[number] as string] : (ENDS[number] ?? [])
    const named = names.map((_, at) => this.#block(ids[at] as string))
    if (named.includes(undefined)) return undefined
    const ends = names.map((property, at) => [property, named[at]?.[columns[property]?.block as string]])
    const values = Object.entries(columns).map(([property, column]) => {
      const isOwn = key.includes(property) || unique.includes(property)
      if (column.isEntry) return [property, [...this.of(operations.table).values()][number]?.id]
      if (property === 'firstId') return [property, 1]
      return [property, column.isSet ? number % 2 : sampleOf(column, isOwn ? number + 1 : variant)]
    })
    const row = Object.fromEntries([...values, ...ends])
    const isWhole = keyOf(table, row).every((each) => each !== undefined)
    return isWhole ? dropAbsent({ ...row, ...scopeOf(table, named) }) : undefined
  }

  #block(id: string): Row | undefined {
    return [...this.of(blocks.table).values()].find((row) => row.id === id)
  }

  own(table: Table, scope: string | undefined): Row[] {
    const about = columnsThat(table, ({ block }) => block === 'id' || block === 'arrival')
    const isOfScope = (row: Row, property: string) => {
      const by = table.columns[property]?.block === 'id' ? 'id' : 'arrival'
      return [...this.of(blocks.table).values()].some(
        (block) => block.scope === scope && block[by] === row[property],
      )
    }
    const isOwn = (row: Row) =>
      table.columns.scope ? row.scope === scope : about.every((property) => isOfScope(row, property))
    const rows = [...this.of(table).values()].sort(by(table.key))
    return scope === undefined ? rows : rows.filter(isOwn)
  }

  /** Writes a row, or takes it away; true if that changed anything. */
  write(table: Table, key: Key, row: Row | undefined): boolean {
    const name = JSON.stringify(key)
    const was = this.of(table).get(name)
    if (isDeepStrictEqual(was, row)) return false
    if (row === undefined) this.of(table).delete(name)
    else this.of(table).set(name, row)
    const { encode } = codecOf<Row>(table as never)
    if (table.undo !== undefined) this.told.push(changeOf(table, was && encode(was), row && encode(row)))
    if (row === undefined) this.#removeAbout(table, was as Row)
    return true
  }

  /** Removes the rows that refer to a removed block or log entry. */
  #removeAbout({ name: from }: Table, gone: Row): void {
    for (const table of TABLES)
      for (const [property, { block, isEntry }] of Object.entries(table.columns)) {
        const by = from === 'operations' ? isEntry && 'id' : from === 'blocks' && block !== 'mention' && block
        if (by) this.#removeWhere(table, property, gone[by])
      }
  }

  #removeWhere(table: Table, property: string, value: unknown): void {
    for (const [name, row] of this.of(table)) if (row[property] === value) this.of(table).delete(name)
  }
}

/** The scope that all blocks of a row have in common. */
function scopeOf({ columns }: Table, named: readonly (Row | undefined)[]): Row {
  const scopes = new Set(named.map((row) => row?.scope))
  return columns.scope && scopes.size === 1 ? { scope: [...scopes][0] } : { scope: undefined }
}

/** A change of a row as a text that can be compared. */
function changeOf({ name }: Table, was: Cells | undefined, is: Cells | undefined): string {
  const plain = (cells: Cells = []) => cells.map((cell) => (cell instanceof Uint8Array ? [...cell] : cell))
  return `${name} ${JSON.stringify([plain(was), plain(is)])}`
}

function dropAbsent(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined))
}

function compare(one: unknown, other: unknown): number {
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)))
  return Number(one) - Number(other)
}

/** Sorts by some properties; a minus before one descends. */
function by(order: readonly string[]): (one: Row, other: Row) => number {
  const sides = order.map((each) => [each.replace('-', ''), each.startsWith('-') ? -1 : 1] as const)
  return (one, other) =>
    sides.map(([name, sign]) => sign * compare(one[name], other[name])).find((each) => each !== 0) ?? 0
}

/** One call on the rows of a transaction, and the same on the model; both answer alike. */
interface Call {
  readonly rows: (rows: Rows, model: Model) => Promise<unknown>
  readonly model: (model: Model, scope: string | undefined) => unknown
}

const anyTable = fc.constantFrom(...PLAIN)
const numbers = fc.array(fc.nat(ENDS.length - 1), { maxLength: 4 })
const variant = fc.nat(3)
const everyBlock = { scope: undefined, fails: false, calls: [insertBlocks([0, 1, 2, 3, 4], 1)] }

const unique = <T>(all: readonly T[]): T[] => [
  ...new Map(all.map((each) => [JSON.stringify(each), each])).values(),
]

/** Keys of rows that may be there, each perhaps twice. */
const keysOf = (model: Model, table: Table, at: readonly number[]): Key[] =>
  at.flatMap((number) => {
    const row = model.row(table, number, 0)
    return row ? [keyOf(table, row)] : []
  })

function insertBlocks(at: readonly number[], each: number): Call {
  const rowsAt = at.map((number) => {
    const { arrival: _arrival, position: _position, ...values } = blocks.columns
    const made = Object.entries(values).map(([property, column]) => [property, sampleOf(column, each)])
    const id = IDS[number] as string
    return dropAbsent({ ...Object.fromEntries(made), id, session: 's', scope: SCOPES[number] })
  })
  return {
    rows: (rows) => rows.insert(blocks, rowsAt as never),
    model: (model) =>
      rowsAt.map((row) => {
        const all = [...model.of(blocks.table).values()]
        if (all.some(({ id }) => id === row.id)) return undefined
        const next = (property: string, of: readonly Row[], first: number) =>
          Math.max(first, ...of.map((other) => Number(other[property]) + 1))
        const series = all.filter(({ session, scope }) => session === row.session && scope === row.scope)
        const made: Row = { ...row, arrival: next('arrival', all, 1), position: next('position', series, 0) }
        model.write(blocks.table, keyOf(blocks.table, made), made)
        return made
      }),
  }
}

const insertingBlocks = fc.tuple(numbers, variant).map(([at, each]) => insertBlocks(at, each))

const insertingNumbered = fc
  .tuple(fc.constantFrom(...NUMBERED), numbers, variant)
  .map(([table, at, each]): Call => {
    const rowsIn = (model: Model) =>
      at.flatMap((number) => {
        const { id: _id, ...row } = model.row(table, number, each) ?? {}
        return 'blockId' in row || table.name === 'operations' ? [row] : []
      })
    return {
      rows: (rows, model) => rows.insert(table, rowsIn(model)),
      model: (model) =>
        rowsIn(model).map((row) => {
          const id = Math.max(0, ...[...model.of(table).values()].map((other) => Number(other.id))) + 1
          model.write(table, [id], { ...row, id })
          return { ...row, id }
        }),
    }
  })

const putting = fc
  .tuple(anyTable, fc.array(fc.tuple(fc.nat(4), variant), { maxLength: 4 }))
  .map(([table, given]): Call => {
    const rowsIn = (model: Model) =>
      given.flatMap(([number, each]): Row[] => {
        const row = model.row(table, number, each)
        return row ? [row] : []
      })
    return {
      rows: (rows, model) => rows.whole.put(table, rowsIn(model) as never),
      model: (model) => {
        const last = new Map(rowsIn(model).map((row) => [JSON.stringify(keyOf(table, row)), row]))
        return [...last.values()].filter((row) => model.write(table, keyOf(table, row), row))
      },
    }
  })

const removing = fc.tuple(fc.constantFrom(blocks.table, ...PLAIN), numbers).map(([table, at]): Call => {
  const keysIn = (model: Model) =>
    table.name === 'blocks' ? at.map((number): Key => [number + 1]) : keysOf(model, table, at)
  return {
    rows: (rows, model) => rows.remove(table, keysIn(model)),
    model: (model, scope) => {
      const own = model.own(table, scope)
      return unique(keysIn(model)).flatMap((key) => {
        const row = own.find((each) => isDeepStrictEqual(keyOf(table, each), key))
        return row && model.write(table, key, undefined) ? [row] : []
      })
    },
  }
})

const trimming = fc
  .tuple(fc.constantFrom(...PLAIN.filter(({ key }) => key.length === 1)), fc.nat(4), fc.nat(3))
  .map(
    ([table, keep, most]): Call => ({
      rows: (rows) => rows.trim(table, { order: table.key, keep, most }),
      model: (model, scope) => {
        const old = model.own(table, scope).toReversed().slice(keep).toReversed().slice(0, most)
        return old.filter((row) => model.write(table, keyOf(table, row), undefined)).length
      },
    }),
  )

const looking = fc
  .tuple(anyTable, numbers, fc.record({ limit: fc.nat(4), down: fc.boolean() }))
  .map(([table, at, { limit, down }]): Call => {
    const ids = at.map((number) => IDS[number] as string)
    const order = down ? table.key.map((property) => `-${property}`) : table.key
    const named = (row: Row) => endsOf(table).filter((end) => ids.includes(row[end] as string)).length
    const joins = endsOf(table).length
    return {
      rows: async (rows, model) => [
        await rows.get(table, keysOf(model, table, at)),
        await rows.count(table),
        await rows.scan(table, { order, limit }),
        joins > 0 && (await rows.touching(table, ids)),
        joins === 2 && (await rows.touching(table, ids, { both: true })),
        await behind(rows, table, keysOf(model, table, at)),
      ],
      model: (model, scope) => {
        const own = model.own(table, scope)
        const keys = keysOf(model, table, at)
        return [
          unique(keys).flatMap((key) => own.find((row) => isDeepStrictEqual(keyOf(table, row), key)) ?? []),
          own.length,
          own.toSorted(by(order)).slice(0, limit),
          joins > 0 && own.filter((row) => named(row) > 0),
          joins === 2 && own.filter((row) => named(row) === 2),
          own.filter((row) => keys[0] && by(table.key)(row, rowAt(table, keys[0])) > 0),
        ]
      },
    }
  })

const rowAt = (table: Table, key: Key): Row =>
  Object.fromEntries(table.key.map((property, at) => [property, key[at]]))

async function behind(rows: Rows, table: Table, [after]: readonly Key[]): Promise<unknown[]> {
  return after === undefined ? [] : rows.scan(table, { order: table.key, after })
}

const transactions = fc.array(
  fc.record({
    scope: fc.constantFrom(undefined, undefined, 'one', 'two'),
    fails: fc.nat(5).map((one) => one === 0),
    calls: fc.array(
      fc.oneof(insertingBlocks, insertingNumbered, putting, putting, putting, removing, trimming, looking),
      { minLength: 1, maxLength: 8, size: 'max' },
    ),
  }),
  { minLength: 3, maxLength: 8, size: 'max' },
)
type Transaction = (typeof transactions extends fc.Arbitrary<infer T> ? T : never)[number]

async function play(database: Database, model: Model, { scope, fails, calls }: Transaction): Promise<void> {
  const begun = model.copy()
  const told: string[] = []
  model.told = []
  const changed: RowChanged = (...change) => told.push(changeOf(...change))
  const writing = database.write(
    async (rows) => {
      for (const call of calls) {
        // The rows answer first: what a call is given depends on what the model has before.
        const answer = await call.rows(rows, model)
        expect(answer).toEqual(call.model(model, scope))
      }
      expect(told.sort()).toEqual(model.told.sort())
      if (fails) throw new Error('on purpose')
    },
    { scope, changed },
  )
  await writing.catch((error: Error) => {
    if (error.message !== 'on purpose') throw error
    model.tables = begun
  })
  await database.read(async (rows) => {
    for (const table of [blocks.table, ...PLAIN]) {
      const all = model.own(table, undefined)
      expect(await rows.scan(table, { order: table.key }), table.name).toEqual(all)
      if (endsOf(table).length > 0) expect(await rows.touching(table, IDS), table.name).toEqual(all)
    }
    const newest = model.own(operations.table, undefined).at(-1)
    expect((await rows.state()).clock.hours).toBe(newest?.hours ?? 0)
  })
}

/** Registers the property test of the rows of a database against plain maps. */
export function rowsSuite(name: string, { open, cleanup }: StoreHarness, numRuns = 40): void {
  let memories = 0
  test(`rows of ${name} answer ${numRuns} random histories of calls as plain maps do`, async () => {
    await fc.assert(
      fc.asyncProperty(transactions, async (all) => {
        memories += 1
        const [database, model] = [await open(`rows-${memories}`), new Model()]
        for (const each of [everyBlock, ...all]) await play(database, model, each)
        await database.close()
      }),
      { numRuns },
    )
    await cleanup()
  })
}
