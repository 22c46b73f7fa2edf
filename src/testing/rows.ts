import { type RowOf, type Table, viewOf } from '../ports/store/description.ts'
import type { Rows } from '../ports/store/rows.ts'
import { meta, STATE_META } from '../store/log-tables.ts'
import { blocks, TABLES } from '../store/tables.ts'
import type { Suite } from './harness.ts'
import {
  ENDS,
  IDS,
  idsOf,
  insertBlocks,
  JOINING,
  keyOf,
  PLAIN,
  type Row,
  sampleOf,
  samplesOf,
  TIME,
} from './samples.ts'

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

  check(
    'sorts texts by their UTF-8 bytes, and a view without the key by what is unique',
    async (database) => {
      const of = (wanted: string) => TABLES.find(({ name }) => name === wanted) as Table
      // In UTF-16, as JavaScript compares, it is the other way round.
      const ids = ['\uffee', '\u{10000}']
      await database.write(async (rows) => {
        await insertBlocks(rows)
        const { arrival: _arrival, position: _position, ...sample } = sampleOf(blocks, 8)
        await rows.insert(
          blocks,
          ids.map((id): Partial<RowOf<typeof blocks>> => ({ ...sample, id })),
        )
        const archived = of('archived_edges')
        const reversed = ids.map((blockId) => ({ ...sampleOf(archived, 0), blockId })).reverse()
        await rows.put(archived, reversed)
        expect((await rows.touching(archived, [...ids].reverse())).map(({ blockId }) => blockId)).toEqual(ids)
        expect((await rows.scan(archived, { order: ['blockId'] })).map(({ blockId }) => blockId)).toEqual(ids)
        const staging = of('co_retrieval_staging')
        await rows.put(
          staging,
          samplesOf(staging).map((row, i) => ({ ...row, arrival: 9 - i })),
        )
        const ends = { table: staging, properties: ['from', 'to'] }
        expect(await rows.touching(ends, IDS)).toEqual(ENDS.map(([from, to]) => ({ from, to })))
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
      expect(await arrivals({ order: ['arrival'] })).toEqual([1, 2, 3, 4])
      expect(await rows.count(table, { scope: undefined })).toBe(2)
      expect(await rows.count(table)).toBe(4)
      expect((await rows.touching(table, IDS, { where: { scope: undefined } })).length).toBe(2)
      expect((await rows.touching(table, IDS)).length).toBe(4)
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

  check('numbers rows that lack their key after the greatest number there is', async (database) => {
    await database.write(async (rows) => {
      await insertBlocks(rows)
      for (const name of ['operations', 'queued_outcomes']) {
        const table = TABLES.find((each) => each.name === name) as Table
        const [{ id: _id, ...row }] = samplesOf(table) as [Row]
        const numbers = async () => (await rows.insert(table, [row, row])).map((each) => each?.id)
        expect(await numbers()).toEqual([1, 2])
        await rows.remove(table, [[2]])
        expect(await numbers()).toEqual([2, 3])
      }
    }, {})
  })

  check('lets nothing outlive the block or the entry of the log that it is about', async (database) => {
    await database.write(async (rows) => {
      await insertBlocks(rows)
      for (const table of PLAIN) await rows.put(table, samplesOf(table), [])
      const about = PLAIN.filter(({ columns }) =>
        Object.values(columns).some(({ block }) => block === 'id' || block === 'arrival'),
      )
      const before = await Promise.all(about.map((table) => rows.count(table)))
      const named = await Promise.all(
        about.map(async (table) =>
          idsOf(table).length > 0
            ? (await rows.touching(table, ['a'])).length
            : (await rows.scan(table, { order: ['arrival'], equals: { arrival: 1 } })).length,
        ),
      )
      await rows.remove(blocks, [[1]])
      expect(named.filter((many) => many === 0)).toEqual([])
      expect(await Promise.all(about.map((table) => rows.count(table)))).toEqual(
        before.map((many, i) => many - (named[i] as number)),
      )
      const ofEntries = PLAIN.filter(({ columns }) => Object.values(columns).some(({ isEntry }) => isEntry))
      const left = await Promise.all(ofEntries.map((table) => rows.count(table)))
      await rows.remove(TABLES.find(({ name }) => name === 'operations') as Table, [[2]])
      for (const [i, table] of ofEntries.entries()) {
        expect(await rows.get(table, [[2]])).toEqual([])
        expect(await rows.count(table)).toBe((left[i] as number) - 1)
      }
    }, {})
  })

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
      const said = { generation: '3', vectorSet: '1', shadow: 'any' } as const
      await rows.put(
        meta,
        Object.entries(said).map(([name, value]) => ({ key: STATE_META[name as keyof typeof said], value })),
      )
    }, {})
    expect(await database.read((rows) => rows.state(), { scope: 'two' })).toEqual({
      clock: { hours: 2.5, wallMs: Date.parse(TIME) },
      sequence: 7,
      generation: 3,
      vectorSet: 1,
      hasShadow: true,
      hasScopes: true,
    })
  })
}
