import type { IndexedBlock } from '../../src/store/database.ts'
import type { ReadTransaction, Store } from '../../src/store/transaction.ts'

/** The same store, but whoever builds an index from it sees blocks without words. */
export function hideWords(store: Store): Store {
  return {
    get location() {
      return store.location
    },
    isLasting: store.isLasting,
    get statements() {
      return store.statements
    },
    version: () => store.version(),
    read: (work) => store.read((tx) => work(wordless(tx))),
    write: (work, options) => store.write(work, options),
    within: (scope) => hideWords(store.within(scope)),
    past: async (moment) => {
      const past = await store.past(moment)
      return { ...past, store: hideWords(past.store) }
    },
    close: () => store.close(),
  }
}

/** Returns a transaction whose queries give blocks without words. */
function wordless(tx: ReadTransaction): ReadTransaction {
  const { queries } = tx.rows
  const hidden = new Proxy(queries, {
    get: (target, name) => {
      if (name === 'changes')
        return async (since: number) => {
          const changes = await target.changes(since)
          return { ...changes, blocks: withoutTerms(changes.blocks) }
        }
      if (name === 'livingBlocks')
        return (visit: (batch: readonly IndexedBlock[]) => void) =>
          target.livingBlocks((batch) => visit(withoutTerms(batch)))
      return Reflect.get(target, name)
    },
  })
  const rows = new Proxy(tx.rows, {
    get: (target, name) => (name === 'queries' ? hidden : bound(target, name)),
  })
  return new Proxy(tx, { get: (target, name) => (name === 'rows' ? rows : bound(target, name)) })
}

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name)
  return typeof value === 'function' ? value.bind(target) : value
}

function withoutTerms(blocks: readonly IndexedBlock[]): IndexedBlock[] {
  return blocks.map(({ block, index }) => ({ block, ...(index ? { index: { ...index, terms: '' } } : {}) }))
}
