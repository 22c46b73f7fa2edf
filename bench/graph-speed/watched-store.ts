import type { Store } from '../../src/store/transaction.ts'

/** How long one write held the lock: from having it to the end of its commit, and to the beginning of that. */
export interface Held {
  readonly milliseconds: number
  readonly beforeCommit: number
}

/** The same store, which notes how long each write holds the lock. */
export function watchStore(store: Store): Store & { readonly held: Held[] } {
  const held: Held[] = []
  return {
    held,
    location: store.location,
    isLasting: store.isLasting,
    get statements() {
      return store.statements
    },
    past: (moment) => store.past(moment),
    version: () => store.version(),
    read: (work) => store.read(work),
    write: async (work, options) => {
      let begun = 0
      let worked = 0
      const result = await store.write(async (tx) => {
        begun = performance.now()
        const done = await work(tx)
        worked = performance.now()
        return done
      }, options)
      held.push({ milliseconds: performance.now() - begun, beforeCommit: worked - begun })
      return result
    },
    // No bench asks for one scope of it.
    within: (scope) => store.within(scope),
    close: () => store.close(),
  }
}
