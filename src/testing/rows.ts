import { type Column, type RowOf, type Table, viewOf } from '../ports/store/description.ts'
import type { Key, Rows } from '../ports/store/rows.ts'
import { blocks, TABLES } from '../store/tables.ts'
import type { Suite } from './harness.ts'

type Row = Readonly<Record<string, unknown>>

const IDS = ['a', 'b', 'c', 'd'] as const
const SCOPES = { a: 'one', b: 'one', c: 'two', d: 'two' } as const

/** Pairs of the blocks in the order of their ids; two of them within a scope. */
const ENDS = [
  ['a', 'b'],
  ['a', 'c'],
  ['b', 'd'],
  ['c', 'd'],
] as const

const TIME = '2026-03-01T12:00:00.000Z'

/** The row with a number, whose values are as the description says; blocks are those of `IDS`, by their places. */
function sampleOf({ columns, unique = [], key }: Table, number: number, scope?: string): Row {
  const ends = ENDS[number % ENDS.length] as readonly string[]
  let end = 0
  const values = Object.entries(columns).map(([property, column]) => {
    if (column.block === 'id') return [property, key.join() === property ? IDS[number] : ends[end++]]
    if (column.block === 'arrival') return [property, number + 1]
    if (property === 'scope') return [property, scope]
    if (column.isSet === true) return [property, 0]
    const isOwn = key.includes(property) || unique.includes(property)
    return [property, sampleValue(column, isOwn ? number + 1 : 1)]
  })
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

function sampleValue({ kind, isOptional, isTime, isList, words, block }: Column, number: number): unknown {
  if (isOptional && block !== undefined) return undefined
  if (words !== undefined) return words[0]
  if (isTime === true) return TIME
  switch (kind) {
    case 'text':
      return `text ${number}`
    case 'integer':
      return number
    case 'real':
      return 0.5
    case 'flag':
      return true
    case 'json':
      return isList === undefined ? { one: number } : []
    case 'bytes':
      return new Uint8Array(new Float32Array([number, 0.5]).buffer)
  }
}

/** The four blocks that others name, two of each scope. */
async function insertBlocks(rows: Rows): Promise<void> {
  const given = IDS.map((id, at) => {
    const { arrival: _arrival, position: _position, ...sample } = sampleOf(blocks, at, SCOPES[id])
    return { ...sample, id, status: 'active' } as Partial<RowOf<typeof blocks>>
  })
  await rows.insert(blocks, given)
}

/** Four rows of a table; of what joins two blocks of one scope the scope. */
function samplesOf(table: Table): Row[] {
  return ENDS.map(([one, other], at) => {
    const isWithin = SCOPES[one] === SCOPES[other]
    return sampleOf(table, at, isWithin ? SCOPES[one] : undefined)
  })
}

const keyOf = ({ key }: Table, row: Row): Key => key.map((property) => row[property] as string | number)
const idsOf = (table: Table) => table.properties.filter((property) => table.columns[property]?.block === 'id')

/** Tables whose rows are put as they are: those of blocks are counted, and settings are there from the beginning. */
const PLAIN = TABLES.filter(({ name }) => name !== 'blocks' && name !== 'meta')
const JOINING = PLAIN.filter((table) => idsOf(table).length === 2)

/** Promises about the rows of any table. */
export function checkRows({ checkDatabase: check, expect }: Suite): void {
  check(
    'keeps rows of every table as they were put, and gives them back by their keys in the order asked',
    async (database) => {
      await database.write(async (rows) => {
        await insertBlocks(rows)
        for (const table of PLAIN) await rows.put(table, samplesOf(table), [])
      }, {})
      await database.read(async (rows) => {
        for (const table of PLAIN) {
          const samples = samplesOf(table).reverse()
          const keys = [...samples, ...samples].map((row) => keyOf(table, row))
          expect(await rows.get(table, keys)).toEqual(samples)
          expect(await rows.count(table)).toBe(samples.length)
          expect(await rows.get(table, [])).toEqual([])
        }
      })
    },
  )

  check(
    'finds rows by their unique properties, and reads as much of them as a view has',
    async (database) => {
      await database.write(async (rows) => {
        await insertBlocks(rows)
        const known = await rows.get(
          viewOf(blocks, ['id', 'arrival']),
          [['c'], ['nobody'], ['a'], ['c']],
          'unique',
        )
        expect(known).toEqual([
          { id: 'c', arrival: 3 },
          { id: 'a', arrival: 1 },
        ])
      }, {})
    },
  )

  check(
    'writes of rows that are put only those that differ, and tells of each value before and after',
    async (database) => {
      const told: unknown[] = []
      const changed = ({ name }: Table, was: unknown, is: unknown) => {
        if (name === 'disconnections') told.push([was, is])
      }
      const [table] = TABLES.filter(({ name }) => name === 'disconnections') as [Table]
      await database.write(
        async (rows) => {
          await insertBlocks(rows)
          const [one, other] = samplesOf(table) as [Row, Row]
          expect(await rows.put(table, [one, other])).toEqual([one, other])
          expect(await rows.put(table, [one, { ...other, at: 9 }, { ...other, at: 7 }])).toEqual([
            { ...other, at: 7 },
          ])
          expect(await rows.remove(table, [keyOf(table, other), ['x', 'y'], keyOf(table, one)])).toEqual([
            { ...other, at: 7 },
            one,
          ])
        },
        { changed },
      )
      const none = undefined
      const one = ['a', 'b', 0.5, 'text 1', 'one']
      const other = (at: number) => ['a', 'c', at, 'text 1', '']
      expect(told).toEqual([
        [none, one],
        [none, other(0.5)],
        [other(0.5), other(7)],
        [other(7), none],
        [one, none],
      ])
    },
  )

  check(
    'finds what names a block, or two of some blocks, each row once in the order of the keys',
    async (database) => {
      await database.write(async (rows) => {
        await insertBlocks(rows)
        for (const table of JOINING) {
          const samples = samplesOf(table)
          await rows.put(table, samples, [])
          const at = (...places: readonly number[]) => places.map((place) => samples[place])
          expect(await rows.touching(table, ['b', 'a', 'a'])).toEqual(at(0, 1, 2))
          expect(await rows.touching(table, ['c', 'a', 'b', 'x'], { both: true })).toEqual(at(0, 1))
          expect(await rows.touching(table, [])).toEqual([])
        }
      }, {})
    },
  )

  check('walks a range of rows in the order asked, from and behind a place', async (database) => {
    const [table] = TABLES.filter(({ name }) => name === 'co_retrieval_staging') as [Table]
    await database.write(async (rows) => {
      await insertBlocks(rows)
      const samples = samplesOf(table).map((row, i) => ({ ...row, count: [2, 1, 2, 3][i] }))
      await rows.put(table, samples, [])
      const arrivals = async (range: Parameters<Rows['scan']>[1]) =>
        (await rows.scan(table, range)).map(({ arrival }) => arrival)
      expect(await arrivals({ order: ['-count', 'arrival'] })).toEqual([4, 1, 3, 2])
      expect(await arrivals({ order: ['-count', 'arrival'], from: ['count', 2], limit: 2 })).toEqual([4, 1])
      expect(await arrivals({ order: ['count', 'arrival'], after: [2, 1] })).toEqual([3, 4])
      expect(await arrivals({ order: ['arrival'], until: ['count', 2], limit: -1 })).toEqual([])
      expect(await arrivals({ order: ['-arrival'], equals: { from: 'a' } })).toEqual([2, 1])
      expect(await arrivals({ order: ['arrival'], where: { scope: undefined } })).toEqual([2, 3])
    }, {})
  })

  check('drops the oldest rows beyond those to keep, of each value if that is asked', async (database) => {
    const of = (wanted: string) => TABLES.find(({ name }) => name === wanted) as Table
    await database.write(async (rows) => {
      await insertBlocks(rows)
      const pairs = of('unlabelled_pairs')
      await rows.put(pairs, samplesOf(pairs), [])
      expect(await rows.trim(pairs, { order: ['arrival'], keep: 3 })).toBe(1)
      expect(await rows.trim(pairs, { order: ['arrival'], keep: 0, most: 2, but: [2] })).toBe(2)
      expect((await rows.scan(pairs, { order: ['arrival'] })).map(({ arrival }) => arrival)).toEqual([2])
      const outcomes = of('queued_outcomes')
      await rows.put(outcomes, samplesOf(outcomes), [])
      expect(await rows.trim(outcomes, { order: ['id'], keep: 1, per: ['blockId', ['a', 'b']] })).toBe(1)
      expect((await rows.scan(outcomes, { order: ['id'] })).map(({ id }) => id)).toEqual([2, 3, 4])
    }, {})
  })

  check(
    'numbers what is inserted, counts it in its series, and leaves out what is taken',
    async (database) => {
      await database.write(async (rows) => {
        await insertBlocks(rows)
        const { arrival: _arrival, position: _position, ...more } = sampleOf(blocks, 9, 'one')
        const row = more as Partial<RowOf<typeof blocks>>
        const made = await rows.insert(blocks, [
          { ...row, id: 'e' },
          { ...row, id: 'a' },
          { ...row, id: 'f' },
        ])
        expect(made.map((each) => each && [each.id, each.arrival, each.position])).toEqual([
          ['e', 5, 2],
          undefined,
          ['f', 6, 3],
        ])
      }, {})
    },
  )

  check(
    'shows a scope its own rows and those of its blocks, and lets it touch no others',
    async (database) => {
      await database.write(async (rows) => {
        await insertBlocks(rows)
        for (const table of JOINING) await rows.put(table, samplesOf(table), [])
      }, {})
      await database.write(
        async (rows) => {
          for (const table of JOINING) {
            const samples = samplesOf(table)
            const keys = samples.map((row) => keyOf(table, row))
            expect(await rows.get(table, keys)).toEqual([samples[0]])
            expect(await rows.touching(table, IDS)).toEqual([samples[0]])
            expect(await rows.touching(table, IDS, { both: true })).toEqual([samples[0]])
            expect(await rows.scan(table, { order: table.key })).toEqual([samples[0]])
            expect(await rows.count(table)).toBe(1)
            expect(await rows.remove(table, keys)).toEqual([samples[0]])
            expect(await rows.whole.count(table)).toBe(samples.length - 1)
          }
        },
        { scope: 'one' },
      )
    },
  )

  check('counts the changes and the hours of the memory as a whole', async (database) => {
    const vectors = { generation: 0, vectorSet: 0, hasShadow: false }
    const empty = { clock: { hours: 0 }, sequence: 0, ...vectors, hasScopes: false }
    expect(await database.read((rows) => rows.state())).toEqual(empty)
    await database.write(async (rows) => {
      await insertBlocks(rows)
      await rows.queries.number([1, 2], 7)
      const [operations] = TABLES.filter(({ name }) => name === 'operations') as [Table]
      await rows.put(operations, [{ ...sampleOf(operations, 0), hours: 2.5 }], [])
    }, {})
    expect(await database.read((rows) => rows.state(), { scope: 'two' })).toEqual({
      clock: { hours: 2.5, wallMs: Date.parse(TIME) },
      sequence: 7,
      ...vectors,
      hasScopes: true,
    })
  })
}
