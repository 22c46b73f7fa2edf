import type { Store } from '../../src/ports/store/store.ts'
import type { IndexedBlock, StoreReader } from '../../src/ports/store/transaction.ts'

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

function wordless(tx: StoreReader): StoreReader {
  return new Proxy(tx, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name === 'changes')
        return async (since: number) => {
          const changes = await target.changes(since)
          return { ...changes, blocks: withoutTerms(changes.blocks) }
        }
      if (name === 'livingBlocks')
        return (visit: (batch: readonly IndexedBlock[]) => void) =>
          target.livingBlocks((batch) => visit(withoutTerms(batch)))
      return value.bind(target)
    },
  })
}

function withoutTerms(blocks: readonly IndexedBlock[]): IndexedBlock[] {
  return blocks.map(({ block, index }) => ({ block, ...(index ? { index: { ...index, terms: '' } } : {}) }))
}
