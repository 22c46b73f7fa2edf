import { expect, test } from 'vitest'
import { openSqliteDatabase } from '../../../src/sqlite/store.ts'
import { createStore } from '../../../src/store/store.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { type FarDatabase, farDatabase } from '../../helpers/round-trips.ts'
import { statements } from '../../helpers/words.ts'

const SCOPE = 'atlas'

/** Opens a memory of some 200 blocks with edges, pairs, told versions, grounds and a scope, at the end of a line. */
async function openFarMemory() {
  const database = farDatabase(await openSqliteDatabase(':memory:'))
  const opened = await openTestMemory({ store: createStore(database), kind: 'memory' })
  const { memory, learn } = opened
  const ids = await learn(...statements(160))
  const [first, second, third, fourth] = ids as [string, string, string, string]
  await memory.rememberMany({
    scope: SCOPE,
    blocks: statements(40).map((content) => ({ content: content.replace('case', 'harbour case') })),
  })
  for (const [n, supersedes] of [first, second, third].entries())
    await memory.remember({ content: `The harbour opens ${n} brass pipes in case 0q0.`, supersedes })
  await memory.dream()
  await memory.dream({ scope: SCOPE })
  for (let n = 0; n < 20; n++)
    await memory.connect({
      source: ids[n * 8] as string,
      target: ids[n * 8 + 5] as string,
      relation: n % 5 === 0 ? 'contradicts' : 'supports',
    })
  await memory.remember({
    content: 'The harbour opens late because of case 0q0.',
    derivedFrom: [fourth, ids[8] as string],
  })
  const said = await memory.remember({
    content: 'The harbour waits for copper pipes.',
    supersedes: ids[16] as string,
  })
  for (const query of QUERIES) await memory.recall({ query })
  const { recallId, blockIds } = await memory.recall({ query: QUERIES[0] })
  await memory.outcome({ recallId, helped: blockIds.slice(0, 2) })
  return { ...opened, ids, database, said }
}

const QUERIES = ['What does the harbour open?', 'copper pipes in case 0q0', 'Who repairs spare gears?']

/** Runs a call; returns its trips until the answer, and the statements in all. */
async function far<T>(database: FarDatabase, call: () => Promise<T>) {
  database.trips()
  const before = database.statements
  const answer = await call()
  const trips = database.trips()
  return { answer, trips, statements: database.statements - before }
}

test('look', async () => {
  const { memory, database, ids } = await openFarMemory()
  for (const query of [...QUERIES, ...QUERIES]) {
    const asked = await far(database, () => memory.recall({ query }))
    console.info(
      query,
      asked.answer.text.length,
      asked.answer.blockIds.length,
      asked.trips.length,
      asked.statements,
      asked.trips.map((each) => each.join(' + ')),
    )
  }
  for (const query of QUERIES) {
    const { recallId, blockIds } = await memory.recall({ query })
    await memory.shouldDream()
    const asked = await far(database, () =>
      memory.outcome({ recallId, helped: blockIds.slice(0, 3), misled: blockIds.slice(3, 4) }),
    )
    console.info(
      'outcome',
      asked.trips.length,
      asked.statements,
      asked.trips.map((each) => each.join(' + ')),
    )
  }
  const asked = await far(database, () =>
    memory.remember({ content: 'The baker paints copper pots in the morning.' }),
  )
  console.info(
    'remember',
    asked.trips.length,
    asked.statements,
    asked.trips.map((each) => each.join(' + ')),
  )
  const scoped = await far(database, () => memory.recall({ query: QUERIES[0], scope: SCOPE }))
  console.info(
    'scoped',
    scoped.trips.length,
    scoped.statements,
    scoped.trips.map((each) => each.join(' + ')),
  )
  const status = await far(database, () => memory.status())
  console.info(
    'status',
    status.trips.length,
    status.statements,
    status.trips.map((each) => each.join(' + ')),
  )
})
