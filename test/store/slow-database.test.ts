import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/engine/memory.ts'
import { openSqliteDatabase } from '../../src/sqlite/store.ts'
import type { Database } from '../../src/store/database.ts'
import { createStore } from '../../src/store/store.ts'
import { createTestClock } from '../helpers/clock.ts'
import { temporaryFolder } from '../helpers/memory.ts'

/** The milliseconds of a round trip to a database on another machine. */
const ROUND_TRIP_MS = 2

/** Returns an object whose methods answer after a round trip, and go on the line in the order of the calls; `sent` has them all. */
function slowed<T extends object>(target: T, sent: Promise<unknown>[] = []): T {
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value === 'function')
        return (...given: unknown[]) => {
          const answer = after(ROUND_TRIP_MS).then(() => Reflect.apply(value, target, given))
          sent.push(answer)
          return answer
        }
      return name === 'queries' || name === 'whole' ? slowed(value as object, sent) : value
    },
  })
}

/** Returns a database that holds its rows elsewhere: every call takes a round trip, also within a transaction. */
function faraway(database: Database): Database {
  return {
    location: database.location,
    isLasting: database.isLasting,
    get statements() {
      return database.statements
    },
    version: () => slowed(database).version(),
    scratch: async (options) => faraway(await database.scratch(options)),
    read: (work, options) => database.read((rows) => work(slowed(rows)), options),
    write: (work, options) =>
      database.write(async (rows, state) => {
        const sent: Promise<unknown>[] = []
        const result = await work(slowed(rows, sent), state)
        // The end of a write goes on the line behind the calls that nobody has awaited.
        await Promise.all(sent)
        return result
      }, options),
    close: () => database.close(),
  }
}

/** Lives a day and returns every answer, and the rows at its end. */
async function day(memory: Memory, folder: string): Promise<unknown[]> {
  const answers: unknown[] = []
  const told = async <T>(answer: Promise<T>): Promise<T> => {
    answers.push(JSON.parse(JSON.stringify(await answer).replaceAll(folder, '')))
    return answer
  }
  const texts = ['The red ferry comes at nine', 'Tea is served at the pier', 'The pilot boards at dawn']
  const ids: string[] = []
  for (const content of texts) ids.push((await told(memory.remember({ content, tags: ['harbour'] }))).blockId)
  const [ferry = '', tea = '', pilot = ''] = ids
  await told(memory.remember({ content: 'Evangeline hid in the bilge' }))
  await told(memory.items('log').put({ key: 'day', value: 'calm', texts: ['The sea was calm today'] }))
  // A recall embeds what waits only as long as it has time.
  await told(memory.dream())
  await told(memory.connect({ source: ferry, target: pilot, relation: 'supports', note: 'both early' }))
  const { blockIds } = await told(memory.recall({ query: 'when does the ferry come?' }))
  expect(blockIds[0]).toBe(ferry)
  await told(memory.outcome({ blockIds: [ferry], signal: 1 }))
  await told(memory.edit({ blockId: tea, content: 'Tea is served at the mill' }))
  await told(memory.undo({}))
  await told(memory.forget({ blockId: pilot }))
  await told(memory.restore({ blockId: pilot }))
  await told(memory.erase({ query: 'evangeline', yes: true }))
  await told(memory.curate({}))
  await told(memory.doctor({ fix: true }))
  await told(memory.status())
  const path = join(folder, 'memory.jsonl')
  await told(memory.export({ path }))
  answers.push(readFileSync(path, 'utf8').split('\n'))
  await told(memory.import({ path, trusted: true }))
  await told(memory.history({ lastN: 100 }))
  await told(memory.ls({ limit: 50 }))
  return answers
}

/** Lives a day in a new memory in no file. */
async function dayIn(make: (database: Database) => Database): Promise<unknown[]> {
  const store = createStore(make(await openSqliteDatabase(':memory:')))
  let made = 0
  const ids = {
    random: () => (0x1000_0000_0000_0000n + BigInt(made++)).toString(16),
    sha256: (text: string) => hash('sha256', text),
  }
  const parts = { store, ids, clock: createTestClock(), embedder: createHashingEmbedder() }
  const memory = await openMemory(undefined, { as: 'owner', ...parts })
  try {
    return await day(memory, temporaryFolder())
  } finally {
    await memory.close()
    await store.close()
  }
}

test('a memory in a database that answers slowly gives the same answers, and has the same rows', async () => {
  const [near, far] = [await dayIn((database) => database), await dayIn(faraway)]
  expect(far).toEqual(near)
}, 60_000)
