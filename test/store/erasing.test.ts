import { expect, test } from 'vitest'
import { type Erased, LostChanges, withoutErased } from '../../src/domain/erasure/records.ts'
import { type Column, columnName } from '../../src/ports/store/description.ts'
import { ERASABLE_TABLES } from '../../src/sqlite/erase/tables.ts'
import { TABLES } from '../../src/store/tables.ts'

const ERASED: Erased = {
  ids: new Set(['gone']),
  arrivals: new Set([7]),
  tables: ERASABLE_TABLES,
  references: new Map(),
  holds: (text) => text.includes('secret'),
  mentions: () => false,
  lost: new LostChanges(),
}

const columnsOf = TABLES.flatMap((table) =>
  Object.entries(table.columns).map(
    ([property, column]) =>
      [`${table.name}.${columnName(table, property)}`, table.name, columnName(table, property), column] as [
        string,
        string,
        string,
        Column,
      ],
  ),
)
const columnsThat = (holds: (column: Column) => unknown) =>
  columnsOf.filter(([, , , column]) => holds(column))

test.each(columnsThat(({ block }) => block === 'id' || block === 'arrival'))(
  'a row whose %s names an erased block goes with it, and no other does',
  (_, table, name, { block }) => {
    const [theirs, other] = block === 'id' ? ['gone', 'kept'] : [7, 8]
    expect(withoutErased(table, { [name]: theirs }, ERASED)).toBeUndefined()
    expect(withoutErased(table, { [name]: other }, ERASED)).toEqual({ [name]: other })
  },
)

test.each(columnsThat(({ erasedTo }) => erasedTo !== undefined))(
  'of a row that stays %s loses words that are erased, and keeps others',
  (_, table, name, { erasedTo }) => {
    expect(withoutErased(table, { [name]: 'a secret' }, ERASED)).toEqual({ [name]: erasedTo })
    expect(withoutErased(table, { [name]: 'a word' }, ERASED)).toEqual({ [name]: 'a word' })
  },
)
