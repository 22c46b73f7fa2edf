import type { Store } from '../../src/ports/store.ts'

/** How long one write held the lock: from having it to the end of its commit. */
export interface Held {
  readonly milliseconds: number
}

/** The same store, which notes how long each write holds the lock. */
export function watchStore(store: Store): Store & { readonly held: Held[] } {
  const held: Held[] = []
  return {
    held,
    location: store.location,
    get statements() {
      return store.statements
    },
    read: (work) => store.read(work),
    write: async (work, options) => {
      let begun = 0
      try {
        return await store.write((tx) => {
          begun = performance.now()
          return work(tx)
        }, options)
      } finally {
        held.push({ milliseconds: performance.now() - begun })
      }
    },
    close: () => store.close(),
  }
}
