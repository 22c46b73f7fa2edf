import type { ProjectTrust } from '../adapters/project/project.ts'
import { systemIds } from '../adapters/system/machine.ts'
import type { Store } from '../ports/store/store.ts'

/** The key under which a store keeps the random name of its memory, 16 hexadecimal digits. */
const MEMORY_ID_KEY = 'memory_id'

/** The id of the memory in a store; it is made when there is none. */
async function memoryIdOf(store: Store): Promise<string> {
  const known = await store.read((tx) => tx.meta(MEMORY_ID_KEY))
  if (known !== undefined) return known
  return store.write(async (tx) => {
    const made = (await tx.meta(MEMORY_ID_KEY)) ?? systemIds.random()
    await tx.saveMeta(MEMORY_ID_KEY, made)
    return made
  })
}

/** The same of a file. */
export async function readMemoryId(path: string): Promise<string> {
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
  const known = await store.read((tx) => tx.meta(MEMORY_ID_KEY))
  if (known !== undefined && known === trust.memory) return true
  const isEmpty = await store.read(async (tx) => {
    const { inbox, active, archived } = await tx.counts()
    return inbox + active + archived === 0 && (await tx.clock()).wallMs === undefined
  })
  // Another process may have made it, and said so, since the project was looked at.
  if (!isEmpty) return known !== undefined && known === trust.now()
  trust.keep(await memoryIdOf(store))
  return true
}
