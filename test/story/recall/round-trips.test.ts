import { expect, test } from 'vitest'
import { ElfmemError } from '../../../src/errors.ts'
import { openSqliteDatabase } from '../../../src/sqlite/store.ts'
import { createStore } from '../../../src/store/store.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { farDatabase } from '../../helpers/round-trips.ts'
import { statements } from '../../helpers/words.ts'

const SCOPE = 'atlas'
const QUESTIONS = ['What does the harbour open?', 'copper pipes in case 0q0', 'Who repairs spare gears?']

/** Opens a warm memory of some 200 blocks with edges, pairs, told versions, grounds and a scope, at the end of a line. */
async function openFarMemory() {
  const database = farDatabase(await openSqliteDatabase(':memory:'))
  const { memory, learn } = await openTestMemory({ store: createStore(database), kind: 'memory' })
  const ids = await learn(...statements(160))
  const scoped = statements(40).map((content) => ({ content: content.replace('case', 'harbour case') }))
  await memory.rememberMany({ scope: SCOPE, blocks: scoped })
  for (const [n, supersedes] of ids.slice(0, 3).entries())
    await memory.remember({ content: `The harbour opens ${n} brass pipes in case 0q0.`, supersedes })
  await memory.dream()
  await memory.dream({ scope: SCOPE })
  for (const [n, source] of ids.filter((_, i) => i % 8 === 0).entries()) {
    const relation = n % 5 === 0 ? 'contradicts' : 'supports'
    await memory.connect({ source, target: ids[n * 8 + 5] as string, relation })
  }
  const grounds = [ids[3], ids[8]] as string[]
  await memory.remember({ content: 'The harbour opens late because of case 0q0.', derivedFrom: grounds })
  await memory.remember({ content: 'The harbour waits for copper pipes.', supersedes: ids[16] as string })
  // Reports in one scope let the others read all reports anew, once.
  for (const scope of [undefined, SCOPE, undefined])
    for (const query of QUESTIONS) {
      const { recallId = '', blockIds } = await memory.recall({ query, ...(scope && { scope }) })
      await memory.outcome({ recallId, helped: blockIds.slice(0, 2), ...(scope && { scope }) })
    }
  await memory.recall({ query: QUESTIONS[0], scope: SCOPE })
  /** Runs a call while nothing waits to be written; returns its answer, its trips and the number of its statements. */
  const asked = async <T>(call: () => Promise<T>) => {
    await memory.shouldDream()
    database.trips()
    const before = database.statements
    const answer = await call()
    return { answer, trips: database.trips(), statements: database.statements - before }
  }
  return { memory, database, asked }
}

test('recall takes at most six round trips, with edges, versions, grounds and a scope', async () => {
  const { memory, asked } = await openFarMemory()
  for (const query of [...QUESTIONS, ...QUESTIONS]) {
    const { answer, trips, statements } = await asked(() => memory.recall({ query }))
    expect(answer.recallId).toBeDefined()
    expect(trips.length, JSON.stringify(trips)).toBeLessThanOrEqual(6)
    expect(statements).toBeLessThanOrEqual(18)
  }
  for (const query of QUESTIONS) {
    const { trips, statements } = await asked(() => memory.recall({ query, scope: SCOPE }))
    expect(trips.length, JSON.stringify(trips)).toBeLessThanOrEqual(6)
    expect(statements).toBeLessThanOrEqual(18)
  }
})

test('outcome takes at most eight round trips, and remember at most five', async () => {
  const { memory, asked } = await openFarMemory()
  for (const query of QUESTIONS) {
    const { recallId = '', blockIds } = await memory.recall({ query })
    const report = { helped: blockIds.slice(0, 3), misled: blockIds.slice(3, 4) }
    const named = await asked(() => memory.outcome({ recallId, ...report }))
    expect(named.answer.blocksUpdated).toBeGreaterThan(0)
    expect(named.trips.length, JSON.stringify(named.trips)).toBeLessThanOrEqual(8)
    expect(named.statements).toBeLessThanOrEqual(24)
    const unnamed = await asked(() => memory.outcome(report))
    expect(unnamed.trips.length, JSON.stringify(unnamed.trips)).toBeLessThanOrEqual(8)
  }
  const said = await asked(() => memory.remember({ content: 'The baker paints copper pots early.' }))
  expect(said.trips.length, JSON.stringify(said.trips)).toBeLessThanOrEqual(5)
})

test('a failure of one of several reads and writes that are made together fails the call and leaves nothing', async () => {
  const { memory, database } = await openFarMemory()
  const { recallId = '', blockIds } = await memory.recall({ query: 'copper pipes in case 0q0' })
  const stored = () => memory.show({ blockId: blockIds[0] as string })
  const before = await stored()
  const failure = new ElfmemError('STORE_FAILED', 'The line broke.', { recovery: 'Try again.' })
  for (const call of ['touching grounds', 'get blocks', 'touching edges', 'changes']) {
    database.fail = { call, failure }
    await expect(memory.recall({ query: 'copper pipes in case 0q0' })).rejects.toThrow(failure)
  }
  for (const call of [
    'get operations',
    'touching edges',
    'put edges',
    'trim block_outcomes',
    'insert operation_changes',
  ]) {
    database.fail = { call, failure }
    await expect(memory.outcome({ recallId, helped: blockIds.slice(0, 3) })).rejects.toThrow(failure)
  }
  database.fail = undefined
  expect(await stored()).toEqual(before)
  expect(await memory.outcome({ recallId, helped: blockIds.slice(0, 3) })).toMatchObject({ blocksUpdated: 3 })
})
