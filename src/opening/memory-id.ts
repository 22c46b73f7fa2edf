import type { ProjectTrust } from '../adapters/project/project.ts'
import type { Store } from '../ports/store/store.ts'

/** The random name of the memory in a store, 16 hexadecimal digits; opening a file gives it one. */
function memoryIdOf(store: Store): Promise<string | undefined> {
  return store.read((tx) => tx.meta('memory_id'))
}

/** The same of a file. */
export async function readMemoryId(path: string): Promise<string | undefined> {
  const { openSqliteStore } = await import('../sqlite/store.ts')
  const store = await openSqliteStore(path)
  try {
    return await memoryIdOf(store)
  } finally {
    await store.close()
  }
}

/**
 * True if a store holds the memory that was trusted. An empty one in a trusted folder is trusted from now on, under the
 * id it has. Costs one look-up where the id is the one that is expected.
 */
export async function isTrustedMemory(store: Store, trust: ProjectTrust): Promise<boolean> {
  const known = await memoryIdOf(store)
  if (known === undefined || known === trust.memory) return known !== undefined
  const isEmpty = await store.read(async (tx) => {
    const { inbox, active, archived } = await tx.counts()
    return inbox + active + archived === 0 && (await tx.clock()).wallMs === undefined
  })
  // Another process may have made it, and said so, since the project was looked at.
  if (!isEmpty) return known === trust.now()
  trust.keep(known)
  return true
}
