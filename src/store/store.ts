import { mustBeSameScope } from '../block/block.ts'
import { Recorder } from '../history/images.ts'
import { openPast } from '../history/past.ts'
import type { Database, Rows, State } from './database.ts'
import { readHead, readRecords, takeRecords } from './records.ts'
import { type Store, Transaction } from './transaction.ts'

/** Returns the store of the memory whose rows lie in a database, or one scope of it. */
export function createStore(database: Database, scope?: string): Store {
  const store: Store = {
    location: database.location,
    isLasting: database.isLasting,
    ...(scope === undefined && {
      records: {
        read: (work) =>
          database.read(async (rows) => work(await readHead(rows), readRecords(rows)), { aside: true }),
        take: (...asked) => takeRecords(database, ...asked),
      },
      ...(database.files && { files: database.files }),
    }),
    get statements() {
      return database.statements
    },
    within: (asked) => {
      if (scope === undefined) return createStore(database, asked)
      mustBeSameScope(scope, asked)
      return store
    },
    past: async (moment) => {
      const { database: past, ...known } = await openPast(database, moment)
      return { store: createStore(past, scope), ...known }
    },
    read: (work, options) => database.read((rows) => work(new Transaction(rows)), { ...options, scope }),
    write: (work, { undoable = false, onKept, ...options } = {}) => {
      const recorder = undoable ? new Recorder() : undefined
      const writing = async (rows: Rows, state: State) => {
        const tx = new Transaction(rows, state)
        const result = await work(tx)
        const kept = await recorder?.keep(tx)
        if (kept !== undefined) onKept?.(kept)
        return result
      }
      return database.write(writing, { ...options, scope, ...(recorder && { changed: recorder.changed }) })
    },
    version: () => database.version(),
    close: () => database.close(),
  }
  return store
}
