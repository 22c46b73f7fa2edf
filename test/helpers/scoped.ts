import { onTestFinished } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/engine/memory.ts'
import type { SettingsInput } from '../../src/engine/settings.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import type { Store } from '../../src/store/transaction.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { countedIds } from './counted-ids.ts'

interface Opening {
  readonly scope?: string
  readonly clock?: TestClock
  readonly settings?: SettingsInput
}

/** A memory over a store others use, too. Its random ids are numbers, so that two memories can be compared. */
export async function openOn(store: Store, { scope, clock, settings }: Opening = {}): Promise<Memory> {
  const memory = await openMemory(':memory:', {
    as: 'owner',
    store,
    clock: clock ?? createTestClock(),
    embedder: createHashingEmbedder(),
    ids: countedIds(scope ?? 'whole'),
    config: { ...settings, session: { gapCapMinutes: 10_000_000 } },
    ...(scope === undefined ? {} : { scope }),
  })
  onTestFinished(() => memory.close())
  return memory
}

export async function openStore(): Promise<Store> {
  const store = await openSqliteStore(':memory:')
  onTestFinished(() => store.close())
  return store
}
